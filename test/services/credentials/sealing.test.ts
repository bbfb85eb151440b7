/** Sealed secrets: where each one opens, and that it opens nowhere else. */
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { mapSecrets } from '../../../schemas/http/check-config.ts'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import {
  isSealed,
  makeSealingKeys,
  openForTenant,
  openSealed,
  sealForTenant,
  sealTo,
  Unsealable
} from '../../../services/credentials/sealing.ts'

const key = randomBytes(32).toString('hex')
const place = { tenant_id: uuidv4(), resource: `monitor:${uuidv4()}`, field: 'auth.password' }
const text = `correct horse · 馬 ${'x'.repeat(500)}`

t.test('a sealed secret opens only in its place and with its key', async (t) => {
  const sealed = sealForTenant(key, place, text)
  t.ok(isSealed(sealed))
  t.notMatch(sealed, 'horse')
  t.equal(openForTenant(key, place, sealed), text)
  t.equal(openForTenant(key, { ...place, tenant_id: place.tenant_id.toUpperCase() }, sealed), text)
  t.not(sealForTenant(key, place, text), sealed, 'a nonce of its own each time')
  t.equal(openForTenant(key, place, sealForTenant(key, place, '')), '')

  const elsewhere = {
    'another workspace': { ...place, tenant_id: uuidv4() },
    'another resource': { ...place, resource: `monitor:${uuidv4()}` },
    'another field': { ...place, field: 'auth.token' },
    'a field and resource that read alike': { ...place, resource: `${place.resource}\n13:auth.password`, field: '' }
  }
  for (const [name, other] of Object.entries(elsewhere)) t.throws(() => openForTenant(key, other, sealed), { name: 'Unsealable' }, name)
  t.throws(() => openForTenant(randomBytes(32).toString('hex'), place, sealed), { name: 'Unsealable' }, 'another key')
})

t.test('a broken sealed value does not open, and its error reveals nothing', async (t) => {
  const sealed = sealForTenant(key, place, text)
  const bytes = Buffer.from(sealed.slice('sealed:'.length), 'base64')
  for (const at of [0, 1, 13, 29, bytes.length - 1]) {
    const flipped = Buffer.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ 1
    t.throws(() => openForTenant(key, place, `sealed:${flipped.toString('base64')}`), { name: 'Unsealable' }, `byte ${at}`)
  }
  for (const wrong of ['', 'sealed:', 'sealed:AQ==', text, `sealed:${bytes.subarray(0, 20).toString('base64')}`]) {
    t.throws(() => openForTenant(key, place, wrong), { name: 'Unsealable' })
  }
  try {
    openForTenant(key, { ...place, field: 'x' }, sealed)
    t.fail('it opened')
  } catch (error) {
    t.type(error, Unsealable)
    t.notMatch(String(error), /horse|sealed:/)
  }
  t.throws(() => sealForTenant('', place, text), /64 hex characters/)
})

t.test('a value sealed to a public key opens only with its private key', async (t) => {
  const mine = makeSealingKeys()
  t.same([mine.publicKey.length, mine.privateKey.length], [32, 32])
  const sealed = sealTo(mine.publicKey, text)
  t.ok(isSealed(sealed))
  t.equal(openSealed(mine.privateKey, sealed), text)
  t.not(sealTo(mine.publicKey, text), sealed)
  t.throws(() => openSealed(makeSealingKeys().privateKey, sealed), { name: 'Unsealable' })
  t.throws(() => openSealed(mine.privateKey, sealForTenant(key, place, text)), { name: 'Unsealable' }, 'sealed at rest')
  t.throws(() => openForTenant(key, place, sealed), { name: 'Unsealable' }, 'sealed to a key')
  t.throws(() => sealTo(Buffer.alloc(31), text), RangeError)
  t.throws(() => sealTo(Buffer.alloc(32), text), { name: 'Unsealable' }, 'a key that shares no secret')
})

t.test('only the secret fields of a check are found and replaced', async (t) => {
  const config: HttpConfig = {
    method: 'POST',
    body: 'password=plain',
    headers: [
      { name: 'X-Key', value: 'a', secret: true },
      { name: 'Accept', value: 'b' },
      { name: 'X-Unset', value: null, secret: true }
    ],
    auth: { type: 'basic', username: 'u', password: 'p' }
  }
  const seen: string[] = []
  const mapped = mapSecrets(config, (value, field) => {
    seen.push(`${field}=${value}`)
    return '*'
  })
  t.same(seen, ['header:x-key=a', 'auth.password=p'])
  t.same(mapped, {
    ...config,
    headers: [
      { name: 'X-Key', value: '*', secret: true },
      { name: 'Accept', value: 'b' },
      { name: 'X-Unset', value: null, secret: true }
    ],
    auth: { type: 'basic', username: 'u', password: '*' }
  })
  t.equal(config.headers?.[0]?.value, 'a', 'what was given stays as it was')
})

/**
 * Tests that the secrets of monitors are write-only. They cannot be read by their names, in an
 * answer or an audit entry, or by sending them to another target.
 */
import t, { type Test } from 'tap'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { certificate } from '../prober/stand.ts'
import { type Body, create, good, MONITORS, rowsOf } from './monitoring.ts'
import { makeRegions } from './probing.ts'
import { SECRETS_KEY, type Stand, stand } from './stand.ts'

t.setTimeout(120_000)

const MASK = '********'
const TARGET = 'https://shop.example/health'

interface Fault {
  path: string
  rule: string
}
const required = (details: Fault[]): string[] => details.map(({ path, rule }) => (rule === 'required' ? path : `${path} ${rule}`))

async function storedOf(s: Stand, id: string): Promise<Body> {
  const [row] = await rowsOf(s.systemPool, 'SELECT to_jsonb(m) AS row FROM monitors m WHERE monitor_id = $1', [id])
  return row?.row as Body
}

/** Returns the stored header values and credentials, decrypted. */
async function openedOf(s: Stand, id: string): Promise<string[]> {
  const { headers = [], auth } = (await storedOf(s, id)).config as HttpConfig
  const open = (value: string, field: string): string =>
    openForTenant(SECRETS_KEY, { tenant_id: s.acme.tenant_id, resource: `monitor:${id}`, field }, value)
  return [
    ...headers.map(({ name, value, secret }) =>
      secret && value !== null ? open(value, `header:${name.toLowerCase()}`) : `${value} in the clear`
    ),
    ...(auth?.password ? [open(auth.password, 'auth.password')] : []),
    ...(auth?.token ? [open(auth.token, 'auth.token')] : []),
    ...(auth?.client_secret ? [open(auth.client_secret, 'auth.client_secret')] : []),
    ...(auth?.key_pem ? [open(auth.key_pem, 'auth.key_pem')] : [])
  ]
}

async function nothingInTheClear(t: Test, s: Stand, id: string): Promise<void> {
  for (const path of [`${MONITORS}/${id}`, `${MONITORS}?per_page=200`])
    t.notMatch((await s.call(s.acme, 'GET', path)).body, /hunter2/, path)
  for (const table of ['monitors', 'config_versions', 'audit', 'outbox']) {
    const text = JSON.stringify(await rowsOf(s.systemPool, `SELECT to_jsonb(x) AS row FROM ${table} x`, []))
    t.notMatch(text, /hunter2/, table)
    t.notMatch(text, Buffer.from('hunter2').toString('hex'), table)
  }
  t.notMatch(s.logged(), /hunter2/, 'logs')
}

t.test('secrets of monitors', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const patch = (id: string, body: Body) => s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)

  await t.test('a header with a credential name is sealed, whether or not it is marked', async (t) => {
    const names = ['Authorization', 'cookie', 'Proxy-Authorization', 'X-Api-Key', 'PRIVATE-TOKEN', 'X-Session-Id', 'X-Signature']
    const headers = [
      ...names.map((name, at) => ({ name, value: `hunter2-${at}`, ...(at % 2 === 0 && { secret: false }) })),
      { name: 'Accept', value: 'text/html' }
    ]
    const answer = await s.call(s.acme, 'POST', MONITORS, good({ config: { headers } }))
    t.equal(answer.statusCode, 201, answer.body)
    t.notMatch(answer.body, /hunter2/)
    const { id, config } = answer.json()
    const shown = [...names.map((name) => ({ name, value: MASK, secret: true })), { name: 'Accept', value: 'text/html' }]
    t.same(config.headers, shown, 'shown like every secret')
    const values = [...names.map((_, at) => `hunter2-${at}`), 'text/html in the clear']
    t.same(await openedOf(s, id), values)

    const kept = await patch(id, { config: { headers: shown.map(({ name, value }) => ({ name, value })) } })
    t.equal(kept.statusCode, 200, kept.body)
    t.same(kept.json().config.headers, shown)
    t.same(await openedOf(s, id), values, 'the mask keeps them, marked or not')
    const changed = await patch(id, { config: { headers: [{ name: 'authorization', value: 'hunter2-new' }] } })
    t.notMatch(changed.body, /hunter2/)
    t.same(await openedOf(s, id), ['hunter2-new'])
    const unmarked = await patch(id, { config: { headers: [{ name: 'Authorization', value: null, secret: false }] } })
    t.same(unmarked.json().config.headers, [{ name: 'Authorization', value: MASK, secret: true }], 'taking the mark off shows nothing')
    await nothingInTheClear(t, s, id)
  })

  await t.test('a target with credentials is refused when a monitor is created or changed', async (t) => {
    const target = 'https://robot:hunter2@shop.example/'
    const { id } = await create(s, s.acme)
    for (const answer of [
      await s.call(s.acme, 'POST', MONITORS, good({ target })),
      await patch(id, { target }),
      await patch(id, { url: target })
    ]) {
      t.equal(answer.statusCode, 422)
      t.notMatch(answer.body, /hunter2/)
      t.match(answer.json().details, [{ path: 'target', rule: 'pattern' }])
    }
  })

  const config = {
    headers: [
      { name: 'Accept', value: '*/*' },
      { name: 'X-Marked', value: 'hunter2-a', secret: true },
      { name: 'X-Api-Key', value: 'hunter2-b' }
    ],
    auth: { type: 'basic', username: 'robot', password: 'hunter2-c' }
  }
  const all = ['config.headers[1].value', 'config.headers[2].value', 'config.auth.password']

  await t.test('a change to another origin needs the secrets again, and a refusal changes nothing', async (t) => {
    const { id } = await create(s, s.acme, { target: TARGET, config })
    const before = await storedOf(s, id)
    const elsewhere = {
      'another host': 'https://attacker.example/health',
      'a part of its name': 'https://api.shop.example/health',
      'another port': 'https://shop.example:8443/health',
      'in the clear': 'http://shop.example/health',
      'in the clear at the same port': 'http://shop.example:443/health'
    }
    for (const [name, target] of Object.entries(elsewhere)) {
      for (const named of [{ target }, { url: target }, { target, name: `${name} and more`, interval_seconds: 300 }]) {
        const answer = await patch(id, named)
        t.equal(answer.statusCode, 422, `${name}: ${answer.body}`)
        t.equal(answer.json().code, 'VALIDATION_FAILED')
        t.same(required(answer.json().details), all, name)
      }
    }
    const target = elsewhere['another host']
    const [accept, marked, named] = config.headers
    const some: [string, Body, string[]][] = [
      ['masked', { headers: [accept, { ...marked, value: MASK }, { ...named, value: MASK }] }, [...all.slice(2), ...all.slice(0, 2)]],
      [
        'null',
        { headers: [{ ...marked, value: null }], auth: { type: 'basic', username: 'x' } },
        ['config.headers[0].value', 'config.auth.password']
      ],
      ['without the headers', { auth: config.auth }, all.slice(0, 2)],
      ['without the password', { headers: config.headers }, all.slice(2)],
      ['one header of two', { headers: [marked, { ...named, value: MASK }], auth: config.auth }, ['config.headers[1].value']]
    ]
    for (const [name, sent, paths] of some) {
      const answer = await patch(id, { target, config: sent })
      t.equal(answer.statusCode, 422, `${name}: ${answer.body}`)
      t.same(required(answer.json().details).sort(), [...paths].sort(), name)
    }
    t.same(await storedOf(s, id), before, 'the row is as it was')
    t.equal((await rowsOf(s.systemPool, 'SELECT FROM config_versions WHERE id = $1', [id])).length, 1)
    t.equal((await rowsOf(s.systemPool, 'SELECT FROM audit WHERE object_id = $1', [id])).length, 1)

    const whole = await patch(id, { target, config: { ...config, auth: { ...config.auth, password: 'hunter2-d' } } })
    t.equal(whole.statusCode, 200, whole.body)
    t.same(await openedOf(s, id), ['*/* in the clear', 'hunter2-a', 'hunter2-b', 'hunter2-d'])
    const without = await patch(id, { target: TARGET, config: { headers: [accept], auth: { type: 'none' } } })
    t.equal(without.statusCode, 200, 'or without them')
    t.equal((await patch(id, { target })).statusCode, 200, 'where there are none, none is asked for')
    await nothingInTheClear(t, s, id)
  })

  await t.test('a target of the same origin keeps the secrets', async (t) => {
    const { id } = await create(s, s.acme, { target: TARGET, config })
    for (const target of ['https://shop.example/', 'HTTPS://Shop.Example:443/other?a=b', 'https://shop.example/health#x']) {
      const answer = await patch(id, { target })
      t.equal(answer.statusCode, 200, `${target}: ${answer.body}`)
    }
    t.equal((await patch(id, { config: { verify_tls: true, follow_redirects: false, method: 'POST', body: 'x' } })).statusCode, 200)
    t.same(await openedOf(s, id), ['*/* in the clear', 'hunter2-a', 'hunter2-b', 'hunter2-c'])
  })

  await t.test('a change that lets another server read the secrets needs them again', async (t) => {
    const pair = certificate(t)
    const own = certificate(t)
    const { id } = await create(s, s.acme, { target: TARGET, config: { ...config, ca_pem: pair.cert } })
    const masked = config.headers.map((header) => (header.name === 'Accept' ? header : { ...header, value: MASK }))
    const cases: [string, HttpConfig | Body][] = [
      ['the header Host', { headers: [...masked, { name: 'host', value: 'attacker.example' }] }],
      ['nobody verifies the certificate', { verify_tls: false }],
      ['another authority', { ca_pem: own.cert }],
      ['the authorities of browsers', { ca_pem: null }]
    ]
    for (const [name, change] of cases) {
      const answer = await patch(id, { config: change })
      t.equal(answer.statusCode, 422, `${name}: ${answer.body}`)
      t.same(required(answer.json().details).sort(), [...all].sort(), name)
    }
    t.equal(
      (await patch(id, { config: { headers: [...masked, { name: 'Host', value: 'Shop.example' }] } })).statusCode,
      200,
      'its own host'
    )
    t.equal((await patch(id, { config: { ...config, verify_tls: false } })).statusCode, 200, 'with the secrets')
    t.equal((await patch(id, { config: { verify_tls: true } })).statusCode, 200, 'stricter is never refused')
  })

  await t.test('a step that lets another server read the secrets needs them again', async (t) => {
    const step = (over: Body = {}): Body => ({ name: 'Orders', method: 'GET', url: `${TARGET}orders`, headers: [], ...over })
    const variables = [{ name: 'token', value: 'hunter2', secret: true }]
    const { id } = await create(s, s.acme, { type: 'api', target: TARGET, config: { variables, steps: [step()] } })
    const bearer = { name: 'Authorization', value: 'Bearer {{token}}' }
    const refused = async (config: Body, why: string): Promise<void> => {
      const answer = await patch(id, { config })
      t.equal(answer.statusCode, 422, `${why}: ${answer.body}`)
      t.same(required(answer.json().details), ['config.variables[0].value'], why)
    }
    for (const value of ['attacker.example', '{{token}}.attacker.example'])
      await refused({ steps: [step({ headers: [{ name: 'Host', value }, bearer] })] }, value)
    t.equal((await patch(id, { config: { steps: [step({ headers: [bearer] })] } })).statusCode, 200, 'without another host')
    await refused({ verify_tls: false }, 'nobody verifies the certificate')

    const plain = await create(s, s.acme, { type: 'api', target: 'http://shop.example/', config: { variables, steps: [step()] } })
    const answer = await patch(plain.id, { config: { verify_tls: false } })
    t.same(required(answer.json().details), ['config.variables[0].value'], 'of a step')
  })

  await t.test('secrets of every auth type are sealed, masked and kept by the mask', async (t) => {
    const pair = certificate(t)
    const cases: [Body, Body][] = [
      [
        { type: 'digest', username: 'robot', password: 'hunter2' },
        { type: 'digest', username: 'robot', password: MASK }
      ],
      [
        { type: 'oauth2_client', token_url: 'https://sso.example/token', client_id: 'c', client_secret: 'hunter2', scopes: ['read'] },
        { type: 'oauth2_client', token_url: 'https://sso.example/token', client_id: 'c', client_secret: MASK, scopes: ['read'] }
      ],
      [
        { type: 'mtls', cert_pem: pair.cert, key_pem: pair.key },
        { type: 'mtls', cert_pem: pair.cert, key_pem: MASK }
      ]
    ]
    for (const [sent, shown] of cases) {
      const { id, config } = await create(s, s.acme, { target: TARGET, config: { auth: sent } })
      t.same((config as HttpConfig).auth, shown)
      const secret = [sent.password ?? sent.client_secret ?? sent.key_pem]
      t.same(await openedOf(s, id), secret)
      t.equal((await patch(id, { config: { auth: shown } })).statusCode, 200)
      t.same(await openedOf(s, id), secret, `${sent.type}: the mask keeps it`)
      const away = await patch(id, { target: 'https://attacker.example/' })
      t.same(required(away.json().details), [`config.auth.${Object.entries(shown).find(([, value]) => value === MASK)?.[0]}`])
      const row = JSON.stringify(await storedOf(s, id))
      t.notMatch(row, /hunter2|PRIVATE KEY/)
    }
    const [, [, shown]] = cases as [unknown, [Body, Body]]
    const { id } = await create(s, s.acme, { target: TARGET, config: { auth: cases[1]?.[0] } })
    const moved = await patch(id, { config: { auth: { ...shown, token_url: 'https://attacker.example/token' } } })
    t.same(required(moved.json().details), ['config.auth.client_secret'], 'another token server needs it again')
    t.equal((await patch(id, { config: { auth: { ...shown, token_url: 'https://sso.example/other' } } })).statusCode, 200)
    await nothingInTheClear(t, s, id)
  })

  await t.test('another workspace gets 404 when it changes the target of a monitor', async (t) => {
    const { id } = await create(s, s.acme, { target: TARGET, config })
    const answer = await s.call(s.globex, 'PATCH', `${MONITORS}/${id}`, { target: 'https://attacker.example/' })
    t.equal(answer.statusCode, 404)
  })
})

t.test('a service without a secrets key refuses credentials', async (t) => {
  const s = await stand(t, { config: { secretsKey: '' } })
  await makeRegions(s)
  const answer = await s.call(s.acme, 'POST', MONITORS, good({ config: { headers: [{ name: 'Authorization', value: 'hunter2' }] } }))
  t.equal(answer.statusCode, 503)
  t.notMatch(answer.body + s.logged(), /hunter2/)
  await create(s, s.acme, { config: { headers: [{ name: 'Accept', value: '*/*' }] } })
})

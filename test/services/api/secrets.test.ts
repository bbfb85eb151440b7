/**
 * Unit tests of the formats of tokens and passwords, the networks of tokens, and the depth of JSON.
 */
import t from 'tap'
import { depthOf } from '../../../services/api/plugins/body.ts'
import {
  Busy,
  hashPassword,
  mintApiToken,
  mintIntegrationToken,
  mintInvite,
  mintPassword,
  mintSession,
  sha256,
  verifyPassword
} from '../../../services/credentials/credentials.ts'
import { isAllowed, parseNetwork } from '../../../services/http/networks.ts'
import { requestIdOf } from '../../../services/http/request-id.ts'

t.test('tokens have the documented form, a SHA-256 hash and a short prefix', async (t) => {
  const forms: [() => { value: string; sha256: Buffer; prefix: string }, RegExp][] = [
    [mintApiToken, /^service_[0-9a-f]{64}$/],
    [mintIntegrationToken, /^svc_[A-Za-z0-9_-]{43}$/],
    [mintInvite, /^inv_[0-9a-f]{64}$/],
    [mintSession, /^[A-Za-z0-9_-]{43}$/]
  ]
  for (const [mint, form] of forms) {
    const [one, other] = [mint(), mint()]
    t.match(one.value, form)
    t.not(one.value, other.value)
    t.same(one.sha256, sha256(one.value))
    t.equal(one.sha256.length, 32)
    t.ok(one.value.startsWith(one.prefix) && one.prefix.length <= 14, 'the prefix gives little away')
  }
  t.match(mintPassword(), /^[A-Za-z0-9_-]{24}$/)
})

t.test('passwords are hashed with argon2id, m=19 MiB t=2 p=1', async (t) => {
  const phc = await hashPassword('correct horse')
  t.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  t.not(phc, await hashPassword('correct horse'), 'salted')
  t.equal(await verifyPassword(phc, 'correct horse'), true)
  t.equal(await verifyPassword(phc, 'wrong horse'), false)
  t.equal(await verifyPassword(null, 'anything'), false, 'nobody has no password')
})

t.test('of 40 concurrent password checks, 34 run and 6 are refused as busy', async (t) => {
  const phc = await hashPassword('x')
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => verifyPassword(phc, 'x')))
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  t.equal(refused.length, 6)
  t.ok(refused.every(({ reason }) => reason instanceof Busy))
  t.ok(outcomes.every((outcome) => outcome.status === 'rejected' || outcome.value === true))
  t.equal(await verifyPassword(phc, 'x'), true, 'and it goes on')
})

t.test('valid and invalid networks, and the addresses in them', async (t) => {
  const good = ['10.0.0.0/8', '192.0.2.1', '0.0.0.0/0', '2001:db8::/32', '::1', '::/0']
  for (const text of good) t.ok(parseNetwork(text), text)
  const bad = [
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '010.1.1.1/8',
    'example.com',
    '2001:db8::/129',
    '10.0.0.0/8 ',
    '10.0.0.0/1e1'
  ]
  for (const text of bad) t.equal(parseNetwork(text), null, text)
  t.equal(isAllowed('203.0.113.9', []), true)
  t.equal(isAllowed('::ffff:10.1.2.3', ['10.0.0.0/8']), true)
  t.equal(isAllowed('11.1.2.3', ['10.0.0.0/8']), false)
})

t.test('the depth of JSON counts brackets, but not those inside strings', async (t) => {
  const cases: [string, number][] = [
    ['1', 0],
    ['[]', 1],
    ['{"a":[{"b":1}]}', 3],
    ['"[[[["', 0],
    ['["\\"[[[["]', 1],
    ['["\\\\",[1]]', 2],
    ['[[],[],[]]', 2]
  ]
  for (const [text, depth] of cases) t.equal(depthOf(text), depth, text)
})

t.test('a valid request id is kept, and an invalid one is replaced', async (t) => {
  t.equal(requestIdOf('a.B_c-1'), 'a.B_c-1')
  for (const bad of [undefined, '', 'a b', 'x'.repeat(65), ['a', 'b'], 'a\nb']) t.match(requestIdOf(bad), /^[0-9a-f-]{36}$/)
})

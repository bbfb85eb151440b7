/**
 * Tests of missing, malformed, expired, revoked and foreign credentials on every route, and of
 * allowed networks. What valid credentials may do is tested in rights.test.ts.
 */
import t from 'tap'
import { type Endpoint, type EndpointId, endpoints, type Scope } from '../../../schemas/http/endpoints.ts'
import { mintApiToken } from '../../../services/credentials/credentials.ts'
import { login, PASSWORD, type Stand, stand, type Workspace } from './stand.ts'

const table = Object.entries(endpoints) as [EndpointId, Endpoint][]
const guarded = table.filter(([, { auth }]) => auth === 'token_or_session')
const pathOf = ({ path }: Endpoint): string => path.replace('{id}', '01890000-0000-7000-8000-000000000000')

type Wanted = { scopes?: Scope[]; allowed_cidrs?: string[] }

async function tokenOf(s: Stand, who: Workspace, wanted: Wanted): Promise<{ id: string; token: string }> {
  const answer = await s.call(who, 'POST', '/api/v1/workspace/tokens', { name: 'test', ...wanted })
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

t.test('credentials', async (t) => {
  const s = await stand(t)

  await t.test('bad credentials are refused on every route', async (t) => {
    const expired = await tokenOf(s, s.acme, { scopes: ['admin'] })
    await s.systemPool.query("UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE token_id = $1", [expired.id])
    const revoked = await tokenOf(s, s.acme, { scopes: ['admin'] })
    t.equal((await s.call(s.acme, 'DELETE', `/api/v1/workspace/tokens/${revoked.id}`)).statusCode, 204)
    const unknown = mintApiToken().value
    const { cookie } = await login(s, s.acme.email)
    const cases: [string, Record<string, string>, string][] = [
      ['none', {}, 'UNAUTHENTICATED'],
      ['garbled', { authorization: 'Bearer service_nothex' }, 'UNAUTHENTICATED'],
      ['empty', { authorization: '' }, 'UNAUTHENTICATED'],
      ['another scheme', { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }, 'UNAUTHENTICATED'],
      ['no scheme', { authorization: s.acme.token }, 'UNAUTHENTICATED'],
      ['unknown', { authorization: `Bearer ${unknown}` }, 'UNAUTHENTICATED'],
      ['one character more', { authorization: `Bearer ${s.acme.token}0` }, 'UNAUTHENTICATED'],
      ['of another kind: integration', { authorization: `Bearer ${s.acme.door}` }, 'UNAUTHENTICATED'],
      ['of another kind: prober', { authorization: `Bearer prober_${'0'.repeat(64)}` }, 'UNAUTHENTICATED'],
      ['of another kind: the session', { authorization: `Bearer ${cookie.split('=')[1]}` }, 'UNAUTHENTICATED'],
      ['a JWT', { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' }, 'UNAUTHENTICATED'],
      ['an unknown session', { cookie: `service_session=${'x'.repeat(43)}` }, 'UNAUTHENTICATED'],
      ['a garbled session', { cookie: "service_session=';DROP TABLE sessions" }, 'UNAUTHENTICATED'],
      ['the token as a session', { cookie: `service_session=${s.acme.token}` }, 'UNAUTHENTICATED'],
      ['expired', { authorization: `Bearer ${expired.token}` }, 'TOKEN_EXPIRED_OR_REVOKED'],
      ['revoked', { authorization: `Bearer ${revoked.token}` }, 'TOKEN_EXPIRED_OR_REVOKED'],
      ['garbled, beside a cookie that would do', { authorization: 'Bearer x', cookie }, 'UNAUTHENTICATED']
    ]
    const wrong: string[] = []
    let from = 0
    for (const [id, endpoint] of guarded) {
      for (const [name, headers, code] of cases) {
        // Each request comes from another address, because guessing from one address is throttled.
        const remoteAddress = `10.1.${++from >> 8}.${from & 255}`
        const answer = await s.call(null, endpoint.method, pathOf(endpoint), undefined, { headers, remoteAddress })
        const body = answer.json()
        const asDocumented =
          answer.statusCode === 401 &&
          body.code === code &&
          body.request_id === answer.headers['x-request-id'] &&
          /^Bearer/.test(String(answer.headers['www-authenticate']))
        if (!asDocumented) wrong.push(`${id}, ${name}: ${answer.statusCode} ${answer.body}`)
      }
    }
    t.same(wrong, [], `${guarded.length} routes, ${cases.length} credentials`)

    const refused: string[] = []
    for (const [id, endpoint] of guarded) {
      if ((await s.call(s.acme, endpoint.method, pathOf(endpoint))).statusCode === 401) refused.push(id)
    }
    t.same(refused, [], 'the good one is let in by each, so the matrix can fail')

    const logged = s.logged()
    for (const secret of [s.acme.token, s.acme.door, unknown, expired.token, revoked.token, cookie, PASSWORD])
      t.notOk(logged.includes(secret))
  })

  await t.test('a token bound to networks is refused elsewhere', async (t) => {
    const { token } = await tokenOf(s, s.acme, { scopes: ['read'], allowed_cidrs: ['192.0.2.0/24', '2001:db8::/32', '203.0.113.7'] })
    const from = async (remoteAddress: string) => s.call(token, 'GET', '/api/v1/workspace', undefined, { remoteAddress })
    for (const address of ['192.0.2.44', '::ffff:192.0.2.44', '2001:db8:1::1', '203.0.113.7'])
      t.equal((await from(address)).statusCode, 200, address)
    for (const address of ['203.0.113.8', '2001:db9::1', '127.0.0.1', '::1'])
      t.equal((await from(address)).json().code, 'IP_NOT_ALLOWED', address)
  })
})

t.test('token guesses are limited per address, and other addresses are not affected', async (t) => {
  const s = await stand(t, { now: () => 0 })
  const statuses: number[] = []
  for (let i = 0; i < 102; i++) {
    statuses.push((await s.call(mintApiToken().value, 'GET', '/api/v1/account', undefined, { remoteAddress: '10.4.0.1' })).statusCode)
  }
  t.same([...new Set(statuses.slice(0, 100))], [401])
  t.same(statuses.slice(100), [429, 429])
  t.equal((await s.call(s.acme, 'GET', '/api/v1/account', undefined, { remoteAddress: '10.4.0.2' })).statusCode, 200)
})

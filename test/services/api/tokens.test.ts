/**
 * Tests of tokens of other people: nobody else sees their value, who may narrow them, and which
 * rights a token that creates tokens may give away.
 */
import t from 'tap'
import { as, audited, type Person, person } from './people.ts'
import { type Stand, stand } from './stand.ts'

const TOKENS = '/api/v1/workspace/tokens'
const DAY = 86_400_000
const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString()

interface Made {
  id: string
  token: string
}

async function made(s: Stand, who: Person | string, body: object): Promise<Made> {
  const answer = typeof who === 'string' ? await s.call(who, 'POST', TOKENS, body) : await as(s, who, 'POST', TOKENS, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

t.test('tokens of other members', async (t) => {
  const s = await stand(t)
  const ada = await person(s, s.acme, 'ada', 'admin')
  const ben = await person(s, s.acme, 'ben', 'admin')
  const read = async (id: string) =>
    (await s.call(s.acme, 'GET', `${TOKENS}?per_page=200`)).json().items.find((item: { id: string }) => item.id === id)

  await t.test('an admin cannot change, rotate or revoke a token of an owner', async (t) => {
    const theirs = await made(s, s.acme.token, { name: 'nightly report', scopes: ['read'] })
    const before = await read(theirs.id)
    const attempts: [string, string, object | undefined][] = [
      ['PATCH', `${TOKENS}/${theirs.id}`, { scopes: ['admin'] }],
      ['PATCH', `${TOKENS}/${theirs.id}`, { scopes: ['read'], name: 'mine now' }],
      ['PATCH', `${TOKENS}/${theirs.id}`, { expires_at: inDays(1) }],
      ['POST', `${TOKENS}/${theirs.id}/rotate`, undefined],
      ['DELETE', `${TOKENS}/${theirs.id}`, undefined]
    ]
    const { token: adasToken } = await made(s, ada, { name: 'of ada', scopes: ['admin'] })
    for (const [method, path, body] of attempts) {
      const answers = [await as(s, ada, method, path, body), await s.call(adasToken, method, path, body)]
      for (const answer of answers) {
        t.equal(answer.statusCode, 403, `${method} ${path} ${JSON.stringify(body)}: ${answer.body}`)
        t.match(answer.json(), { code: 'FORBIDDEN', error: /owner/ })
        t.notMatch(answer.body, /service_[0-9a-f]{64}/)
      }
    }
    t.same(await read(theirs.id), before, 'nothing of it changed')
    t.equal((await s.call(theirs.token, 'GET', '/api/v1/workspace')).statusCode, 200, 'and its value is still the one')
  })

  await t.test('only the owner of a token can rotate it', async (t) => {
    const bens = await made(s, ben, { name: 'of ben', scopes: ['read'] })
    for (const answer of [
      await s.call(s.acme, 'POST', `${TOKENS}/${bens.id}/rotate`),
      await as(s, ada, 'POST', `${TOKENS}/${bens.id}/rotate`)
    ]) {
      t.equal(answer.statusCode, 403)
      t.match(answer.json(), { code: 'FORBIDDEN', error: /Only the owner of a token is given its value/ })
    }
    const rotated = await as(s, ben, 'POST', `${TOKENS}/${bens.id}/rotate`)
    t.equal(rotated.statusCode, 200)
    t.match(rotated.json().token, /^service_/)
    t.same(await audited(s, s.acme.tenant_id, bens.id), ['api_token.created', 'api_token.rotated'])
  })

  await t.test('an admin may narrow or revoke the token of another member, but not widen or rename it', async (t) => {
    const body = { name: 'of ben', scopes: ['read', 'write'], expires_at: inDays(30), allowed_cidrs: ['192.0.2.0/24'] }
    const { id } = await made(s, ben, body)
    const path = `${TOKENS}/${id}`
    const wider: object[] = [
      { scopes: ['read', 'write', 'incidents:act'] },
      { scopes: ['admin'] },
      { expires_at: inDays(31) },
      { expires_at: null },
      { allowed_cidrs: [] },
      { allowed_cidrs: ['192.0.0.0/16'] },
      { allowed_cidrs: ['192.0.2.0/24', '198.51.100.7'] },
      { name: 'renamed' }
    ]
    for (const change of wider) {
      const answer = await as(s, ada, 'PATCH', path, change)
      t.equal(answer.statusCode, 403, JSON.stringify(change))
      t.match(answer.json(), { code: 'FORBIDDEN', details: [{ path: Object.keys(change)[0] }] }, 'which of them it was')
    }
    const narrower: object[] = [body, { scopes: ['read'] }, { expires_at: inDays(3) }, { allowed_cidrs: ['192.0.2.7', '192.0.2.128/25'] }]
    for (const change of narrower) t.equal((await as(s, ada, 'PATCH', path, change)).statusCode, 200, JSON.stringify(change))
    t.match(await read(id), { scopes: ['read'], allowed_cidrs: ['192.0.2.7', '192.0.2.128/25'] })
    t.equal((await as(s, ben, 'PATCH', path, { ...body, name: 'mine again' })).statusCode, 200, 'its owner may widen it again')
    t.equal((await as(s, ada, 'DELETE', path)).statusCode, 204)
    t.equal((await as(s, ada, 'DELETE', path)).statusCode, 404)
  })

  await t.test('rights on a token follow the current role of its owner', async (t) => {
    const cleo = await person(s, s.acme, 'cleo', 'admin')
    const { id } = await made(s, cleo, { name: 'of cleo', scopes: ['read', 'write'] })
    const role = (to: string) => s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${cleo.user_id}`, { role: to })
    t.equal((await role('owner')).statusCode, 200)
    t.equal((await as(s, ada, 'PATCH', `${TOKENS}/${id}`, { scopes: ['read'] })).statusCode, 403)
    t.equal((await as(s, ada, 'DELETE', `${TOKENS}/${id}`)).statusCode, 403)
    t.equal((await role('viewer')).statusCode, 200)
    t.equal((await as(s, ada, 'PATCH', `${TOKENS}/${id}`, { scopes: ['read'] })).statusCode, 200)
    t.equal((await as(s, cleo, 'POST', `${TOKENS}/${id}/rotate`)).statusCode, 403, 'who may not manage tokens rotates none')
    t.equal((await as(s, ada, 'DELETE', `${TOKENS}/${id}`)).statusCode, 204)
  })

  await t.test('a token cannot get a scope that the role of its owner lacks', async (t) => {
    const refused = await as(s, ada, 'POST', TOKENS, { name: 'books', scopes: ['read', 'billing'] })
    t.equal(refused.statusCode, 403)
    t.match(refused.json(), { code: 'FORBIDDEN', details: [{ path: 'scopes[1]', needed: { scope: 'billing', role: 'billing' } }] })
    const { id } = await made(s, ada, { name: 'no books', scopes: ['read'] })
    t.equal((await as(s, ada, 'PATCH', `${TOKENS}/${id}`, { scopes: ['billing'] })).statusCode, 403)
    t.equal((await s.call(s.acme, 'POST', TOKENS, { name: 'books', scopes: ['billing'] })).statusCode, 201, 'an owner has it')
  })

  await t.test('a limited token cannot create, widen or rotate a token beyond its own limits', async (t) => {
    const bound = await made(s, s.acme.token, {
      name: 'for ten days from here',
      scopes: ['admin'],
      expires_at: inDays(10),
      allowed_cidrs: ['127.0.0.0/8', '192.0.2.0/24']
    })
    const wide = await made(s, s.acme.token, { name: 'for ever from everywhere', scopes: ['read'] })
    const refused: [string, string, object][] = [
      ['POST', TOKENS, { name: 'x', expires_at: null }],
      ['POST', TOKENS, { name: 'x', expires_at: inDays(11) }],
      ['POST', TOKENS, { name: 'x', allowed_cidrs: [] }],
      ['POST', TOKENS, { name: 'x', allowed_cidrs: ['127.0.0.1', '10.0.0.0/8'] }],
      ['PATCH', `${TOKENS}/${bound.id}`, { expires_at: inDays(11) }],
      ['PATCH', `${TOKENS}/${bound.id}`, { expires_at: null }],
      ['PATCH', `${TOKENS}/${bound.id}`, { allowed_cidrs: [] }],
      ['POST', `${TOKENS}/${wide.id}/rotate`, {}]
    ]
    for (const [method, path, body] of refused) {
      const answer = await s.call(bound.token, method, path, body)
      t.equal(answer.statusCode, 403, `${method} ${path} ${JSON.stringify(body)}: ${answer.body}`)
      t.match(answer.json(), { code: 'FORBIDDEN', error: /token/ })
    }
    const child = await s.call(bound.token, 'POST', TOKENS, { name: 'child' })
    t.equal(child.statusCode, 201, child.body)
    const { expires_at, allowed_cidrs } = await read(bound.id)
    t.match(child.json(), { expires_at, allowed_cidrs }, 'what is not said is as the token that asks has it')
    t.equal((await s.call(bound.token, 'PATCH', `${TOKENS}/${wide.id}`, { name: 'renamed' })).statusCode, 200)
    t.equal((await s.call(bound.token, 'POST', `${TOKENS}/${bound.id}/rotate`)).statusCode, 200, 'itself')
  })
})

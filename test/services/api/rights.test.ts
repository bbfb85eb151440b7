/**
 * Tests of who may do what over REST. For a person of each role, with a session and with a token of
 * each scope, every route answers as docs/rights.md says. The feed is checked item by item.
 */

import t from 'tap'
import { type Endpoint, endpoints, type MemberRole, roles, scopes } from '../../../schemas/http/endpoints.ts'
import { feedCategories } from '../../../schemas/http/feed.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { mintApiToken, mintSession } from '../../../services/credentials/credentials.ts'
import { insertApiToken } from '../../../services/store/api-tokens.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { insertSession } from '../../../services/store/sessions.ts'
import { type Credential, passes, rightsTable } from '../../harness/rights-table.ts'
import { ORIGIN, type Stand, stand, type Workspace } from './stand.ts'

const table = rightsTable()
const rows: readonly Endpoint[] = Object.values(endpoints)
const guarded = rows.filter(({ auth }) => auth === 'token_or_session' || auth === 'session')
const FEED = '/api/v1/notifications/feed'
const anId = '01890000-0000-7000-8000-000000000000'
const ok = (statusCode: number): boolean => statusCode >= 200 && statusCode < 300

interface Holder {
  role: MemberRole
  credential: Credential
  user_id: string
  headers: Record<string, string>
}

/**
 * Creates a person of each role, with a session and a token of each scope. This includes scopes
 * that the role does not have, since the person may have had another role before.
 */
async function holders(s: Stand, { tenant_id }: Workspace): Promise<Holder[]> {
  const all: Holder[] = []
  for (const role of roles) {
    const user_id = uuidv7()
    await s.systemPool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, '-')", [
      user_id,
      `${role}@roles.test`,
      role
    ])
    await s.systemPool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
    await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
      const { value, sha256 } = mintSession()
      await insertSession(tx, tenant_id, { sha256, user_id, ip: '127.0.0.1', user_agent: null, remembered: false })
      all.push({ role, credential: 'session', user_id, headers: { cookie: `service_session=${value}`, origin: ORIGIN } })
      for (const scope of scopes) {
        const minted = mintApiToken()
        const settings = { name: scope, scopes: [scope], expires_at: null, allowed_cidrs: [] }
        await insertApiToken(tx, tenant_id, { ...settings, user_id, sha256: minted.sha256, prefix: minted.prefix })
        all.push({ role, credential: scope, user_id, headers: { authorization: `Bearer ${minted.value}` } })
      }
    })
  }
  return all
}

t.test('the table of rights', async (t) => {
  const s = await stand(t)
  const all = await holders(s, s.acme)
  t.equal(all.length, roles.length * (scopes.length + 1))

  await t.test('the table of rights names every route', async (t) => {
    const named = new Set(table.keys())
    t.same(
      guarded.map(({ method, path }) => `${method} ${path}`).filter((name) => !named.has(name)),
      []
    )
  })

  await t.test('the table of rights holds for every route, role and credential, and no shared cache may keep an answer', async (t) => {
    const wrong: string[] = []
    let passed = 0
    for (const endpoint of guarded) {
      const { method, auth } = endpoint
      const path = endpoint.path.replaceAll(/\{\w+\}/g, anId)
      for (const { role, credential, headers } of all) {
        const may = passes(table, `${method} ${endpoint.path}`, role, credential)
        if (may) passed += 1
        const answer = await s.call(null, method, path, method === 'GET' ? undefined : {}, { headers })
        const { code } = answer.body === '' ? { code: '' } : answer.json()
        const onlyReads = credential === 'read' || credential === 'data:read'
        const refusal = onlyReads && endpoint.scope !== 'read' ? 'READ_ONLY_TOKEN' : 'FORBIDDEN'
        const asDocumented = may
          ? answer.statusCode !== 401 && answer.statusCode !== 403
          : auth === 'session' && credential !== 'session'
            ? answer.statusCode === 401
            : answer.statusCode === 403 && code === refusal
        const caching = answer.headers['cache-control']
        if (caching !== (endpoint.no_store ? 'no-store' : 'private, no-cache')) wrong.push(`${method} ${path} is cached: ${caching}`)
        if (!asDocumented) wrong.push(`${role}, ${credential}: ${method} ${path}: ${answer.statusCode} ${code}`)
      }
    }
    t.same(wrong, [])
    t.ok(passed > 500 && passed < guarded.length * all.length, `${passed} of ${guarded.length * all.length} pass: it can fail both ways`)
  })

  await t.test('the table of rights holds for every item of the feed', async (t) => {
    const items = new Map<string, string>()
    for (const user_id of new Set(all.map((holder) => holder.user_id))) {
      for (const category of feedCategories) {
        const item_id = uuidv7()
        items.set(`${user_id} ${category}`, item_id)
        await s.systemPool.query(
          `INSERT INTO feed (tenant_id, user_id, item_id, type, category, severity, title, body) VALUES ($1, $2, $3, $4, $5, 'info', 'x', '')`,
          [s.acme.tenant_id, user_id, item_id, category, category]
        )
      }
    }
    const wrong: string[] = []
    for (const { role, credential, user_id, headers } of all) {
      const visible = feedCategories.filter((category) => passes(table, `own feed items: ${category}`, role, credential))
      const get = (path: string) => s.call(null, 'GET', path, undefined, { headers })
      const list = await get(FEED)
      if (!ok(list.statusCode)) {
        if (visible.length > 0) wrong.push(`${role}, ${credential}: ${list.body}`)
        continue
      }
      const categories = (answer: typeof list): string => (answer.json().items as { category: string }[]).map((one) => one.category).join()
      const expected = [...visible].reverse().join() // Newest first.
      if (categories(list) !== expected || list.json().total !== visible.length)
        wrong.push(`${role}, ${credential} sees ${categories(list)}`)
      for (const category of feedCategories) {
        const asked = categories(await get(`${FEED}?category=${category}`))
        if (asked !== (visible.includes(category) ? category : '')) wrong.push(`${role}, ${credential} asks for ${category}: ${asked}`)
      }
      const { total, by_category } = (await get(`${FEED}/unread-count`)).json()
      const counted = feedCategories.filter((category) => by_category[category] > 0)
      if (total !== visible.length || counted.join() !== visible.join()) wrong.push(`${role}, ${credential} counts ${counted.join()}`)
      if (credential !== 'session') continue
      const post = (path: string, body: object = {}) => s.call(null, 'POST', path, body, { headers })
      for (const category of feedCategories) {
        const id = items.get(`${user_id} ${category}`)
        const statuses = [(await post(`${FEED}/${id}/read`)).statusCode, (await post(`${FEED}/${id}/unread`)).statusCode]
        const status = visible.includes(category) ? 200 : 404
        if (statuses.some((one) => one !== status)) wrong.push(`${role} marks ${category}: ${statuses}`)
      }
    }
    for (const { role, headers, user_id } of all.filter(({ credential }) => credential === 'session')) {
      const visible = feedCategories.filter((category) => passes(table, `own feed items: ${category}`, role, 'session'))
      const { changed } = (await s.call(null, 'POST', `${FEED}/read-all`, {}, { headers })).json()
      const { rows: left } = await s.systemPool.query('SELECT category FROM feed WHERE user_id = $1 AND read_at IS NULL', [user_id])
      if (changed !== visible.length || left.length !== feedCategories.length - visible.length) wrong.push(`${role} marks all: ${changed}`)
    }
    t.same(wrong, [])
  })

  await t.test('a token that may only read, or only send, changes nothing else', async (t) => {
    // Questions with a body, and the end of one's own back-test.
    const questions = [
      'POST /api/v1/routing-rules/test',
      'POST /api/v1/routing-rules/backtest',
      'DELETE /api/v1/routing-rules/backtests/{id}',
      'POST /api/v1/notifications/templates/preview',
      'POST /api/v1/on-call/escalation-policies/{id}/simulate'
    ]
    const doors = ['POST /api/v1/alerts', 'POST /api/v1/monitors/{id}/results']
    const open = (credential: Credential): string[] =>
      guarded.map(({ method, path }) => `${method} ${path}`).filter((name) => roles.some((role) => passes(table, name, role, credential)))
    const whoAmI = 'GET /api/v1/auth/session'
    t.same(new Set(open('read').filter((name) => !name.startsWith('GET '))), new Set(questions))
    t.same(new Set(open('ingest')), new Set([whoAmI, ...doors]), 'it does not read either')
    t.same(open('data:read'), [whoAmI])
  })

  await t.test('a read-only token cannot change how its owner is reached', async (t) => {
    const PREFERENCES = '/api/v1/notifications/preferences'
    const DEVICES = '/api/v1/notifications/devices'
    const headersOf = (credential: Credential) =>
      all.find((holder) => holder.role === 'owner' && holder.credential === credential)?.headers ?? {}
    const call = (credential: Credential, method: string, path: string, body?: object) =>
      s.call(null, method, path, body, { headers: headersOf(credential) })
    const contact_methods = [{ kind: 'email', address: 'owner@roles.test' }]
    const put = await call('session', 'PUT', PREFERENCES, { contact_methods })
    t.equal(put.statusCode, 200, put.body)
    const [{ id }] = put.json().contact_methods
    const attempts: [string, string, object?][] = [
      ['PUT', PREFERENCES, { contact_methods: [] }],
      ['POST', DEVICES, { platform: 'android', push_token: 'somebody-else'.repeat(3) }],
      ['DELETE', `${DEVICES}/${id}`],
      ['POST', `/api/v1/notifications/methods/${id}/test`, {}]
    ]
    for (const credential of ['read', 'data:read', 'ingest'] as const)
      for (const [method, path, body] of attempts) {
        const code = credential === 'ingest' ? 'FORBIDDEN' : 'READ_ONLY_TOKEN'
        t.match((await call(credential, method, path, body)).json(), { code }, `${credential}: ${method} ${path}`)
      }
    t.same((await call('read', 'GET', PREFERENCES)).json(), put.json())
    for (const credential of ['write', 'incidents:act', 'admin'] as const)
      t.equal((await call(credential, 'PUT', PREFERENCES, {})).statusCode, 200, credential)
    t.equal((await call('ingest', 'GET', PREFERENCES)).statusCode, 403, 'a token that only sends does not learn numbers')
  })

  await t.test('a read-only token cannot change the account of its owner', async (t) => {
    const [reader] = all.filter(({ role, credential }) => role === 'owner' && credential === 'read')
    const before = (await s.call(null, 'GET', '/api/v1/account', undefined, { headers: reader?.headers ?? {} })).json()
    for (const credential of ['read', 'data:read', 'ingest'] as const) {
      const [{ headers } = { headers: {} }] = all.filter((one) => one.role === 'owner' && one.credential === credential)
      const answer = await s.call(null, 'PATCH', '/api/v1/account', { name: 'Somebody else', locale: 'de' }, { headers })
      t.match(answer.json(), { code: credential === 'ingest' ? 'FORBIDDEN' : 'READ_ONLY_TOKEN' })
    }
    t.same((await s.call(null, 'GET', '/api/v1/account', undefined, { headers: reader?.headers ?? {} })).json(), before)
  })
})

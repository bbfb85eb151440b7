/**
 * Who receives what on a socket: a session and a token of each scope, of a person of each role,
 * receive every kind of frame as docs/rights.md says. An open socket follows a change of either.
 */

import t from 'tap'
import { WebSocket } from 'ws'
import { channels } from '../../../schemas/http/channels.ts'
import { type MemberRole, roles, scopes } from '../../../schemas/http/endpoints.ts'
import { feedCategories } from '../../../schemas/http/feed.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { updateRole } from '../../../services/store/members.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { type Credential, passes, rightsTable } from '../../harness/rights-table.ts'
import { type Client, gatewayStack, PUBLIC_URL, record } from './stack.ts'

t.setTimeout(300_000)

const table = rightsTable()
const shared = await gatewayStack(t)

interface Holder {
  role: MemberRole
  credential: Credential
  user_id: string
  query: string
  headers: Record<string, string>
}

t.test('the table of rights holds for every frame, role and credential', async (t) => {
  const { connect, refused, workspace, sendAll } = shared
  const acme = await workspace('enterprise')
  const all: Holder[] = []
  for (const role of roles) {
    for (const [nth, scope] of scopes.entries()) {
      const { user_id, token, session } = await acme.member(role, [scope])
      all.push({ role, credential: scope, user_id, query: `?token=${token}&channels=${channels.join()}`, headers: {} })
      const cookie = `service_session=${session}`
      if (nth === 0)
        all.push({ role, credential: 'session', user_id, query: `?channels=${channels.join()}`, headers: { cookie, origin: PUBLIC_URL } })
    }
  }
  const wrong: string[] = []
  const open: (Holder & { client: Client })[] = []
  for (const holder of all) {
    const { role, credential, query, headers } = holder
    if (passes(table, 'a socket', role, credential)) {
      open.push({ ...holder, client: await connect(query, headers) })
      continue
    }
    const { status, body } = await refused(query, headers)
    if (status !== 403 || body.code !== 'FORBIDDEN') wrong.push(`${role}, ${credential}: ${status}`)
  }
  t.ok(open.length >= 2 * roles.length && open.length < all.length, `${open.length} of ${all.length} are let in`)

  /** A line of the table, and the frame it is about; for the feed, one for each person. */
  const frames: [line: string, type: string, audience: string][] = [
    ['frames of monitors.status', 'incident.created', 'tenant'],
    ['frames of monitors.status', 'monitor.status_changed', 'tenant'],
    ['those of a private team', 'incident.created', 'team:red'],
    ['frames of heartbeats.status', 'heartbeat.ping_received', 'tenant'],
    ['frames of oncall', 'oncall.changed', 'tenant'],
    ['frames without a channel', 'weather.changed', 'tenant']
  ]
  const lines = [...frames.map(([line]) => line), ...feedCategories.map((category) => `own feed items: ${category}`)]
  const END = lines.length
  await sendAll([
    ...frames.map(([, type, audience], ver) => record(acme.tenant_id, { type, audience, ver, aggregate: `any:${ver}` })),
    ...[...new Set(open.map(({ user_id }) => user_id))].flatMap((user_id) =>
      [...feedCategories, 'billing'].map((category, nth) =>
        record(acme.tenant_id, {
          type: 'notification.created',
          audience: `user:${user_id}`,
          category,
          ver: frames.length + nth,
          aggregate: `feed:${user_id} ${nth}`
        })
      )
    )
  ])
  for (const { role, credential, client } of open) {
    let heard = await client.next('notification.created')
    while (heard.ver !== END) heard = await client.next('notification.created')
    const got = client.frames.filter(({ channel }) => channel !== 'system').map(({ ver }) => ver)
    for (const [ver, line] of lines.entries()) {
      const times = got.filter((one) => one === ver).length
      if (times !== (passes(table, line, role, credential) ? 1 : 0)) wrong.push(`${role}, ${credential}: ${line}: ${times} times`)
    }
  }
  t.same(wrong, [])
})

t.test('a billing member gets only the feed, and hello says so', async (t) => {
  const { connect, workspace, send } = shared
  const acme = await workspace()
  const books = await acme.member('billing')
  const session = { cookie: `service_session=${books.session}`, origin: PUBLIC_URL }
  const all = await connect('', session)
  t.same(all.frames[0]?.data.channels, ['notifications.feed'])
  const some = await connect('?channels=monitors.status', session)
  t.same(some.frames[0]?.data.channels, [], 'nothing of what it asked for')
  some.socket.send('{"action":"subscribe","channels":["monitors.status","notifications.feed"]}')
  t.same((await some.next('hello')).data.channels, ['notifications.feed'])
  await send(acme.tenant_id, { type: 'incident.created' })
  const item = { type: 'notification.created', audience: `user:${books.user_id}`, aggregate: 'feed:1', category: 'billing' }
  await send(acme.tenant_id, item)
  for (const one of [all, some]) {
    await one.next('notification.created')
    t.notOk(one.frames.some(({ type }) => type === 'incident.created'))
  }
})

t.test('an open socket follows a change of role or scopes', async (t) => {
  const { pool, connect, workspace, send } = shared
  const acme = await workspace()
  const become = (user_id: string, role: MemberRole) =>
    tenantTransaction(pool, wholeWorkspace(acme.tenant_id), (tx) => updateRole(tx, acme.tenant_id, user_id, role))
  const rescope = (token: string, wanted: string[]) =>
    pool.query("UPDATE api_tokens SET scopes = $2 WHERE token_sha256 = sha256(convert_to($1, 'UTF8'))", [token, wanted])
  const stays = await connect(`?token=${acme.token}`)

  const less = await acme.member('owner', ['admin'])
  const narrowed = [
    await connect(`?token=${less.token}`),
    await connect('', { cookie: `service_session=${less.session}`, origin: PUBLIC_URL })
  ]
  await become(less.user_id, 'billing')
  for (const socket of narrowed) t.match(await socket.closed, { code: 4403 }, 'a role that no longer reads')
  const again = await connect(`?token=${less.token}`)
  t.same(again.frames[0]?.data.channels, ['notifications.feed'], 'who comes again hears what is left')

  await become(less.user_id, 'viewer')
  const more = await again.next('hello')
  t.same(more.data.channels, ['monitors.status', 'heartbeats.status', 'notifications.feed'], 'a role that reads is heard of at once')
  await send(acme.tenant_id, { type: 'incident.created' })
  await again.next('incident.created')
  await send(acme.tenant_id, { type: 'incident.updated', ver: 2, audience: 'team:red' })
  await send(acme.tenant_id, { type: 'incident.resolved', ver: 3 })
  await again.next('incident.resolved')
  t.notOk(
    again.frames.some(({ type }) => type === 'incident.updated'),
    'as a viewer hears it'
  )

  for (const left of [['write'], ['billing'], ['ingest', 'incidents:act']]) {
    const { token } = await acme.member('owner', ['read', 'write'])
    const socket = await connect(`?token=${token}`)
    await rescope(token, left)
    t.match(await socket.closed, { code: 4403 }, `scopes ${left}`)
  }
  const { token } = await acme.member('admin', ['read', 'write'])
  const kept = await connect(`?token=${token}`)
  await rescope(token, ['read'])
  await send(acme.tenant_id, { type: 'incident.created', ver: 1, aggregate: 'incident:last' })
  for (const socket of [kept, stays]) {
    await socket.next('incident.created')
    t.equal(socket.socket.readyState, WebSocket.OPEN)
  }
})

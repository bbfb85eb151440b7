/** Sockets of real clients: who receives which frame, and how. */
import { connect as connectTcp } from 'node:net'
import t from 'tap'
import { kafkaProxy } from '../../harness/kafka-proxy.ts'
import { until } from '../../harness/until.ts'
import { type Client, gatewayStack, handshake, PUBLIC_URL, record } from './stack.ts'

t.setTimeout(300_000)

// One gateway is shared by all tests that need no other: each test has workspaces of its own.
const shared = await gatewayStack(t)

t.test('a frame reaches every socket of its workspace and no other, with its cursor', async (t) => {
  const { connect, workspace, send, metric } = shared
  const [a, b] = [await workspace(), await workspace()]
  const one = await connect(`?token=${a.token}`)
  const two = await connect('', { cookie: `theme=dark; service_session=${(await a.member('viewer')).session}`, origin: PUBLIC_URL })
  const stranger = await connect(`?token=${b.token}`)
  await send(a.tenant_id, { type: 'incident.created', ver: 1 })
  const frame = await one.next('incident.created')
  t.same(frame.data, { tenant_id: a.tenant_id })
  t.match(frame.id, /^[A-Za-z0-9_-]{22}$/)
  t.equal((await two.next('incident.created')).id, frame.id, 'one record, one cursor')
  await send(b.tenant_id, { type: 'incident.created', ver: 1, aggregate: 'incident:b' })
  await stranger.next('incident.created')
  await send(a.tenant_id, { type: 'incident.resolved', ver: 2 })
  const resolved = await one.next('incident.resolved')
  t.not(resolved.id, frame.id)
  for (const { frames } of [one, two, stranger]) {
    const tenants = new Set(frames.filter(({ type }) => type !== 'hello').map(({ data }) => data.tenant_id))
    t.equal(tenants.size, 1)
  }
  t.equal(stranger.frames.length, 2)
  const late = await connect(`?token=${a.token}`)
  t.equal(late.frames[0]?.data.cursor, resolved.id, 'hello says how far the stream is')
  t.equal(await metric('service_gateway_sockets'), 4)
  t.equal(await metric('service_gateway_frames_total'), 3)
})

t.test('a socket whose credential had to be looked up stays open', async (t) => {
  const { connect, workspace, send } = shared
  const acme = await workspace()
  const clients: Client[] = []
  for (let n = 0; n < 20; n++) clients.push(await connect(`?token=${(await acme.member('viewer')).token}`))
  await send(acme.tenant_id, { type: 'incident.created' })
  for (const one of clients) await one.next('incident.created')
  t.ok(clients.every(({ socket }) => socket.readyState === socket.OPEN))
})

t.test('hello is the first frame and lists the channels and limits of the socket', async (t) => {
  const { connect, workspace } = shared
  const { token } = await workspace('pro')
  const all = await connect(`?token=${token}`)
  t.match(all.frames[0], {
    channel: 'system',
    type: 'hello',
    data: {
      server_time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
      channels: ['monitors.status', 'heartbeats.status', 'notifications.feed'],
      limits: { open_sockets: 100, queued_bytes: 262_144, message_bytes: 4096, messages_per_second: 10, ping_seconds: 30 }
    }
  })
  // The cursor is that of the workspace's partition, which other workspaces may share. It is null
  // before the partition's first frame.
  t.match(String(all.frames[0]?.data.cursor), /^(null|[A-Za-z0-9_-]{22})$/)
  const some = await connect(`?token=${token}&channels=heartbeats.status,`)
  t.same(some.frames[0]?.data.channels, ['heartbeats.status'])
})

t.test('frames for a private team, a person and everybody reach the right sockets', async (t) => {
  const { connect, workspace, send } = shared
  const acme = await workspace()
  const viewer = await acme.member('viewer')
  const admin = await acme.member('admin')
  const sockets = {
    owner: await connect(`?token=${acme.token}`),
    admin: await connect(`?token=${admin.token}`),
    viewer: await connect(`?token=${viewer.token}`)
  }
  await send(acme.tenant_id, { type: 'incident.created', aggregate: 'incident:private', audience: 'team:red' })
  await send(acme.tenant_id, { type: 'notification.created', aggregate: 'feed:1', audience: `user:${viewer.user_id}` })
  await send(acme.tenant_id, { type: 'incident.resolved', aggregate: 'incident:public' })
  for (const socket of Object.values(sockets)) await socket.next('incident.resolved')
  const heard = Object.fromEntries(Object.entries(sockets).map(([who, { frames }]) => [who, frames.map(({ type }) => type)]))
  t.same(heard, {
    owner: ['hello', 'incident.created', 'incident.resolved'],
    admin: ['hello', 'incident.created', 'incident.resolved'],
    viewer: ['hello', 'notification.created', 'incident.resolved']
  })
})

t.test('a socket gets the channels it chose, and every frame without a channel', async (t) => {
  const { connect, workspace, send } = shared
  const { tenant_id, token } = await workspace()
  const socket = await connect(`?token=${token}&channels=heartbeats.status`)
  let ver = 0
  const round = async () => {
    socket.frames.length = 0
    for (const type of ['incident.created', 'heartbeat.ping_received', 'notification.created', 'weather.changed'])
      await send(tenant_id, { type, ver: ++ver, aggregate: `any:${ver}` })
    await until('the last', () => socket.frames.some(({ type }) => type === 'weather.changed'))
    return socket.frames.map(({ type }) => type)
  }
  t.same(await round(), ['heartbeat.ping_received', 'weather.changed'])
  socket.frames.length = 0
  socket.socket.send('{"action":"subscribe","channels":["monitors.status"]}')
  await until('hello', () => socket.frames.length === 1)
  t.same(socket.frames[0]?.data.channels, ['heartbeats.status', 'monitors.status'])
  t.same(await round(), ['incident.created', 'heartbeat.ping_received', 'weather.changed'])
  socket.frames.length = 0
  socket.socket.send('{"action":"unsubscribe","channels":["monitors.status","heartbeats.status"]}')
  await until('hello', () => socket.frames.length === 1)
  t.same(await round(), ['weather.changed'])
})

t.test('a frame that the relay sends again is published only once', async (t) => {
  const { connect, workspace, send, metric } = shared
  const { tenant_id, token } = await workspace()
  const socket = await connect(`?token=${token}`)
  for (const ver of [1, 2, 1, 2, 3]) await send(tenant_id, { type: 'incident.updated', ver })
  await send(tenant_id, { type: 'incident.resolved', ver: 4 })
  await socket.next('incident.resolved')
  t.same(
    socket.frames.filter(({ type }) => type === 'incident.updated').map(({ ver }) => ver),
    [1, 2, 3]
  )
  t.equal(await metric('service_gateway_repeats_total'), 2)
})

t.test('a record that is not a valid frame is skipped', async (t) => {
  const { connect, workspace, sendAll, metric } = shared
  const { tenant_id, token } = await workspace()
  const socket = await connect(`?token=${token}`)
  const good = record(tenant_id, { type: 'incident.created' })
  await sendAll([
    { ...good, value: Buffer.from('not a frame'), headers: { ...good.headers, aggregate: 'incident:1' } },
    { ...good, value: null, headers: { ...good.headers, aggregate: 'incident:2' } },
    { ...good, headers: {} },
    good
  ])
  await socket.next('incident.created')
  t.equal(socket.frames.length, 2)
  t.equal(await metric('service_gateway_unfit_frames_total'), 3)
})

t.test('frames of one fetch are sent in one write per socket', async (t) => {
  const { gateway, workspace, sendAll } = shared
  const { tenant_id, token } = await workspace()
  const chunks: Buffer[] = []
  const tcp = connectTcp(gateway.port, '127.0.0.1')
  t.teardown(() => tcp.destroy())
  tcp.on('data', (chunk) => chunks.push(chunk))
  tcp.write(handshake(token))
  await until('hello', () => Buffer.concat(chunks).includes('"hello"'))
  chunks.length = 0
  await sendAll(Array.from({ length: 20 }, (_, index) => record(tenant_id, { type: 'incident.created', ver: index + 1 })))
  await until('all frames', () => Buffer.concat(chunks).includes('"ver":20'))
  // A PING, or a message about the log, may come at any moment and is no frame of the fetch.
  t.equal(chunks.filter((chunk) => chunk.includes('incident.created')).length, 1)
})

t.test('while the log is away, sockets stay open, are notified and lose no frame', async (t) => {
  const cut: { proxy?: Awaited<ReturnType<typeof kafkaProxy>> } = {}
  const { gateway, connect, workspace, send } = await gatewayStack(t, {
    brokersOf: async ([broker = '']) => {
      cut.proxy = await kafkaProxy(t, broker)
      return [cut.proxy.address]
    }
  })
  const { tenant_id, token } = await workspace()
  const socket = await connect(`?token=${token}&channels=monitors.status`)
  await send(tenant_id, { type: 'incident.created', ver: 1 })
  await socket.next('incident.created')
  cut.proxy?.cut()
  const stale = await socket.next('stale')
  t.equal(stale.channel, 'system')
  t.match(stale.data.since, /^\d{4}-/)
  t.notOk(gateway.ready().frames)
  const late = await connect(`?token=${token}`)
  t.same((await late.next('stale')).data, stale.data)
  await send(tenant_id, { type: 'incident.resolved', ver: 2 })
  cut.proxy?.restore()
  for (const one of [socket, late]) {
    await one.next('resumed')
    t.match(await one.next('incident.resolved'), { ver: 2 }, 'what came meanwhile is not lost')
  }
  t.ok(gateway.ready().frames)
  t.equal(socket.frames.filter(({ type }) => type === 'stale').length, 1)
})

t.test('the gateway serves sockets before it can reach the log', async (t) => {
  const { gateway, connect, workspace } = await gatewayStack(t, { brokersOf: async () => ['127.0.0.1:1'], startMs: 50 })
  const { token } = await workspace()
  const socket = await connect(`?token=${token}`)
  await socket.next('stale')
  t.same(gateway.ready(), { gateway: true, frames: false, credentials: true })
})

t.test('until a slow broker has answered, the gateway says that frames do not flow', async (t) => {
  const slow: { proxy?: Awaited<ReturnType<typeof kafkaProxy>> } = {}
  const { gateway, connect, workspace } = await gatewayStack(t, {
    startMs: 50,
    brokersOf: async ([broker = '']) => {
      slow.proxy = await kafkaProxy(t, broker)
      slow.proxy.hold()
      return [slow.proxy.address]
    }
  })
  t.same(gateway.ready(), { gateway: true, frames: false, credentials: true })
  const { token } = await workspace()
  const socket = await connect(`?token=${token}`)
  const stale = await socket.next('stale')
  t.same(
    socket.frames.map(({ type }) => type),
    ['hello', 'stale']
  )
  slow.proxy?.release()
  t.same((await socket.next('resumed')).data, stale.data)
  t.ok(gateway.ready().frames)
})

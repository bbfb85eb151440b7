/**
 * No address field of a channel reaches an internal host. The tests try the hosts of the prober's
 * matrix, names whose DNS answer changes, and redirects. The fields of new channel kinds are tried
 * automatically. Needs no engines.
 */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Channel } from '../../../services/channels/channel.ts'
import { propertiesOf } from '../../../services/channels/config.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { createHttpSender } from '../../../services/delivery/http.ts'
import { performAttempt } from '../../../services/delivery/perform.ts'
import { createAddressGuard, type Resolve } from '../../../services/http/address-guard.ts'
import { ask, refused } from '../../harness/hostile-hosts.ts'
import { contracts } from '../channels/contract.ts'
import { deployment, message } from '../channels/messages.ts'

const written = await contracts()

/** The address fields of all channel kinds. `open`: the workspace chooses the host. */
const fields = Object.values(channels).flatMap((channel) =>
  Object.keys(propertiesOf(channel.config))
    .map((name) => ({ channel, name, open: channel.fields.some((field) => field.name === name && field.origin === true) }))
    .filter(({ name, open }) => open || /url$/i.test(name))
)

/** Returns valid settings, except that the address in field `name` points to `host`. */
function settingsAt({ kind }: Channel, name: string, host: string): Record<string, unknown> {
  const right = written.get(kind)?.config('https://vendor.example') ?? {}
  const { pathname, search } = new URL(typeof right[name] === 'string' ? right[name] : 'https://vendor.example/')
  return { ...right, [name]: `http://${host}${pathname}${search}` }
}

async function listen(t: Test, address: string, port: number, answer: RequestListener) {
  let accepted = 0
  const server = createServer(answer)
  server.on('connection', () => accepted++)
  await new Promise<void>((resolve) => server.listen(port, address, resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, accepted: () => accepted }
}

/** When `open` contains 127.0.0.2, that address stands for a public one. */
function sender(t: Test, resolve: Resolve, open: readonly string[] = []) {
  const http = createHttpSender({ guard: createAddressGuard({ open: [...open], closed: [], own: [] }), resolve, allowHttp: true })
  t.teardown(() => http.close())
  return (channel: Channel, config: Record<string, unknown>) =>
    performAttempt({ http, mail: null }, { channel, message: message(), config, secrets: [], remote_ref: null, attempt: 1, deployment })
}

t.test('no address field of a channel reaches an internal host', async (t) => {
  const inside = await listen(t, '::', 0, (_request, response) => response.end('reached'))
  const send = sender(t, ask)
  t.same(
    ['discord.webhook_url', 'slack.webhook_url', 'webhook.url'].filter(
      (known) => !fields.some(({ channel, name }) => `${channel.kind}.${name}` === known)
    ),
    [],
    'fields are found'
  )
  for (const { channel, name, open } of fields) {
    let saved = 0
    for (const [what, ...hosts] of refused)
      for (const host of hosts) {
        const config = settingsAt(channel, name, `${host}:${inside.port}`)
        if (channel.check?.(config)) continue
        saved += 1
        const { result } = await send(channel, config)
        t.match(result, { outcome: 'unanswered', failure: { kind: 'blocked_target' } }, `${channel.kind}: ${what}: ${host}`)
      }
    t.equal(saved > 0, open, `${channel.kind}: only an address that a workspace chooses gets as far as the sender`)
  }
  t.equal(inside.accepted(), 0, 'the listener counts 0')
})

t.test('a customer name leads only to a host of its vendor, which is checked like any host', async (t) => {
  const named = Object.values(channels).flatMap((channel) =>
    channel.fields.filter(({ host }) => host).map(({ name }) => ({ channel, name }))
  )
  t.same(
    new Set(named.map(({ channel, name }) => `${channel.kind}.${name}`)),
    new Set(['freshservice.domain', 'jira.domain', 'servicenow.instance', 'zendesk.subdomain']),
    'a new kind with a name of a customer is tried here, too'
  )
  // Every name resolves to this machine.
  const send = sender(t, async () => ['127.0.0.1'])
  for (const { channel, name } of named) {
    const rest = Object.fromEntries(Object.keys(propertiesOf(channel.config)).map((key) => [key, 'ops@example.com']))
    let saved = 0
    const hosts = refused.flatMap(([, ...hosts]) => hosts)
    for (const text of [
      'acme',
      ...hosts,
      ...hosts.flatMap((host) => [`http://${host}/`, `https://acme@${host}/`, `${host}#.`, `${host}?x=.`])
    ]) {
      const config = { ...rest, [name]: text }
      if (channel.check?.(config)) continue
      saved += 1
      const normal = channel.normalise?.(config) ?? config
      const { result, request } = await send(channel, normal)
      const { hostname } = new URL(request?.url ?? '')
      t.match(hostname, /^[a-z0-9-]+\.(?:service-now|freshservice|zendesk)\.com$|^[a-z0-9-]+\.atlassian\.net$/, `${channel.kind}: ${text}`)
      t.match(result, { outcome: 'unanswered', failure: { kind: 'blocked_target' } }, `${channel.kind}: ${text}`)
    }
    t.ok(saved > 0, `${channel.kind}: a name is taken`)
  }
})

t.test('a DNS answer that changes does not lead to an internal host', async (t) => {
  let hits = 0
  const inner = await listen(t, '127.0.0.1', 0, (_request, response) => response.end(String(++hits)))
  const outer = await listen(t, '127.0.0.2', inner.port, (_request, response) => response.setHeader('connection', 'close').end('public'))
  let asked = 0
  const send = sender(t, async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']), ['127.0.0.2/32'])
  const { channel } = fields.find(({ name }) => name === 'url') ?? {}
  if (!channel) throw new Error('no kind takes any address')
  const config = { url: `http://rebind.test:${inner.port}/in` }
  t.match((await send(channel, config)).result, { outcome: 'delivered' })
  t.equal(asked, 1, 'asked once for one connection')
  t.match((await send(channel, config)).result, { outcome: 'unanswered', failure: { kind: 'blocked_target' } }, 'judged anew')
  t.same([inner.accepted(), outer.accepted(), hits], [0, 1, 0])
})

t.test('a redirect is not followed, wherever it leads', async (t) => {
  const inside = await listen(t, '127.0.0.1', 0, (_request, response) => response.end('reached'))
  let location = ''
  let asked = 0
  const outer = await listen(t, '127.0.0.2', 0, (_request, response) => {
    asked += 1
    response.writeHead(asked % 2 === 0 ? 307 : 302, { location }).end()
  })
  const send = sender(t, async () => ['127.0.0.2'], ['127.0.0.2/32'])
  const { channel } = fields.find(({ name }) => name === 'url') ?? {}
  if (!channel) throw new Error('no kind takes any address')
  const targets = [
    `http://127.0.0.1:${inside.port}/`,
    `//127.0.0.1:${inside.port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    `http://public.test:${outer.port}/again`
  ]
  for (location of targets)
    t.match(
      (await send(channel, { url: `http://public.test:${outer.port}/in` })).result,
      { outcome: 'permanent', scope: 'delivery' },
      location
    )
  t.same([asked, inside.accepted()], [targets.length, 0])
})

/**
 * Tests of the address guard: what it refuses, and that no connection is opened to a refused
 * address. The listener is on every local address; it must count 0.
 */
import { channel } from 'node:diagnostics_channel'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import t, { type Test } from 'tap'
import type { TargetForm } from '../../../schemas/http/check-type.ts'
import { checkTypes, monitorTypes } from '../../../schemas/http/check-types/index.ts'
import type { Assignment } from '../../../schemas/http/prober.ts'
import { BlockedTarget, canonicalHost, createAddressGuard, type GuardRules, type Resolve } from '../../../services/http/address-guard.ts'
import type { ProberFacts } from '../../../services/prober/prober-type.ts'
import { ask, refused } from '../../harness/hostile-hosts.ts'
import { assignment, attempt, http, loopbackOpen, networkOf, noNames } from './stand.ts'

const shared: GuardRules = { open: [], closed: [], own: [] }

/** Counts the connections that this process opens to anywhere while `work` runs. */
async function connectionsOf(work: () => Promise<void>): Promise<number> {
  let opened = 0
  const count = (): void => {
    opened++
  }
  channel('net.client.socket').subscribe(count)
  try {
    await work()
  } finally {
    channel('net.client.socket').unsubscribe(count)
  }
  return opened
}

/** Listens on one port on every address of the machine, in both families. */
async function everywhere(t: Test): Promise<{ port: number; accepted: () => number; server: Server }> {
  let accepted = 0
  const server = createServer((_request, response) => response.end('reached'))
  server.on('connection', () => accepted++)
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, accepted: () => accepted, server }
}

interface Led extends Pick<Assignment, 'type' | 'target' | 'config'> {
  facts?: Partial<ProberFacts>
}

/**
 * Returns the ways in which a check in steps can be led to a host: a path, a whole address, values
 * in the host.
 */
function inSteps(host: string, port: number): Led[] {
  const here = `http://${host}:${port}`
  const variables = [{ name: 'host', value: `${host}:${port}` }]
  // A value with other characters is not valid as a host or as a part of one.
  const byValue = !/^[A-Za-z0-9.-]+$/.test(host) ? [] : [{ steps: [{ url: 'http://{{host}}/' }], variables }]
  return [{ steps: [{ url: '/' }] }, { steps: [{ url: `${here}/a` }] }, ...byValue].map((config) => ({
    type: 'api',
    target: `${here}/`,
    config
  }))
}

/** Returns checks of every type that lead to the host. */
function leading(host: string, port: number): Led[] {
  const targets: Record<TargetForm, string> = {
    http: `http://${host}:${port}/`,
    websocket: `ws://${host}:${port}/`,
    host_port: `${host}:${port}`,
    host,
    name: 'example.test',
    domain: 'example.test',
    none: ''
  }
  return monitorTypes.flatMap((type): Led[] => {
    const { form } = checkTypes[type].target
    if (form === 'none') return []
    if (type === 'api') return inSteps(host, port)
    if (type === 'domain')
      return [{ type, target: targets.domain, config: {}, facts: { rdap: new Map([['test', `http://${host}:${port}/`]]) } }]
    if (type !== 'dns') return [{ type, target: targets[form], config: {} }]
    // A resolver must be an address, in any notation. A name is refused earlier.
    const isLiteral = isIP(canonicalHost(host) ?? '') !== 0
    return isLiteral ? [{ type, target: targets.name, config: { resolver: `${host}:${port}` } }] : []
  })
}

t.test('no type of check connects to a refused address, however it is written', async (t) => {
  const { port, accepted } = await everywhere(t)
  const here = Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? [])
  const rows = [...refused, ['addresses of this machine', ...here.map((address) => (address.includes(':') ? `[${address}]` : address))]]
  const hosts = rows.flatMap(([, ...list]) => list)
  t.ok(hosts.length >= 60, `${hosts.length} literals and names`)
  const opened = await connectionsOf(async () => {
    for (const [what, ...list] of rows) {
      for (const host of list) {
        for (const { type, target, config, facts } of leading(host, port)) {
          const { reason, timings } = await attempt(assignment(target, { type, config }), networkOf(shared, ask), facts)
          t.equal(reason, 'blocked_target', `${type}, ${what}: ${host}`)
          t.equal(timings.connect, null, `${type}: ${host} is not even tried`)
          t.equal(timings.request, null, `${type}: nothing is sent to ${host}`)
        }
      }
    }
  })
  t.equal(accepted(), 0, 'the listener counts 0')
  t.equal(opened, 0, 'nor was anything else connected to')
  // The control: if the operator opens these addresses, the same listener is reached and counts.
  const control = await connectionsOf(async () => {
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost'])
      t.equal((await attempt(assignment(`http://${host}:${port}/`), networkOf(loopbackOpen))).outcome, 'success', host)
  })
  t.equal(accepted(), 5)
  t.equal(control, 5, 'the instrument sees connections')
})

t.test('a name that changes its address cannot lead to a refused one', async (t) => {
  // 127.0.0.2 plays a public address here; it alone is open.
  const rules: GuardRules = { open: ['127.0.0.2/32'], closed: [], own: [] }
  let hits = 0
  const inner = createServer((_request, response) => response.end(String(++hits)))
  let opened = 0
  inner.on('connection', () => opened++)
  await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve))
  t.teardown(() => inner.close())
  const { port } = inner.address() as AddressInfo
  const outer = createServer((request, response) =>
    request.url === '/again' ? response.writeHead(302, { location: '/' }).end() : response.end('public')
  )
  await new Promise<void>((resolve) => outer.listen(port, '127.0.0.2', resolve))
  t.teardown(() => outer.close())
  const flipping = (): { ask: Resolve; asked: () => number } => {
    let asked = 0
    return { ask: async () => (asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']), asked: () => asked }
  }
  const once = flipping()
  const first = await attempt(assignment(`http://rebind.test:${port}/`), networkOf(rules, once.ask))
  t.match(first, { outcome: 'success', remoteIp: '127.0.0.2' })
  t.equal(once.asked(), 1, 'asked once for one connection')
  const twice = flipping()
  const second = await attempt(assignment(`http://rebind.test:${port}/again`), networkOf(rules, twice.ask))
  t.equal(second.reason, 'blocked_target', 'a redirect is resolved and judged anew')
  t.equal(twice.asked(), 2)
  t.same([hits, opened], [0, 0], 'the listener counts 0')
})

t.test('a redirect to a refused address is blocked', async (t) => {
  const { port, accepted } = await everywhere(t)
  const rules: GuardRules = { open: ['127.0.0.2/32'], closed: [], own: [] }
  const targets = [
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://[fd00:ec2::254]/latest/',
    'http://100.100.100.200/',
    'http://168.63.129.16/machine',
    `http://127.0.0.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://localhost:${port}/`,
    `//127.0.0.1:${port}/`,
    `https://127.0.0.1:${port}/`
  ]
  const ladder = await http(
    t,
    (request, response) => {
      const [, step = '0', at = '0'] = request.url?.split('/') ?? []
      const location = Number(step) > 0 ? `/${Number(step) - 1}/${at}` : (targets[Number(at)] ?? '')
      response.writeHead(302, { location }).end()
    },
    '127.0.0.2'
  )
  for (const [at, target] of targets.entries()) {
    for (const steps of [0, 3]) {
      const report = await attempt(assignment(`${ladder}/${steps}/${at}`), networkOf(rules, ask))
      t.equal(report.reason, 'blocked_target', `${target} after ${steps} steps`)
    }
  }
  t.equal(accepted(), 0, 'the listener counts 0')
  for (const location of ['file:///etc/passwd', 'ftp://127.0.0.2/', 'gopher://127.0.0.1/', 'http://a:b@127.0.0.2/', 'http://']) {
    const odd = await http(t, (_request, response) => response.writeHead(302, { location }).end(), '127.0.0.2')
    t.equal((await attempt(assignment(`${odd}/`), networkOf(rules, ask))).reason, 'redirect', location)
  }
})

t.test('an answer cannot lead a later step or a registry look-up to a refused address', async (t) => {
  const { port, accepted } = await everywhere(t)
  const rules: GuardRules = { open: ['127.0.0.2/32'], closed: [], own: [] }
  const inside = ['127.0.0.1', '169.254.169.254', '10.0.0.5', 'localhost', 'metadata.google.internal', '2130706433', '0x7f.1']
  for (const host of inside) {
    // A server at an open address answers the first step and names where the second step goes.
    const base = await http(
      t,
      (request, response) => {
        if (request.url === '/away') response.writeHead(307, { location: `http://${host}:${port}/` })
        response.end(JSON.stringify({ host: `${host}:${port}`, path: `//${host}:${port}/`, at: `@${host}:${port}` }))
      },
      '127.0.0.2'
    )
    const led = (...steps: object[]) =>
      attempt(assignment(base, { type: 'api', config: { steps } as Assignment['config'] }), networkOf(rules, ask))
    const take = (name: string) => ({ url: '/', extract: [{ name, source: 'json', property: `$.${name}` }] })
    const byHost = await led(take('host'), { url: 'http://{{host}}/' })
    t.match(byHost, { outcome: 'failure', reason: 'blocked_target', message: /^Step 2: / }, `a host that was extracted: ${host}`)
    t.equal((await led({ url: '/' }, { url: '/away' })).reason, 'blocked_target', `a redirect of a later step: ${host}`)
    // A value that is no host cannot become one: it stays a path, or a name, of the first server.
    t.equal((await led(take('path'), { url: '/{{path}}' })).outcome, 'success', `a path that looks like a host: ${host}`)
    t.equal(
      (await led(take('at'), { url: `${base.replace('127.0.0.2', '127.0.0.2{{at}}')}` })).reason,
      'protocol',
      `a user that hides a host: ${host}`
    )
    const registry = await http(
      t,
      (_request, response) => response.writeHead(302, { location: `http://${host}:${port}/` }).end(),
      '127.0.0.2'
    )
    const domain = await attempt(assignment('shop.test', { type: 'domain' }), networkOf(rules, ask), {
      rdap: new Map([['test', registry]])
    })
    t.equal(domain.reason, 'blocked_target', `a registry that redirects: ${host}`)
  }
  t.equal(accepted(), 0, 'the listener counts 0')
})

t.test('listeners of the service are refused even if the operator opens their network', async (t) => {
  const { port, accepted } = await everywhere(t)
  const open = ['0.0.0.0/0', '::/0']
  const local = ['127.0.0.1', '127.0.0.2', '[::1]', '0.0.0.0', '[::]', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '192.0.2.77']
  for (const own of [`127.0.0.1:${port}`, `0.0.0.0:${port}`, `[::]:${port}`, `*:${port}`, `localhost:${port}`, `192.0.2.77:${port}`]) {
    const guard: GuardRules = { open, closed: [], own: [own], localAddresses: () => ['192.0.2.77', '127.0.0.1', '::1'] }
    for (const host of local)
      t.equal((await attempt(assignment(`http://${host}:${port}/`), networkOf(guard))).reason, 'blocked_target', `${own} refuses ${host}`)
  }
  const elsewhere: GuardRules = { open, closed: [], own: [`10.9.8.7:${port}`, `broker.test:${port}`] }
  const named: Resolve = async (name) => (name === 'broker.test' || name === 'alias.test' ? ['10.1.1.1'] : noNames(name, 0))
  for (const host of ['10.9.8.7', 'broker.test', 'alias.test', '10.1.1.1', '[64:ff9b::10.9.8.7]'])
    t.equal((await attempt(assignment(`http://${host}:${port}/`), networkOf(elsewhere, named))).reason, 'blocked_target', host)
  t.equal(accepted(), 0, 'the listener counts 0')
  t.equal((await attempt(assignment(`http://127.0.0.1:${port}/`), networkOf({ ...elsewhere, own: ['127.0.0.1:1'] }))).outcome, 'success')
})

t.test('every refusal has the same message, whatever its reason', async (t) => {
  const { port } = await everywhere(t)
  const rules: GuardRules = {
    open: ['127.0.0.2/32', '192.0.2.0/24'],
    closed: ['192.0.2.128/25'],
    own: [`127.0.0.2:${port}`],
    localAddresses: () => ['127.0.0.1']
  }
  const inside: Resolve = async () => ['10.0.0.5']
  const hosts = [
    '10.0.0.5',
    '127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '[fe80::1]',
    '[::1]',
    'localhost',
    '192.0.2.200',
    '127.0.0.2',
    'db.test'
  ]
  const said = new Map<string, string[]>()
  const tell = (host: string, { outcome, reason, message, status, remoteIp }: Awaited<ReturnType<typeof attempt>>): void => {
    const words = JSON.stringify({ outcome, reason, message, status, remoteIp })
    said.set(words, [...(said.get(words) ?? []), host])
  }
  for (const host of hosts) tell(host, await attempt(assignment(`http://${host}:${port}/`), networkOf(rules, inside)))
  t.equal(said.size, 1, JSON.stringify([...said], null, 2))
  t.match([...said.keys()][0], '"blocked_target"')
  for (const refusal of ['not_public', 'closed', 'own_listener', 'not_an_address'] as const)
    t.equal(new BlockedTarget(refusal).message, new BlockedTarget('not_public').message, refusal)
})

t.test('networks that the service closes stay closed inside an opened network', async (t) => {
  const guard = createAddressGuard({ open: ['10.0.0.0/8', '64:ff9b::/96'], closed: ['10.1.0.0/16'], own: [] })
  const rows: [string, ReturnType<typeof guard.judge>][] = [
    ['10.2.0.1', null],
    ['::ffff:10.2.0.1', null],
    ['10.1.0.1', 'closed'],
    ['::ffff:10.1.0.1', 'closed'],
    ['64:ff9b::10.1.0.1', 'closed'],
    ['64:ff9b::10.2.0.1', null],
    ['64:ff9b::192.168.0.1', 'not_public'],
    ['64:ff9b::8.8.8.8', null],
    ['8.8.8.8', null],
    ['2606:4700:4700::1111', null],
    ['192.168.0.1', 'not_public'],
    ['no address', 'not_an_address']
  ]
  for (const [address, verdict] of rows) t.equal(guard.judge(address, 80), verdict, address)
})

t.test('a host is read as a connection would read it', async (t) => {
  const rows: [string, string | null][] = [
    ['Example.ORG.', 'example.org'],
    ['0x7f.1', '127.0.0.1'],
    ['[::FFFF:1.2.3.4]', '::ffff:1.2.3.4'],
    ['fe80::1%eth0', 'fe80::1'],
    ['a b', null],
    ['a/b', null],
    ['user@host', null],
    ['host:80', null],
    ['', null],
    ['256.1.1.1', null]
  ]
  for (const [text, host] of rows) t.equal(canonicalHost(text), host, text)
})

t.test('the socket lookup returns only checked addresses', async (t) => {
  const { port, accepted } = await everywhere(t)
  const dial = (rules: GuardRules, ask: Resolve): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({ host: 'target.test', port, lookup: createAddressGuard(rules).lookup(port, ask) })
      socket.on('connect', () => {
        resolve(`connected to ${socket.remoteAddress}`)
        socket.destroy()
      })
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })
  t.equal(await dial(shared, async () => ['127.0.0.1']), 'ERR_BLOCKED_TARGET')
  t.equal(await dial(loopbackOpen, async () => ['127.0.0.1', '10.0.0.1']), 'ERR_BLOCKED_TARGET')
  t.equal(await dial(shared, noNames), 'ENOTFOUND')
  t.equal(accepted(), 0)
  t.equal(await dial(loopbackOpen, async () => ['127.0.0.1']), 'connected to 127.0.0.1')
})

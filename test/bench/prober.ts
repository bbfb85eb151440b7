/**
 * PROBER: what a check costs a prober, including its slot, the guard, the result and its delivery,
 * compared with Prometheus' blackbox exporter doing the same probe of the same server at the same
 * rate, in turns. It also measures how much memory checks in flight take, and how late checks
 * begin.
 *
 * The prober is the role as it is shipped, in a process of its own; this process plays its service.
 * The exporter is asked over keep-alive connections, as Prometheus asks it; each answer is one
 * probe. CPU per check is the CPU of the process and of all processes it started over the window,
 * divided by the checks that were delivered in it.
 *
 *   npm run bench -- prober [--only cost|flight|lateness] [--rounds 3] [--seconds 10]
 *     [--profile folder]
 */

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Assignment } from '../../schemas/http/prober.ts'
import { uuidv4 } from '../../schemas/uuid.ts'
import { program } from '../harness/debian.ts'
import { freePort } from '../harness/free-ports.ts'
import { until } from '../harness/until.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { type Blackbox, type BlackboxModule, blackbox } from './peers/blackbox.ts'
import { nginx } from './peers/nginx.ts'
import { end } from './peers/peer.ts'
import { type ProberProcess, type ProberService, proberProcess, proberService } from './prober-service.ts'
import { machineTimes } from './processes.ts'

const NAME = 'shop.example'
const TENANT = uuidv4()
/**
 * Interval of the monitors whose cost is measured. It is short, so that few monitors reach the
 * rate.
 */
const INTERVAL_SECONDS = 5
const WARM_SECONDS = 6

const TARGET_COST = 1
const IN_FLIGHT = 5000
const TARGET_RSS_MIB = 300
const MONITORS = 10_000
const MONITOR_SECONDS = 30
const TARGET_LATE_MS = 250

interface Kind {
  type: BlackboxModule
  /** Checks a second: a rate that both handle easily beside the server and this process. */
  rate: number
  target: string
  config: Assignment['config']
  /** The exporter's name for this kind. */
  theirs: string
}

const monitorOf = (type: string, target: string, changes: Partial<Assignment> = {}): Assignment => ({
  monitor_id: uuidv4(),
  tenant_ref: TENANT,
  config_version: 1,
  type,
  target,
  config: {},
  assertions: [],
  retry: { count: 0, strategy: 'none', base_seconds: 1, max_total_seconds: 60 },
  interval_seconds: INTERVAL_SECONDS,
  timeout_seconds: INTERVAL_SECONDS - 1,
  degraded_after_ms: null,
  ...changes
})

const total = (service: ProberService): number => [...service.counted.outcomes.values()].reduce((sum, count) => sum + count, 0)

/** Throws when a check gave any outcome but success. */
function checkSuccess(service: ProberService, what: string): void {
  const others = [...service.counted.outcomes].filter(([outcome]) => outcome !== 'success')
  if (others.length > 0) throw new Error(`${what}: ${others.map(([outcome, count]) => `${count} × ${outcome}`).join(', ')}`)
}

/** CPU microseconds per check, over one window. */
async function ours(service: ProberService, prober: ProberProcess, { type, rate, target, config }: Kind, seconds: number): Promise<number> {
  service.assign(Array.from({ length: rate * INTERVAL_SECONDS }, () => monitorOf(type, target, { config })))
  await sleep(WARM_SECONDS * 1000)
  service.reset()
  const before = prober.cpu()
  await sleep(seconds * 1000)
  const [cpu, checks] = [prober.cpu() - before, total(service)]
  checkSuccess(service, type)
  if (checks < rate * seconds * 0.9) throw new Error(`${type}: ${checks} checks in ${seconds} s instead of ${rate * seconds}`)
  service.assign([])
  await sleep(1000)
  return (cpu / checks) * 1e6
}

async function theirs(peer: Blackbox, { type, rate, theirs: target }: Kind, seconds: number): Promise<number> {
  await peer.probe(type, target, rate, 2)
  const before = peer.cpu()
  const probes = await peer.probe(type, target, rate, seconds)
  return ((peer.cpu() - before) / probes) * 1e6
}

interface Resolver {
  port: number
  stop(): Promise<void>
}

async function dnsmasq(): Promise<Resolver> {
  const file = await program('dnsmasq', 'dnsmasq-base')
  const port = await freePort()
  const child = spawn(
    file,
    ['--keep-in-foreground', '--conf-file=/dev/null', '--no-resolv', '--no-hosts', '--user=root', '--listen-address=127.0.0.1', '--bind-interfaces',
      `--port=${port}`, `--address=/${NAME}/192.0.2.7`, '--pid-file='],
    { stdio: 'ignore' }
  ) // biome-ignore format: a command line
  await sleep(500)
  if (child.exitCode !== null) throw new Error('dnsmasq does not run')
  return { port, stop: () => end(child) }
}

async function cost(rounds: number, seconds: number, profile: string | undefined): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-prober-'))
  // Stops in reverse order of starting. When one does not start, those started before it are
  // stopped.
  const stops: (() => unknown)[] = []
  const started = <T extends { stop(): unknown }>(one: T): T => {
    stops.unshift(() => one.stop())
    return one
  }
  try {
    const [server, resolver, peer] = [started(await nginx(folder)), started(await dnsmasq()), started(await blackbox(folder, NAME))]
    const service = await proberService()
    stops.unshift(() => service.close())
    const prober = started(await proberProcess(service, { concurrency: 200, resolvers: `127.0.0.1:${resolver.port}`, profile }))
    const url = `http://127.0.0.1:${server.port}/`
    const kinds: Kind[] = [
      { type: 'http', rate: 300, target: url, theirs: url, config: {} },
      { type: 'tcp', rate: 300, target: `127.0.0.1:${server.port}`, theirs: `127.0.0.1:${server.port}`, config: {} },
      { type: 'dns', rate: 300, target: NAME, theirs: `127.0.0.1:${resolver.port}`, config: {} },
      { type: 'icmp', rate: 40, target: '127.0.0.1', theirs: '127.0.0.1', config: { count: 1 } }
    ]
    console.log(`peers: ${peer.version}; ${server.version}`)
    console.log('type  rate/s  µs a check  checks a CPU-second  blackbox µs  a CPU-second  load')
    for (const kind of kinds) {
      if (!service.kinds.includes(kind.type)) {
        console.log(`${kind.type}: this machine cannot do it`)
        continue
      }
      const costs: number[] = []
      const peers: number[] = []
      for (let round = 0; round < rounds; round++) {
        costs.push(await ours(service, prober, kind, seconds))
        peers.push(await theirs(peer, kind, seconds))
      }
      const [own, other] = [median(costs), median(peers)]
      console.log(
        `${kind.type.padEnd(4)}  ${kind.rate}  ${own.toFixed(0)}  ${(1e6 / own).toFixed(0)}  ${other.toFixed(0)}  ${(1e6 / other).toFixed(0)}  ${load()}`
      )
      figure({
        id: `PROBER_${kind.type.toUpperCase()}`,
        value: own,
        unit: 'us',
        peer: { name: 'blackbox', value: other },
        target: { op: '<=', value: TARGET_COST }
      })
    }
  } finally {
    for (const stop of stops) await stop()
    await rm(folder, { recursive: true, force: true })
  }
  if (profile !== undefined) printProfile(profile)
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(2)

/** A server that accepts, reads and never answers. */
async function hanging(): Promise<{ port: number; open(): number; stop(): void }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    socket.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    open: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

/**
 * Memory of checks in flight: checks whose answer never comes, as many as the prober's concurrency
 * allows.
 */
async function flight(): Promise<void> {
  const [target, service] = [await hanging(), await proberService()]
  const prober = await proberProcess(service, { concurrency: IN_FLIGHT })
  try {
    await sleep(3000)
    const idle = prober.rss()
    const often = { interval_seconds: 40, timeout_seconds: 39 }
    service.assign(Array.from({ length: IN_FLIGHT * 1.1 }, () => monitorOf('http', `http://127.0.0.1:${target.port}/`, often)))
    await until('all places to be taken', () => target.open() >= IN_FLIGHT, 90_000)
    let most = 0
    // Runs over a whole interval, so that some checks end while others begin.
    for (let second = 0; second < 45; second++) {
      most = Math.max(most, prober.rss())
      await sleep(1000)
    }
    console.log(`in flight: ${target.open()} checks, ${most.toFixed(0)} MiB at most, ${idle.toFixed(0)} MiB without any; load ${load()}`)
    figure({ id: 'PROBER_IN_FLIGHT_RSS', value: most, unit: 'MiB', target: { op: '<=', value: TARGET_RSS_MIB } })
  } finally {
    await prober.stop()
    service.close()
    target.stop()
  }
}

/** How late checks begin with ten thousand monitors in one process. */
async function lateness(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-prober-'))
  const [server, service] = [await nginx(folder), await proberService()]
  const prober = await proberProcess(service, { concurrency: 200 })
  try {
    const often = { interval_seconds: MONITOR_SECONDS, timeout_seconds: 10 }
    service.assign(Array.from({ length: MONITORS }, () => monitorOf('http', `http://127.0.0.1:${server.port}/`, often)))
    await sleep(MONITOR_SECONDS * 1000)
    service.reset()
    const [before, steal] = [prober.cpu(), machineTimes()]
    await sleep(2 * MONITOR_SECONDS * 1000)
    const cpu = prober.cpu() - before
    checkSuccess(service, 'lateness')
    const { lateness: late, starts } = service.counted
    const seconds = new Map<number, number>()
    for (const start of starts) seconds.set(Math.floor(start / 1000), (seconds.get(Math.floor(start / 1000)) ?? 0) + 1)
    // The first and last seconds were only partly measured.
    const whole = [...seconds]
      .sort(([a], [b]) => a - b)
      .slice(1, -2)
      .map(([, count]) => count)
    const after = machineTimes()
    console.log(
      `lateness: ${late.length} checks, p50 ${percentile(late, 0.5)} ms, p99 ${percentile(late, 0.99)} ms, most ${percentile(late, 1)} ms; ` +
        `${Math.min(...whole)} to ${Math.max(...whole)} begin in a second, ${(MONITORS / MONITOR_SECONDS).toFixed(0)} on average; ` +
        `${((cpu / (2 * MONITOR_SECONDS)) * 100).toFixed(0)} % of a core; ${prober.rss().toFixed(0)} MiB; ` +
        `${(((after.steal - steal.steal) / (after.total - steal.total)) * 100).toFixed(1)} % of the machine stolen; load ${load()}`
    )
    if (late.length < MONITORS * 1.9) throw new Error(`only ${late.length} checks began`)
    figure({ id: 'PROBER_LATENESS', value: percentile(late, 0.99), unit: 'ms', target: { op: '<=', value: TARGET_LATE_MS } })
  } finally {
    await prober.stop()
    service.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[]
  samples: number[]
}

/** Prints where the samples of the newest profile in the folder are, without the idle ones. */
function printProfile(folder: string): void {
  const [file] = readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .sort()
    .reverse()
  if (file === undefined) throw new Error(`no profile in ${folder}`)
  const { nodes, samples } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const [byPlace, byFunction] = [new Map<string, number>(), new Map<string, number>()]
  let busy = 0
  for (const id of samples) {
    const { functionName = '', url = '', lineNumber = 0 } = frames.get(id) ?? {}
    if (functionName === '(idle)') continue
    busy++
    const place = url.startsWith('node:')
      ? 'Node'
      : url.includes('/node_modules/')
        ? 'packages'
        : url === ''
          ? functionName || 'native'
          : 'ours'
    byPlace.set(place, (byPlace.get(place) ?? 0) + 1)
    const name = `${functionName || '(anonymous)'} ${url.replace(/^.*\/dist\//, '')}${url === '' ? '' : `:${lineNumber + 1}`}`
    byFunction.set(name, (byFunction.get(name) ?? 0) + 1)
  }
  const most = (counts: Map<string, number>, limit: number) => [...counts].sort((a, b) => b[1] - a[1]).slice(0, limit)
  const share = (count: number): string => `${((count / busy) * 100).toFixed(1).padStart(5)} %`
  for (const [place, count] of most(byPlace, 8)) console.log(`profile ${share(count)}  ${place}`)
  for (const [name, count] of most(byFunction, 15)) console.log(`profile ${share(count)}  ${name}`)
}

const parts = ['cost', 'flight', 'lateness'] as const

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      profile: { type: 'string' }
    }
  })
  const only = parts.find((part) => part === values.only)
  if (values.only !== undefined && !only) throw new Error(`--only: expected one of ${parts.join(', ')}`)
  printMachine(
    'one prober process with its service played by this one; CPU of the process and its children by the checks that were delivered; the exporter in turns at the same rate; medians'
  )
  console.log(`load before: ${load()}`)
  if (!only || only === 'cost') await cost(Number(values.rounds), Number(values.seconds), values.profile)
  if (!only || only === 'flight') await flight()
  if (!only || only === 'lateness') await lateness()
}

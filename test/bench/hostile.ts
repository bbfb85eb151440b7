/**
 * HOSTILE: how much monitors with malicious expressions and paths, on bodies of 10 MiB, slow their
 * neighbours. It measures how late the neighbours' checks reach their target and the p99 of their
 * requests to the API, compared with the same run without the hostile monitors. Settings that the
 * API refuses are written directly to the store, as if an older version had accepted them, and are
 * also sent to the API again and again meanwhile.
 */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Assertion } from '../../schemas/http/check-config.ts'
import { slotOffset } from '../../services/checks/slots.ts'
import type { Pool } from '../../services/store/pool.ts'
import { makeWorkspace, type Product, startProduct, type TestWorkspace, until } from '../harness/product.ts'
import { figure, median, percentile, printMachine } from './figures.ts'
import { openLoad, requestBytes } from './open-load.ts'
import { cpuSeconds, tree } from './processes.ts'

const NEIGHBOURS = 10
const MONITORS_EACH = 20
const INTERVAL_MS = 10_000
const READS_A_SECOND = 50
const OFFERS_A_SECOND = 2
const TARGET = 1.5
/** Pause after the hostile monitors are deleted. */
const REST_MS = 3000

interface Case {
  name: string
  body: 'letters' | 'random' | 'lists'
  assertions: Assertion[]
}

const matching = (...values: string[]): Assertion[] => values.map((value) => ({ source: 'body', op: 'matches', value }))
const times = (make: (n: number) => string): string[] => Array.from({ length: 20 }, (_, n) => make(n))

/** Expressions that are known to break other engines, expressions that grow, and paths. */
const cases: readonly Case[] = [
  { name: 'nested quantifiers', body: 'letters', assertions: matching('(a+)+$', '(a*)*b', '(x+x+)+y', '^(a|aa)+$', '(a|a?)+$') },
  {
    name: 'overlapping alternatives',
    body: 'letters',
    assertions: matching('^(([a-z])+.)+[A-Z]([a-z])+$', '^(a|a|a|a|a|a)*$', '(.*a){20}b', '^(?:.?){300}b$')
  },
  {
    name: 'an address',
    body: 'letters',
    assertions: matching('^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$')
  },
  { name: 'many states', body: 'random', assertions: matching('a[abcd]{500}[xy]', '.*a.{400}[xy]', '(a.{0,200}b.{0,200})[xy]') },
  { name: 'many states, twenty times', body: 'random', assertions: matching(...times((n) => `a[abcd]{${120 + n}}[xy]`)) },
  { name: 'five hundred alternatives, twenty times', body: 'random', assertions: matching(...times((n) => `(a|b|c|d){500}${n}`)) },
  { name: 'repetitions of repetitions', body: 'letters', assertions: matching('((a{0,30}){0,30}){0,1}b', '(((a{10}){10}){10})b') },
  { name: 'classes of Unicode', body: 'random', assertions: matching('(\\pL|\\pN|\\pS){300}!', `(?i)${'[a-\\x{1e943}]'.repeat(30)}`) },
  { name: 'a thousand letters of any kind', body: 'random', assertions: matching('(?i)\\pL{1000}!', '[^\\x00-\\x{10FFFF}]{1000}') },
  {
    name: 'everything in ten million lists',
    body: 'lists',
    assertions: [{ source: 'json', property: '$..*', op: 'contains', value: 'x' }]
  },
  { name: 'a filter on ten million lists', body: 'lists', assertions: [{ source: 'json', property: '$..[?@.a==1]', op: 'exists' }] }
]

/**
 * Serves the bodies from a thread of its own: sending 10 MiB takes CPU, and the neighbours' target
 * runs in this thread.
 */
const bodies = `
  const { createServer } = require('node:http')
  const { parentPort } = require('node:worker_threads')
  const size = 10485760 - 64
  let seed = 1
  const next = () => (seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff) >> 16
  const all = {
    letters: Buffer.alloc(size, 'a'),
    random: Buffer.from(Uint8Array.from({ length: size }, () => 97 + (next() % 4))),
    lists: Buffer.from('[' + '[],'.repeat(Math.floor(size / 3) - 1) + '[]]')
  }
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    parentPort.postMessage({ asked })
    const body = all[request.url.split('/')[1]] ?? Buffer.alloc(0)
    response.writeHead(200, { 'content-length': body.length }).end(body)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port }))
`

interface Bodies {
  port: number
  asked(): number
  stop(): Promise<unknown>
}

function serveBodies(): Promise<Bodies> {
  const worker = new Worker(bodies, { eval: true })
  let asked = 0
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.on('message', (told: { port?: number; asked?: number }) => {
      asked = told.asked ?? asked
      if (told.port !== undefined) resolve({ port: told.port, asked: () => asked, stop: () => worker.terminate() })
    })
  })
}

/** The neighbours' target: records how late each check comes after its slot. */
function target(lateness: number[]): Promise<Server> {
  const server = createServer((request, response) => {
    const id = request.url?.slice(1) ?? ''
    const late = (Date.now() - slotOffset(id, INTERVAL_MS)) % INTERVAL_MS
    lateness.push(late)
    response.end('fine')
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

async function created(product: Product, workspace: TestWorkspace, settings: object): Promise<string> {
  const { status, body } = await product.api('POST', '/api/v1/monitors', settings, workspace.apiToken)
  if (status !== 201) throw new Error(`POST /monitors answered ${status}: ${JSON.stringify(body)}`)
  return String(body.id)
}

const settingsOf = (name: string, url: string, assertions: readonly Assertion[]) => ({
  name,
  type: 'http',
  target: url,
  interval_seconds: INTERVAL_MS / 1000,
  timeout_seconds: 9,
  assertions,
  config: { max_body_bytes: 10_485_760 }
})

interface Measured {
  lateness: number[]
  latency: number[]
  /**
   * Share of the time in which a process for assertions used more CPU than the neighbours' own
   * assertions need.
   */
  busy: number
  /** CPU seconds that all processes for assertions used. */
  used: number
}

type Kind = 'lateness' | 'latency'

const p99 = (one: Measured, kind: Kind): number => percentile(one[kind], 0.99)
const told = (one: Measured): string => `checks ${p99(one, 'lateness').toFixed(0)} ms late, API ${p99(one, 'latency').toFixed(1)} ms`

const LOOK_MS = 500
/**
 * Share of a core above which a process counts as busy. The neighbours' own assertions never reach
 * it.
 */
const BUSY_SHARE = 0.25

/**
 * Samples the CPU that the processes for assertions use. The last CPU of a process that ends
 * between two samples is not counted.
 */
function watchAssertions(supervisor: number): () => { busy: number; used: number } {
  const last = new Map<number, number>()
  let [looks, busyLooks, used] = [-1, 0, 0]
  const look = (): void => {
    let sum = 0
    for (const pid of tree(supervisor).filter(isForAssertions)) {
      const now = cpuSeconds(pid)
      // For a process that existed before the first sample, only CPU from that sample on counts.
      sum += Math.max(0, now - (last.get(pid) ?? (looks < 0 ? now : 0)))
      last.set(pid, now)
    }
    looks++
    used += sum
    if (sum > (BUSY_SHARE * LOOK_MS) / 1000) busyLooks++
  }
  look()
  const timer = setInterval(look, LOOK_MS)
  return () => {
    clearInterval(timer)
    return { busy: busyLooks / Math.max(1, looks), used }
  }
}

function isForAssertions(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('prober assertions')
  } catch {
    return false // The process ended during the read.
  }
}

interface Pair {
  /**
   * p99 with the hostile monitors divided by p99 without, which is the mean of the runs before and
   * after.
   */
  ratio: Record<Kind, number>
}

/**
 * Prints the figures of all pairs. Two runs without hostile monitors are also compared with each
 * other, which shows the noise.
 */
function report(id: string, kind: Kind, without: readonly Measured[], beside: readonly Measured[], pairs: readonly Pair[]): void {
  const all = (runs: readonly Measured[]): number =>
    percentile(
      runs.flatMap((run) => run[kind]),
      0.99
    )
  const ratios = pairs.map(({ ratio }) => ratio[kind])
  const noise = without.slice(1).map((run, index) => p99(run, kind) / p99(without[index] as Measured, kind))
  const spread = noise.map((ratio) => Math.max(ratio, 1 / ratio))
  console.log(
    `  ${id}: ratios ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')}; without by without ${noise.map((ratio) => ratio.toFixed(2)).join(' ')}`
  )
  figure({ id, value: all(beside), unit: 'ms', peer: { name: 'without', value: all(without) }, target: { op: '<=', value: TARGET } })
  figure({ id: `${id}_MEDIAN`, value: median(ratios), unit: 'ratio', target: { op: '<=', value: TARGET } })
  figure({ id: `${id}_WORST`, value: Math.max(...ratios), unit: 'ratio', target: { op: '<=', value: TARGET } })
  figure({ id: `${id}_NOISE`, value: median(spread), unit: 'ratio', target: { op: '>=', value: 1 } })
}

async function refusedOr201(product: Product, workspace: TestWorkspace, wanted: object): Promise<string | null> {
  const { status, body } = await product.api('POST', '/api/v1/monitors', wanted, workspace.apiToken)
  if (status === 422) return null
  if (status !== 201) throw new Error(`POST /monitors answered ${status}: ${JSON.stringify(body)}`)
  return String(body.id)
}

/** Makes the neighbours: their monitors, and the API requests that read them. */
async function neighbours(product: Product, pool: Pool, origin: string): Promise<Buffer[]> {
  const reads: Buffer[] = []
  for (let index = 0; index < NEIGHBOURS; index++) {
    const workspace = await makeWorkspace(pool, `neighbour-${index}`, 'generic')
    for (let nth = 0; nth < MONITORS_EACH; nth++) {
      // The path of the target is the monitor's id, from which its slots are calculated.
      const id = await created(product, workspace, settingsOf(`monitor ${nth}`, `${origin}/`, matching('^fine$')))
      const changed = await product.api('PATCH', `/api/v1/monitors/${id}`, { target: `${origin}/${id}` }, workspace.apiToken)
      if (changed.status !== 200) throw new Error(`PATCH /monitors answered ${changed.status}`)
      reads.push(requestBytes('GET', `/api/v1/monitors/${id}`, { Authorization: `Bearer ${workspace.apiToken}` }, ''))
    }
  }
  return reads
}

/**
 * Sends settings to the API again and again. The returned function stops it and resolves to how
 * often they were refused.
 */
function offer(product: Product, workspace: TestWorkspace, settings: object): () => Promise<number> {
  let refused = 0
  let running = true
  const done = (async () => {
    while (running) {
      const from = performance.now()
      const { status } = await product.api('POST', '/api/v1/monitors', settings, workspace.apiToken)
      if (status === 422) refused++
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 / OFFERS_A_SECOND - (performance.now() - from))))
    }
  })()
  return async () => {
    running = false
    await done
    return refused
  }
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { secs: { type: 'string', default: '30' }, hostile: { type: 'string', default: '1' }, only: { type: 'string' } }
  })
  const secs = Number(values.secs)
  /** Number of hostile monitors at a time. */
  const count = Number(values.hostile)
  const chosen = cases.filter(({ name }) => values.only === undefined || name.includes(values.only))
  printMachine(
    `${NEIGHBOURS} workspaces of ${MONITORS_EACH} monitors, each checked every ${INTERVAL_MS / 1000} s from three regions, and ${READS_A_SECOND} reads/s of the API, open loop; ${chosen.length} hostile cases, ${count} monitors each, in turns ${secs} s without and ${secs} s with them, the last again without; the time with them begins as they are made, so their first checks are in it; a refused one is offered ${OFFERS_A_SECOND} times a second and stored past the API; a ratio is the p99 with by the mean p99 of the runs before and after`
  )
  const lateness: number[] = []
  const [calm, hostile] = await Promise.all([target(lateness), serveBodies()])
  const product = await startProduct({ environment: { PROBER_ALLOW_CIDRS: '127.0.0.0/8' } })
  const pool = product.pool()
  try {
    const reads = await neighbours(product, pool, `http://127.0.0.1:${(calm.address() as AddressInfo).port}`)
    const owner = await makeWorkspace(pool, 'hostile', 'generic')

    async function measure(): Promise<Measured> {
      lateness.length = 0
      const watched = watchAssertions(product.pids().supervisor ?? 0)
      const { latencies, statuses, unanswered } = await openLoad({
        port: product.port('api'),
        rate: READS_A_SECOND,
        seconds: secs,
        connections: 16,
        request: (index) => reads[index % reads.length] as Buffer
      })
      // On a busy machine the service closes some connections.
      if (unanswered > 0 || (statuses.get(200) ?? 0) < 0.95 * latencies.length) throw new Error(`reads: ${JSON.stringify([...statuses])}`)
      return { lateness: [...lateness], latency: latencies, ...watched() }
    }

    /** Starts to measure, then creates the hostile monitors. */
    async function measureBeside({ name, body, assertions }: Case): Promise<{ beside: Measured; offered: number }> {
      const settings = (nth: number) => settingsOf(`${name} ${nth}`, `http://127.0.0.1:${hostile.port}/${body}`, assertions)
      const asked = hostile.asked()
      const measured = measure()
      // Otherwise a rejection while the monitors are created would end the process.
      measured.catch(() => undefined)
      const first = await refusedOr201(product, owner, settings(0))
      const ids = first === null ? [] : [first]
      while (ids.length < count) {
        ids.push(await created(product, owner, { ...settings(ids.length), ...(first === null ? { assertions: [] } : {}) }))
      }
      const stop = first === null ? offer(product, owner, settings(0)) : async () => -1
      if (first === null) {
        await pool.query('UPDATE monitors SET assertions = $2 WHERE monitor_id = ANY ($1)', [ids, JSON.stringify(assertions)])
      }
      const beside = await measured
      const offered = (await stop()) + 1
      for (const id of ids) await product.api('DELETE', `/api/v1/monitors/${id}`, undefined, owner.apiToken)
      // Refused monitors do not even request their body.
      if (first !== null && hostile.asked() === asked) throw new Error(`${name}: it was not checked`)
      return { beside, offered }
    }

    await until('the neighbours to be checked', () => (lateness.length > 3 * reads.length ? true : null), 120_000)
    const without = [await measure()]
    const all: Measured[] = []
    const pairs: Pair[] = []
    let refusedCases = 0
    for (const one of chosen) {
      const { beside, offered } = await measureBeside(one)
      if (offered > 0) refusedCases++
      // Checks in flight end meanwhile.
      await new Promise((resolve) => setTimeout(resolve, REST_MS))
      const [before, after] = [without.at(-1) as Measured, await measure()]
      without.push(after)
      all.push(beside)
      const ratio = (kind: Kind): number => (2 * p99(beside, kind)) / (p99(before, kind) + p99(after, kind))
      pairs.push({ ratio: { lateness: ratio('lateness'), latency: ratio('latency') } })
      const what = offered > 0 ? `refused, ${offered} times` : 'taken'
      console.log(
        `  ${one.name}: ${what}; p99 without: ${told(before)}; with: ${told(beside)}; without: ${told(after)}; ratios ${ratio('lateness').toFixed(2)} and ${ratio('latency').toFixed(2)}; its assertions ran in ${(100 * beside.busy).toFixed(0)} % of the time (without: ${(100 * before.busy).toFixed(0)} %) and used ${beside.used.toFixed(1)} s (without: ${before.used.toFixed(1)} s)`
      )
    }
    report('HOSTILE_LATENESS', 'lateness', without, all, pairs)
    report('HOSTILE_API', 'latency', without, all, pairs)
    figure({ id: 'HOSTILE_REFUSED', value: refusedCases, unit: 'cases', target: { op: '>=', value: 0 } })
  } finally {
    await pool.end()
    await product.stop()
    await hostile.stop()
    calm.close()
  }
}

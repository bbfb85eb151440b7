/**
 * HOSTILE: what neighbours feel of monitors whose expressions and paths are of ill will, on bodies
 * of 10 MiB: how late their checks come to their target, and the p99 of their requests to the API,
 * beside the same run without those monitors. What the API refuses is put into the store as if an
 * older version had taken it, and is offered to the API again and again meanwhile.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { Assertion } from '../../schemas/http/check-config.ts'
import { slotOffset } from '../../services/checks/slots.ts'
import { makeWorkspace, type Product, startProduct, type TestWorkspace, until } from '../harness/product.ts'
import { figure, percentile, printMachine } from './figures.ts'
import { openLoad, requestBytes } from './open-load.ts'

const NEIGHBOURS = 10
const MONITORS_EACH = 20
const INTERVAL_MS = 10_000
const READS_A_SECOND = 50
const OFFERS_A_SECOND = 2
const TARGET = 1.5

interface Case {
  name: string
  body: 'letters' | 'random' | 'lists'
  assertions: Assertion[]
}

const matching = (...values: string[]): Assertion[] => values.map((value) => ({ source: 'body', op: 'matches', value }))
const times = (make: (n: number) => string): string[] => Array.from({ length: 20 }, (_, n) => make(n))

/** Expressions that made other engines famous, ones that grow, and paths. */
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
 * Serves the bodies from a thread of its own: to send 10 MiB is work, and the neighbours' target is
 * in this one.
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

/** The neighbours' target: notes by how much each check comes after its slot. */
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
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { secs: { type: 'string', default: '10' }, hostile: { type: 'string', default: '1' }, only: { type: 'string' } }
  })
  const secs = Number(values.secs)
  /** Hostile monitors at a time. */
  const count = Number(values.hostile)
  const chosen = cases.filter(({ name }) => values.only === undefined || name.includes(values.only))
  printMachine(
    `${NEIGHBOURS} workspaces of ${MONITORS_EACH} monitors, each checked every ${INTERVAL_MS / 1000} s from three regions, and ${READS_A_SECOND} reads/s of the API, open loop; ${chosen.length} hostile cases, ${count} monitors each, ${secs} s without and ${secs} s with them, in turns; a refused one is offered ${OFFERS_A_SECOND} times a second and stored past the API; p99 of all runs together`
  )
  const lateness: number[] = []
  const [calm, hostile] = await Promise.all([target(lateness), serveBodies()])
  const product = await startProduct({ environment: { PROBER_ALLOW_CIDRS: '127.0.0.0/8' } })
  const pool = product.pool()
  try {
    const origin = `http://127.0.0.1:${(calm.address() as AddressInfo).port}`
    const monitors: { id: string; workspace: TestWorkspace }[] = []
    for (let index = 0; index < NEIGHBOURS; index++) {
      const workspace = await makeWorkspace(pool, `neighbour-${index}`, 'generic')
      for (let nth = 0; nth < MONITORS_EACH; nth++) {
        // Its path is its id, which the slots are counted from.
        const id = await created(product, workspace, settingsOf(`monitor ${nth}`, `${origin}/`, matching('^fine$')))
        const changed = await product.api('PATCH', `/api/v1/monitors/${id}`, { target: `${origin}/${id}` }, workspace.apiToken)
        if (changed.status !== 200) throw new Error(`PATCH /monitors answered ${changed.status}`)
        monitors.push({ id, workspace })
      }
    }
    const owner = await makeWorkspace(pool, 'hostile', 'generic')
    const reads = monitors.map(({ id, workspace }) =>
      requestBytes('GET', `/api/v1/monitors/${id}`, { Authorization: `Bearer ${workspace.apiToken}` }, '')
    )

    async function measure(): Promise<Measured> {
      lateness.length = 0
      const { latencies, statuses, unanswered } = await openLoad({
        port: product.port('api'),
        rate: READS_A_SECOND,
        seconds: secs,
        connections: 16,
        request: (index) => reads[index % reads.length] as Buffer
      })
      // A machine that does much else makes the service give up some connections.
      if (unanswered > 0 || (statuses.get(200) ?? 0) < 0.95 * latencies.length) throw new Error(`reads: ${JSON.stringify([...statuses])}`)
      return { lateness: [...lateness], latency: latencies }
    }

    /** Offers them again and again until told to stop; how often they were refused. */
    function offer(settings: object): () => Promise<number> {
      let refused = 0
      let running = true
      const done = (async () => {
        while (running) {
          const from = performance.now()
          const { status } = await product.api('POST', '/api/v1/monitors', settings, owner.apiToken)
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

    await until('the neighbours to be checked', () => (lateness.length > 3 * monitors.length ? true : null), 120_000)
    const all: Record<'without' | 'with', Measured> = { without: { lateness: [], latency: [] }, with: { lateness: [], latency: [] } }
    let refusedCases = 0
    for (const { name, body, assertions } of chosen) {
      const without = await measure()
      const url = `http://127.0.0.1:${hostile.port}/${body}`
      const wanted = settingsOf(`${name} 0`, url, assertions)
      const first = await product.api('POST', '/api/v1/monitors', wanted, owner.apiToken)
      const isRefused = first.status === 422
      if (isRefused) refusedCases++
      else if (first.status !== 201) throw new Error(`${name}: POST /monitors answered ${first.status}`)
      const ids = isRefused ? [] : [String(first.body.id)]
      const asked = hostile.asked()
      while (ids.length < count)
        ids.push(await created(product, owner, settingsOf(`${name} ${ids.length}`, url, isRefused ? [] : assertions)))
      if (isRefused) await pool.query('UPDATE monitors SET assertions = $2 WHERE monitor_id = ANY ($1)', [ids, JSON.stringify(assertions)])
      // Those that are refused are not even asked for their body: there is nothing to see but time.
      if (isRefused) await new Promise((resolve) => setTimeout(resolve, 2000))
      else await until('the hostile ones to be checked', () => (hostile.asked() > asked ? true : null), 30_000)
      const stop = isRefused ? offer(wanted) : async () => 0
      const beside = await measure()
      const offered = await stop()
      for (const id of ids) await product.api('DELETE', `/api/v1/monitors/${id}`, undefined, owner.apiToken)
      const p99 = ({ lateness: late, latency }: Measured): string =>
        `checks ${percentile(late, 0.99).toFixed(0)} ms late, API ${percentile(latency, 0.99).toFixed(1)} ms`
      console.log(`  ${name}: ${isRefused ? `refused, ${offered + 1} times` : 'taken'}; p99 without: ${p99(without)}; with: ${p99(beside)}`)
      for (const [key, one] of [
        ['without', without],
        ['with', beside]
      ] as const) {
        all[key].lateness.push(...one.lateness)
        all[key].latency.push(...one.latency)
      }
    }
    for (const [id, key] of [
      ['HOSTILE_LATENESS', 'lateness'],
      ['HOSTILE_API', 'latency']
    ] as const) {
      figure({
        id,
        value: percentile(all.with[key], 0.99),
        unit: 'ms',
        peer: { name: 'without', value: percentile(all.without[key], 0.99) },
        target: { op: '<=', value: TARGET }
      })
    }
    figure({ id: 'HOSTILE_REFUSED', value: refusedCases, unit: 'cases', target: { op: '>=', value: 0 } })
  } finally {
    await pool.end()
    await product.stop()
    await hostile.stop()
    calm.close()
  }
}

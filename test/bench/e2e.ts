/**
 * E2E_50 and E2E_300: time from the intended moment of posting an alert to its frame on a
 * dashboard's socket, open loop. Every alert has a new key and is resolved 10 s later; there are 20
 * workspaces with 20 sockets each. The floor is measured in the same run and on the same broker:
 * two bare produce → consume hops. With `--spinning`, each rate is measured once more beside a
 * process that only spins. Each run also prints how long its alerts spent in each stage.
 *
 * The frame names the incident, not the alert, so the incidents are read back through the API
 * afterwards and matched by title.
 */
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { createMetrics } from '../../services/process/metrics.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import { createTopics, deleteTopics } from '../../streams/runtime/create-topics.ts'
import { makeWorkspace, type Product, startProduct, type TestWorkspace } from '../harness/product.ts'
import { figure, percentile, printMachine } from './figures.ts'
import { type Listener, listen } from './listeners.ts'
import { endPosts, post } from './posts.ts'
import { cpuSeconds, treeCpuSeconds } from './processes.ts'
import { quiet } from './stand.ts'
import { createdIncident, type Passed, stagesOf, TITLE_END } from './way.ts'

const WORKSPACES = 20
const SOCKETS = 20
const RESOLVE_AFTER_MS = 10_000
const TARGET_MS = 25
/** p99 at 50 alerts a second, where no alert waits for another. */
const TARGET_P99_MS = 80
/** A second that contains an alert slower than this is printed. */
const LATE_MS = 500
const TOPIC = 'realtime.frames.v1'

export interface Board {
  /**
   * incident_id → when the first and the last of the workspace's sockets received its frame, in ms
   * of performance.now().
   */
  first: Map<string, number>
  last: Map<string, number>
  frames: number
}

export async function openSockets(product: Product, workspace: TestWorkspace, board: Board): Promise<Listener[]> {
  const path = `/api/v1/ws?token=${workspace.apiToken}`
  const sockets: Listener[] = []
  for (let index = 0; index < SOCKETS; index++) {
    const socket = await listen(product.port('gateway'), path, (bytes, from, to) => {
      const now = performance.now()
      const incident = createdIncident(bytes.toString('latin1', from, to))
      if (incident === null) return
      board.frames += 1
      if (!board.first.has(incident)) board.first.set(incident, now)
      board.last.set(incident, now)
    })
    sockets.push(socket)
  }
  return sockets
}

/**
 * Calls `act` `rate` times a second for `ms`. Each call receives the moment it was intended for.
 */
export async function openLoop(rate: number, ms: number, act: (index: number, intended: number) => void): Promise<void> {
  const start = performance.now()
  const total = Math.round((rate * ms) / 1000)
  for (let index = 0; index < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - start) * rate) / 1000) + 1)
    for (; index < due; index++) act(index, start + (index * 1000) / rate)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/**
 * Two bare hops at `rate`: append, consume, append again, consume. Returns ms from the intended
 * moment.
 */
async function floor(product: Product, rate: number, ms: number): Promise<number[]> {
  const options = { brokers: [`127.0.0.1:${product.port('kafka')}`], clientId: 'bench-floor', topicPrefix: 'test-floor-', log: quiet }
  await createTopics(options, [TOPIC, 'alerts.inbound.v1'])
  const stream = await connectStream({ ...options, metrics: createMetrics() })
  const taken: number[] = []
  try {
    const failed: unknown[] = []
    const first = await stream.follow({
      topics: ['alerts.inbound.v1'],
      from: 'end',
      onRecords: (records) =>
        void stream.log.append(records.map(({ key, value }) => ({ topic: TOPIC, key, value }))).catch((error) => failed.push(error))
    })
    const second = await stream.follow({
      topics: [TOPIC],
      from: 'end',
      onRecords: (records) => {
        const now = performance.now()
        for (const { value } of records) taken.push(now - Number(value?.toString()))
      }
    })
    await Promise.all([first.caughtUp, second.caughtUp])
    await openLoop(rate, ms, (index, intended) => {
      stream.log
        .append([{ topic: 'alerts.inbound.v1', key: `key-${index}`, value: Buffer.from(String(intended)) }])
        .catch((error) => failed.push(error))
    })
    await new Promise((resolve) => setTimeout(resolve, 1000))
    if (failed.length > 0) throw failed[0]
  } finally {
    await stream.close()
    await deleteTopics(options, [TOPIC, 'alerts.inbound.v1'])
  }
  return taken
}

/** The stages that an alert passes, with the process that does each. */
const stages = { door: 'intake', broker: 'kafka', processor: 'processors', gateway: 'gateway' } as const

/**
 * Starts counting CPU. The returned function tells the share of a core that each process of the
 * stack and this process used since then, and the CPU that each stage used per alert when there
 * were `alerts` of them.
 */
function cpuShares(product: Product): (alerts: number) => { shares: string; stages: string } {
  const pids = { ...product.pids(), generator: process.pid }
  // Postgres has a process for each connection, so its whole tree counts. Every other process
  // either has no children or has children that are listed here themselves.
  const now = () => new Map(Object.entries(pids).map(([name, pid]) => [name, name === 'postgres' ? treeCpuSeconds(pid) : cpuSeconds(pid)]))
  const from = performance.now()
  const before = now()
  return (alerts) => {
    const seconds = (performance.now() - from) / 1000
    const took = new Map([...now()].map(([name, cpu]) => [name, cpu - (before.get(name) ?? 0)]))
    const shares = [...took]
      .map(([name, cpu]) => ({ name, share: (100 * cpu) / seconds }))
      .sort((one, other) => other.share - one.share)
      .map(({ name, share }) => `${name} ${share.toFixed(0)} %`)
      .join(', ')
    const perAlert = ([stage, name]: [string, string]): string => `${stage} ${((1000 * (took.get(name) ?? 0)) / alerts).toFixed(2)} ms`
    return { shares, stages: Object.entries(stages).map(perAlert).join(', ') }
  }
}

/** Starts a process that uses as much of a core as it gets. Returns a function that ends it. */
function spin(): () => void {
  const child = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  return () => void child.kill('SIGKILL')
}

/** Reads a workspace's incidents through the API: incident title → incident_id. */
export async function incidents(product: Product, workspace: TestWorkspace): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (let page = 1; ; page++) {
    const { status, body } = await product.api('GET', `/api/v1/incidents?per_page=200&page=${page}`, undefined, workspace.apiToken)
    if (status !== 200) throw new Error(`GET /incidents answered ${status}`)
    const items = body.items as { id: string; title: string }[]
    for (const { id, title } of items) found.set(title, id)
    if (page >= Number(body.total_pages)) return found
  }
}

interface Run {
  rate: number
  ms: number
  /** Whether it runs beside a spinning process. */
  isBeside: boolean
}

async function measure(product: Product, workspaces: TestWorkspace[], { rate, ms, isBeside }: Run): Promise<void> {
  const run = isBeside ? `${rate}-spinning` : String(rate)
  const boards = workspaces.map((): Board => ({ first: new Map(), last: new Map(), frames: 0 }))
  const sockets = (await Promise.all(workspaces.map((workspace, index) => openSockets(product, workspace, boards[index] as Board)))).flat()
  const bare = await floor(product, rate, 5000)
  const door = product.port('intake')
  const sent: { title: string; workspace: number; intended: number }[] = []
  const refused: number[] = []
  const pending: Promise<void>[] = []
  const send = (workspace: number, body: string): void => {
    pending.push(
      post(door, (workspaces[workspace] as TestWorkspace).door, body).then(
        (status) => {
          if (status !== 200) refused.push(status)
        },
        () => void refused.push(0)
      )
    )
  }
  const resolves: NodeJS.Timeout[] = []
  const since = Date.now()
  const shares = cpuShares(product)
  const begun = performance.now()
  await openLoop(rate, ms, (index, intended) => {
    const workspace = index % workspaces.length
    const title = `alert ${run} ${index}${TITLE_END}`
    sent.push({ title, workspace, intended })
    send(workspace, JSON.stringify({ title, severity: 'critical', dedup_key: `e2e-${run}-${index}` }))
    resolves.push(
      setTimeout(
        () => send(workspace, JSON.stringify({ title, severity: 'critical', status: 'resolved', dedup_key: `e2e-${run}-${index}` })),
        RESOLVE_AFTER_MS
      )
    )
  })
  const cpu = shares(sent.length)
  console.log(`  CPU while sending, of one core: ${cpu.shares}`)
  console.log(`  CPU of each stage for an alert, and the resolve of an earlier one: ${cpu.stages}`)
  await new Promise((resolve) => setTimeout(resolve, RESOLVE_AFTER_MS + 2000))
  await Promise.all(pending)
  for (const socket of sockets) socket.close()
  const first: number[] = []
  const last: number[] = []
  const passed: Passed[] = []
  const slowest = new Map<number, number>()
  let missing = 0
  const byWorkspace = await Promise.all(workspaces.map((workspace) => incidents(product, workspace)))
  for (const { title, workspace, intended } of sent) {
    const incident = byWorkspace[workspace]?.get(title)
    const at = incident === undefined ? undefined : boards[workspace]?.first.get(incident)
    if (incident === undefined || at === undefined) missing += 1
    else {
      first.push(at - intended)
      const arrived = boards[workspace]?.last.get(incident) ?? Number.NaN
      const took = arrived - intended
      last.push(took)
      passed.push({ intended, title, incident_id: incident, arrived })
      const second = Math.floor((intended - begun) / 1000)
      slowest.set(second, Math.max(slowest.get(second) ?? 0, took))
    }
  }
  const frames = boards.reduce((sum, board) => sum + board.frames, 0)
  const show = (values: number[]): string =>
    [0.5, 0.9, 0.99, 0.999].map((share) => `p${share * 100} ${percentile(values, share).toFixed(1)}`).join(', ')
  console.log(
    `${rate} alerts/s for ${ms / 1000} s${isBeside ? ' beside one spinning process' : ''}: ${sent.length} sent, ${refused.length} refused, ${missing} without a frame, ${frames} frames`
  )
  console.log(`  first socket: ${show(first)} ms; last of ${SOCKETS}: ${show(last)} ms; two bare hops: ${show(bare)} ms`)
  console.log(`  ${await stagesOf(product, `alert ${run} `, since, passed)}`)
  const late = [...slowest].filter(([, took]) => took > LATE_MS).map(([second, took]) => `${second} s: ${took.toFixed(0)} ms`)
  console.log(`  seconds whose slowest alert took over ${LATE_MS} ms: ${late.join(', ') || 'none'}`)
  if (missing > 0 || refused.length > 0 || frames < sent.length * SOCKETS)
    throw new Error('every alert must be accepted and have its frame on every socket')
  const told = (suffix: string, share: number, target: number): void =>
    figure({
      id: `E2E_${rate}${isBeside ? '_SPINNING' : ''}${suffix}`,
      value: percentile(last, share),
      unit: 'ms',
      peer: { name: 'two-hops', value: percentile(bare, share) },
      target: { op: '<=', value: target, of: 'value' }
    })
  told('', 0.5, TARGET_MS)
  told('_P99', 0.99, TARGET_P99_MS)
  told('_P999', 0.999, TARGET_P99_MS)
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rate: { type: 'string', default: '50,300' },
      secs: { type: 'string', default: '30' },
      spinning: { type: 'boolean', default: false }
    }
  })
  printMachine(
    `open loop from the intended moment; ${WORKSPACES} workspaces x ${SOCKETS} sockets, generator and sockets in this process on the same cores; p50, p99 and p99.9 of the last socket of a workspace to have the frame`
  )
  const product = await startProduct()
  try {
    const pool = product.pool()
    const workspaces: TestWorkspace[] = []
    for (let index = 0; index < WORKSPACES; index++) workspaces.push(await makeWorkspace(pool, `bench-${index}`, 'generic'))
    await pool.end()
    const ms = Number(values.secs) * 1000
    for (const rate of values.rate.split(',').map(Number)) {
      await measure(product, workspaces, { rate, ms, isBeside: false })
      if (!values.spinning) continue
      const end = spin()
      try {
        await measure(product, workspaces, { rate, ms, isBeside: true })
      } finally {
        end()
      }
    }
  } finally {
    endPosts()
    await product.stop()
  }
}

/**
 * npm run chaos -- watched [--story kill|processors|broker]: monitors are checked from three
 * regions, heartbeats are pinged all the time and alerts come in, while
 *   kill        processes are killed at random, analytics among them, and the broker
 *   processors  the folds are frozen for the whole time, then ended and started anew
 *   broker      the broker is kept away for the whole time
 * With kill, other monitors fail meanwhile as failing.ts plays it: a parent and its children, some
 * within a maintenance window, some at once. Acceptance: no heartbeat that was pinged is ever
 * missed and no monitor that answers is ever down; an outage of the service is one notice; every
 * accepted ping is on the log; and ClickHouse holds every fact and event of the log exactly once:
 * plain counts, distinct counts, log and sums of the rollups are equal.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { uuidv4 } from '../../schemas/uuid.ts'
import { listNotices } from '../../services/store/platform-notices.ts'
import { makeWorkspace, type Product, startProduct, type TestWorkspace } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { compareTables, type Expected, expectedOf } from './check-tables.ts'
import { report, type Verdicts } from './checks.ts'
import { type Failing, failTogether } from './failing.ts'
import { holdKafka, kill, pidOf, releaseKafka, restarted, running, type Victim } from './faults.ts'
import { createPoster } from './post.ts'
import { readBack } from './readback.ts'
import { seeded } from './senders.ts'

const stories = ['kill', 'processors', 'broker'] as const
type Story = (typeof stories)[number]

const MONITORS = 12
const HEARTBEATS = 60
const PERIOD_SECONDS = 30
/** A job that pings this often, and tries again at once when it is refused, is well. */
const PING_EVERY_MS = 10_000
const RETRY_MS = 1000
const AFTERWARDS_MS = 45_000
const LIMIT_MS = 120_000

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

interface Load {
  /** rid of every ping that was answered 200. */
  accepted: Set<string>
  statuses: Map<number, number>
  stop(): Promise<void>
}

/**
 * Starts a job for every heartbeat: it pings, and when the answer is not 200 it tries again with
 * the same run until its next turn.
 */
export function pinging(intake: string, tokens: readonly string[], door: string): Load {
  const poster = createPoster()
  const accepted = new Set<string>()
  const statuses = new Map<number, number>()
  let stopped = false
  const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  async function job(token: string, first: number): Promise<void> {
    await sleep(first)
    while (!stopped) {
      const rid = uuidv4()
      const due = Date.now() + PING_EVERY_MS
      for (;;) {
        const { status } = await poster.post(`${intake}/api/v1/ping/${token}?rid=${rid}`, {}, '')
        count(status)
        if (status === 200) accepted.add(rid)
        if (status === 200 || Date.now() + RETRY_MS > due) break
        await sleep(RETRY_MS)
      }
      await sleep(Math.max(due - Date.now(), 0))
    }
  }
  async function alerting(): Promise<void> {
    for (let nth = 0; !stopped; nth++) {
      const body = {
        title: `alert ${nth >> 1}`,
        severity: 'warning',
        dedup_key: `watched-${nth >> 1}`,
        status: nth % 2 ? 'resolved' : 'firing'
      }
      count((await poster.post(`${intake}/api/v1/webhooks/incoming/${door}`, {}, JSON.stringify(body))).status)
      await sleep(200)
    }
  }
  const jobs = [...tokens.map((token, index) => job(token, (index * PING_EVERY_MS) / tokens.length)), alerting()]
  return {
    accepted,
    statuses,
    async stop() {
      stopped = true
      await Promise.all(jobs)
      poster.close()
    }
  }
}

export async function created<T>(product: Product, workspace: TestWorkspace, path: string, body: object): Promise<T> {
  const answer = await product.api('POST', path, body, workspace.apiToken)
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body as T
}

/**
 * Processes that are killed at random. The probers are among them, since a region that is away must
 * page nobody.
 */
const prey: readonly (Victim | 'analytics' | 'prober-us-east')[] = [
  'analytics',
  'processors',
  'analytics',
  'relay',
  'intake',
  'analytics',
  'kafka',
  'prober-us-east',
  'analytics',
  'api'
]

async function act(story: Story, product: Product, secs: number, random: () => number, tell: (line: string) => void): Promise<void> {
  const end = Date.now() + secs * 1000
  if (story === 'processors') {
    const pid = pidOf(product, 'processors') ?? 0
    process.kill(pid, 'SIGSTOP')
    tell(`the folds (${pid}) are frozen for ${secs} s`)
    await sleep(secs * 1000)
    process.kill(pid, 'SIGKILL')
    await restarted(product, 'processors', pid)
    tell('they were ended and started anew')
  } else if (story === 'broker') {
    holdKafka(product)
    const dead = await kill(product, 'kafka')
    tell(`the broker (${dead}) is kept away for ${secs} s`)
    await sleep(secs * 1000)
    releaseKafka(product)
    await restarted(product, 'kafka', dead)
    tell('it is back')
  } else {
    while (Date.now() < end) {
      await sleep(2000 + random() * 5000)
      const victim = prey[Math.floor(random() * prey.length)] as Victim
      const pid = await kill(product, victim)
      await restarted(product, victim, pid)
      tell(`killed ${victim} (${pid})`)
    }
    for (const victim of prey) await running(product, victim as Victim)
  }
}

/**
 * Waits until analytics says that it has everything that was on the log at `at`, for each topic
 * that it can be asked about.
 */
async function caughtUp(product: Product, workspace: TestWorkspace, monitor: string, heartbeat: string, at: number): Promise<void> {
  const paths = [
    `/api/v1/monitors/${monitor}/checks`,
    `/api/v1/monitors/${monitor}/status-changes`,
    `/api/v1/heartbeats/${heartbeat}/pings`,
    '/api/v1/analytics/incidents'
  ]
  for (const path of paths) {
    await until(
      `analytics to have all of ${path}`,
      async () => {
        await sleep(1000)
        const { status, body } = await product.api('GET', path, undefined, workspace.apiToken)
        return status === 200 && typeof body.complete_until === 'string' && Date.parse(body.complete_until) > at
      },
      LIMIT_MS
    )
  }
}

export async function watched(
  product: Product,
  story: Story,
  secs: number,
  seed: number,
  tell: (line: string) => void
): Promise<Verdicts & { expected: Expected }> {
  const violations: string[] = []
  const counts: Verdicts['counts'] = { seed, story }
  const must = (holds: boolean, sentence: string): void => {
    if (!holds) violations.push(sentence)
  }
  const site = createServer((_, response) => response.end('well'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  const target = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const pool = product.pool()
  let load: Load | undefined
  let failing: Failing | undefined
  try {
    const workspace = await makeWorkspace(pool, `watched-${story}`, 'generic')
    const monitors: string[] = []
    for (let index = 0; index < MONITORS; index++) {
      const settings = { name: `Site ${index}`, type: 'http', target, interval_seconds: 10, timeout_seconds: 5, retry: { count: 0 } }
      monitors.push((await created<{ id: string }>(product, workspace, '/api/v1/monitors', settings)).id)
    }
    const heartbeats: { id: string; ping_token: string }[] = []
    for (let index = 0; index < HEARTBEATS; index++) {
      const settings = { name: `Job ${index}`, schedule: { kind: 'period', period_seconds: PERIOD_SECONDS }, grace_seconds: 0 }
      heartbeats.push(await created(product, workspace, '/api/v1/heartbeats', settings))
    }
    load = pinging(
      `http://127.0.0.1:${product.port('intake')}`,
      heartbeats.map(({ ping_token }) => ping_token),
      workspace.door
    )
    await sleep(15_000)
    if (story === 'kill') failing = await failTogether(product, pool, `watched-${story}`, tell)
    const began = Date.now()
    await act(story, product, secs, seeded(seed), tell)
    tell(`${((Date.now() - began) / 1000).toFixed(0)} s are over; the load goes on for ${AFTERWARDS_MS / 1000} s`)
    await sleep(AFTERWARDS_MS)
    await failing?.played
    await load.stop()
    const all = await product.api('GET', '/api/v1/heartbeats?per_page=100', undefined, workspace.apiToken)
    const { items } = all.body as { items: { status: string }[] }
    must(items.length === HEARTBEATS && items.every(({ status }) => status === 'up'), 'not every heartbeat was up at the end')
    // Without pings a heartbeat would be missed, and correctly so.
    for (const path of [...monitors.map((id) => `monitors/${id}`), ...heartbeats.map(({ id }) => `heartbeats/${id}`)]) {
      const paused = await product.api('POST', `/api/v1/${path}/pause`, { resolve_open: false }, workspace.apiToken)
      must(paused.status === 200, `pause answered ${paused.status}`)
    }
    await failing?.pause()
    await sleep(12_000) // For checks that probers had under way.
    const [monitor, heartbeat] = [monitors[0] ?? '', heartbeats[0]?.id ?? '']
    await caughtUp(product, workspace, monitor, heartbeat, Date.now())

    const log = await readBack(product)
    const [expected, beside] = await Promise.all([expectedOf(log, failing?.monitor_ids), failing?.verdicts(log)]).finally(() => log.close())
    counts.pings_accepted = load.accepted.size
    counts.statuses = [...load.statuses].map(([status, times]) => `${status || 'none'}: ${times}`).join(', ')
    const lost = [...load.accepted].filter((rid) => !expected.runs.has(rid))
    must(lost.length === 0, `${lost.length} accepted pings are not on the log, first ${lost[0]}`)
    must(expected.missed.length === 0, `${expected.missed.length} false misses, first ${expected.missed[0]}`)
    must(expected.down.length === 0, `${expected.down.length} monitors that answer were down, first ${expected.down[0]}`)
    const notices = (await listNotices(pool, 100)).filter(({ ended_at }) => ended_at >= began)
    counts.notices = notices
      .map(({ started_at, ended_at, causes }) => `${((ended_at - started_at) / 1000).toFixed(0)} s: ${causes.join('+')}`)
      .join('; ')
    if (story === 'broker') must(notices.length === 1, `${notices.length} notices of one outage`)
    if (story === 'processors') must(notices.length === 0, `${notices.length} notices although nothing of ours was away for pings`)
    return {
      counts: { ...counts, ...beside?.counts },
      violations: [...violations, ...(beside?.violations ?? [])],
      expected
    }
  } finally {
    releaseKafka(product)
    await load?.stop()
    failing?.close()
    await pool.end()
    site.close()
    site.closeAllConnections()
  }
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: { secs: { type: 'string', default: '' }, seed: { type: 'string', default: '1' }, story: { type: 'string', default: 'kill' } }
  })
  const story = stories.find((one) => one === values.story)
  if (!story) throw new Error(`--story is one of ${stories.join(', ')}`)
  const secs = Number(values.secs || (story === 'kill' ? 120 : 60))
  console.log(`watched: ${MONITORS} monitors, ${HEARTBEATS} heartbeats; ${story} for ${secs} s, seed ${values.seed}`)
  const product = await startProduct({ environment: { PROBER_ALLOW_CIDRS: '127.0.0.0/8' }, keepData: true })
  let verdicts: Awaited<ReturnType<typeof watched>>
  try {
    verdicts = await watched(product, story, secs, Number(values.seed), console.log)
  } finally {
    await product.stop()
  }
  // Only one process at a time can use the engine, so the tables are read once analytics has ended.
  const tables = await compareTables(product.dataDir, verdicts.expected).finally(() => product.forget())
  const all = { counts: { ...verdicts.counts, ...tables.counts }, violations: [...verdicts.violations, ...tables.violations] }
  const good = report(all)
  console.log(good ? 'watched: every invariant held' : `watched: ${all.violations.length} violations`)
  return good
}

/**
 * Shared by the fault runs of deliveries: incidents open, are acknowledged and end while one fault
 * follows another, and then the run waits until everything has ended.
 */
import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { Pool } from '../../services/store/pool.ts'
import { type CrashPointName, crashPoints } from '../../streams/runtime/crash-point.ts'
import { type Product, startProduct, type TestWorkspace } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { report, type Verdicts } from './checks.ts'
import { liveFates } from './fates.ts'
import { kill, restarted, running, type Victim } from './faults.ts'
import { type Notifier, startNotifier } from './notifiers.ts'
import { seeded } from './senders.ts'

export interface Span {
  /** For how long incidents are opened and acted on. */
  secs: number
  /** Incidents a second, in the first part of the time. */
  rate: number
  seed: number
}

export interface DeliveringOptions extends Span {
  faults: readonly Fault[]
  /** Name of the run's workspace; unique in the product. */
  name: string
  tell(line: string): void
}

export const enginePoints = crashPoints.filter((name) => name.startsWith('deliver.'))
export type Fault = CrashPointName | 'notifier' | 'second notifier' | 'postgres' | 'kafka'
export const faults: readonly Fault[] = [...enginePoints, 'notifier', 'second notifier', 'postgres', 'kafka']

/** Leases of deliveries last a minute, and a target that keeps failing is paused for up to five. */
const QUIET_MS = 900_000
const LOOK_MS = 500
/** Waits up to this long are not shortened. */
const SOON_SECONDS = 2

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What becomes of a delivery's attempts, by chance and by its key alone. */
export function behaviourOf(key: string): 'takes' | 'slow' | 'fails' | 'overloaded' | 'resets' | 'silent' | 'refuses' {
  const die = createHash('sha256').update(key).digest()[0] ?? 0
  if (die < 110) return 'takes'
  if (die < 140) return 'slow'
  if (die < 175) return 'fails'
  if (die < 200) return 'overloaded'
  if (die < 225) return 'resets'
  return die < 235 ? 'silent' : 'refuses'
}

/**
 * Causes one fault. `environment`: additional settings of the notifiers that run beside the
 * product's own.
 */
export async function faultOnce(
  product: Product,
  fault: Fault,
  second: Notifier,
  tell: (line: string) => void,
  environment: NodeJS.ProcessEnv
): Promise<void> {
  const from = Date.now()
  if (fault === 'second notifier') {
    await second.kill()
    return tell(`killed the second notifier; another is there after ${Date.now() - from} ms`)
  }
  const point = enginePoints.find((name) => name === fault)
  if (point) {
    const doomed = await startNotifier(product, point, { ...environment, FAIL_AT: point })
    // When it has nothing to do, it outlives the run.
    await until(`a notifier to die at ${point}`, () => doomed.hasEnded())
    return tell(`a notifier died at ${point}`)
  }
  const victim = fault as Victim
  const dead = await kill(product, victim)
  tell(`killed ${victim} (${dead}), a new one was there after ${await restarted(product, victim, dead)} ms`)
}

/** Faults at a crash point of the engine come first, while there is much to send. */
const orderOf = (faults: readonly Fault[], random: () => number): Fault[] =>
  faults
    .map((fault) => ({ fault, at: random() + (enginePoints.some((one) => one === fault) ? 0 : 1) }))
    .sort((one, other) => one.at - other.at)
    .map(({ fault }) => fault)

/** Ends the ongoing incidents, so that everybody who was told of one is told of its end. */
export async function endAll(product: Product, { apiToken }: TestWorkspace): Promise<void> {
  for (let left = 1; left > 0; ) {
    const list = await product.api('GET', '/api/v1/incidents?status=ongoing&per_page=100', undefined, apiToken)
    const items = (list.body.items ?? []) as { id: string }[]
    left = items.length
    for (const { id } of items) await product.api('POST', `/api/v1/incidents/${id}/resolve`, {}, apiToken)
  }
}

/**
 * Explains why open deliveries have not ended, for a person who reads the output of a run that
 * stopped.
 */
async function stillOpen(pool: Pool, tenant_id: string): Promise<string> {
  const { rows } = await pool.query<Record<'kind' | 'event' | 'state' | 'attempts' | 'waits' | 'error', unknown>>(
    `SELECT kind, event, state, attempts, (next_at - now())::text AS waits, attempt_log -> -1 ->> 'error' AS error FROM deliveries WHERE tenant_id = $1 AND open ORDER BY next_at LIMIT 20`,
    [tenant_id]
  )
  const lines = rows.map(
    ({ kind, event, state, attempts, waits, error }) => `${kind} ${event}: ${state} after ${attempts} attempts, next in ${waits}, ${error}`
  )
  return lines.join('\n  ')
}

/**
 * Resolves when the workspace has nothing left to deliver. It does not wait out the pauses between
 * attempts: a retry that is due in minutes is made due now.
 */
export async function quiet(product: Product, { tenant_id }: TestWorkspace): Promise<void> {
  const pool = product.pool()
  const left = async (): Promise<number> => {
    await pool.query(
      "UPDATE deliveries SET next_at = now() WHERE tenant_id = $1 AND open AND state = 'retrying' AND next_at > now() + make_interval(secs => $2)",
      [tenant_id, SOON_SECONDS]
    )
    const { rows } = await pool.query<{ left: number }>(
      `SELECT (SELECT count(*) FROM jobs WHERE tenant_id = $1 AND kind = 'incident_notify') + (SELECT count(*) FROM deliveries WHERE tenant_id = $1 AND open)
            + (SELECT count(*) FROM outbox) AS left`,
      [tenant_id]
    )
    return rows[0]?.left ?? 1
  }
  try {
    const deadline = Date.now() + QUIET_MS
    while ((await left()) > 0) {
      if (Date.now() > deadline)
        throw new Error(`not within ${QUIET_MS} ms: every delivery to end; open are\n  ${await stillOpen(pool, tenant_id)}`)
      await sleep(LOOK_MS)
    }
  } finally {
    await pool.end()
  }
}

/** Waits until everything that was killed is running again and the api answers. */
async function allBack(product: Product, { apiToken }: TestWorkspace): Promise<void> {
  for (const victim of ['postgres', 'kafka', 'notifier', 'api'] as const) await running(product, victim)
  await until('the api to answer', async () => (await product.api('GET', '/api/v1/incidents', undefined, apiToken)).status === 200)
}

/**
 * Runs faults; every process that was killed is running again by the end. `befall` causes one
 * fault.
 */
export async function livedUnderFaults(
  product: Product,
  workspace: TestWorkspace,
  { secs, rate, seed, faults }: DeliveringOptions,
  befall: (fault: Fault) => Promise<void>
): Promise<{ counts: Record<string, number | string>; undone: string[] }> {
  const random = seeded(seed)
  const order = orderOf(faults, random)
  const began = Date.now()
  const living = liveFates({
    product,
    workspaces: [workspace],
    severities: ['critical', 'warning'],
    random,
    rate,
    openingMs: secs * 700,
    thinkMs: [100, secs * 200],
    giveUpAt: began + secs * 1000 + 60_000
  })
  living.catch(() => undefined) // It is waited for below.
  const every = (secs * 900) / Math.max(order.length, 1)
  for (const [nth, fault] of order.entries()) {
    await sleep(Math.max(began + secs * 50 + nth * every - Date.now(), 0))
    await befall(fault)
  }
  const { opened, acts, undone } = await living
  await allBack(product, workspace)
  return { counts: { seed, faults: order.join(', '), opened, acts }, undone: undone.map((what) => `not done: ${what}`) }
}

/** `rate`: the default. */
export function spanIn(args: string[], rate: number): Span {
  const { values } = parseArgs({
    args,
    options: {
      secs: { type: 'string', default: '60' },
      rate: { type: 'string', default: String(rate) },
      seed: { type: 'string', default: '1' }
    }
  })
  return { secs: Number(values.secs), rate: Number(values.rate), seed: Number(values.seed) }
}

/** Runs on a product of its own. Resolves with whether every check held. */
export async function ranOn(
  name: string,
  what: string,
  environment: NodeJS.ProcessEnv,
  span: Span,
  work: (product: Product, options: DeliveringOptions) => Promise<Verdicts>
): Promise<boolean> {
  const { secs, rate, seed } = span
  console.log(`${name}: ${rate} incidents/s for ${secs * 0.7} s of ${secs} s, ${what}, seed ${seed}; ${faults.join(', ')} in turn`)
  const product = await startProduct({
    environment: { SERVICE_CHANNEL_ALLOW_CIDRS: '127.0.0.0/8', SERVICE_JOB_LEASE_MS: '5000', ...environment }
  })
  try {
    const verdicts = await work(product, { ...span, faults, name, tell: console.log })
    const good = report(verdicts)
    console.log(good ? `${name}: every invariant held` : `${name}: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await product.stop()
  }
}

/**
 * npm run chaos -- escalate: incidents with policies run while people acknowledge, take back,
 * comment, silence and resolve. Notifiers, Postgres and the broker are killed, and one of the
 * notifiers is frozen past its leases and continued. Acceptance: the steps are those of a reference
 * scheduler: none is missing, none is there twice, none comes after the acknowledging commit.
 */
import { parseArgs } from 'node:util'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { CrashPointName } from '../../streams/runtime/crash-point.ts'
import { makeWorkspace, type Product, startProduct } from '../harness/product.ts'
import { until } from '../harness/until.ts'
import { checkEscalations, type Escalating } from './check-escalation.ts'
import { report, type Verdicts } from './checks.ts'
import { liveFates } from './fates.ts'
import { kill, restarted, running, type Victim } from './faults.ts'
import { type Notifier, startNotifier } from './notifiers.ts'
import { seeded } from './senders.ts'

export const faults = ['notifier', 'second notifier', 'frozen behind its lease', 'frozen before its commit', 'postgres', 'kafka'] as const
type Fault = (typeof faults)[number]

const freezing: Partial<Record<Fault, CrashPointName>> = {
  'frozen behind its lease': 'job.after-lease',
  'frozen before its commit': 'job.before-end'
}

export interface EscalateOptions {
  /** For how long incidents are opened and acted on. */
  secs: number
  /** Incidents a second, in the first part of the time. */
  rate: number
  seed: number
  faults: readonly Fault[]
  /** Job lease of the product's notifier, as it was started. */
  leaseMs: number
  /** Name of the run's workspaces; unique in the product. */
  name: string
  /** Delay of most steps, in seconds. */
  delay: number
  tell(line: string): void
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Time that a place may take from when it is due, when nothing is killed. */
const USUAL_MS = 3000
/**
 * Time after a fault, in addition to the lease that it leaves, in which everybody connects again.
 */
const AFTER_FAULT_MS = 8000
/** Time until the folds continue after the broker was killed. */
const AFTER_KAFKA_MS = 30_000
const QUIET_MS = 180_000

/** Adds another person to a workspace. */
async function person(product: Product, tenant_id: string, name: string, reachable: boolean): Promise<string> {
  const pool = product.pool()
  try {
    const user_id = uuidv7()
    await pool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, $3, 'x')", [
      user_id,
      `${name}@example.test`,
      name
    ])
    await pool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'responder')", [tenant_id, user_id])
    await pool.query('DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id])
    if (reachable)
      await pool.query(
        "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at) VALUES ($1, $2, $3, 'email', $4, now())",
        [tenant_id, uuidv7(), user_id, `${name}@example.test`]
      )
    return user_id
  } finally {
    await pool.end()
  }
}

type Target = { type: 'user'; id: string }
const user = (id: string): Target => ({ type: 'user', id })

/** The policies of a run, each with the case that it tests. */
const policies: readonly ((people: { owner: string; ann: string; bob: string; nobody: string }, delay: number) => object)[] = [
  ({ owner, ann, bob }, delay) => ({
    repeat: 1,
    steps: [
      { targets: [user(ann)], delay_seconds: 1 },
      { targets: [user(bob), user(owner)], delay_seconds: delay },
      { targets: [user(owner)], delay_seconds: delay }
    ]
  }),
  ({ ann, bob, owner, nobody }, delay) => ({
    repeat: 0,
    steps: [
      { targets: [user(ann), user(bob), user(owner)], strategy: 'one_by_one', delay_seconds: delay },
      { targets: [user(nobody)], delay_seconds: delay },
      { targets: [user(nobody)], on_empty: 'fallback', delay_seconds: delay }
    ]
  }),
  ({ ann, bob, owner }, delay) => ({
    repeat: 2,
    steps: [
      { targets: [user(ann)], delay_seconds: 2, only_if: { severity: ['critical'] } },
      { targets: [user(bob)], delay_seconds: delay },
      { targets: [user(owner)], delay_seconds: 0, only_if: { severity: ['warning'] } }
    ]
  })
]

/** Makes a workspace for each policy, with people who can be asked and one who cannot. */
async function makeWorkspaces(product: Product, name: string, delay: number): Promise<Escalating[]> {
  const pool = product.pool()
  try {
    return await Promise.all(
      policies.map(async (policyOf, nth): Promise<Escalating> => {
        const workspace = await makeWorkspace(pool, `${name}-${nth}`, 'generic')
        const { tenant_id, apiToken } = workspace
        const { rows } = await pool.query<{ user_id: string }>('SELECT user_id FROM members WHERE tenant_id = $1', [tenant_id])
        const owner = rows[0]?.user_id ?? ''
        const [ann, bob, nobody] = await Promise.all([
          person(product, tenant_id, `${name}-${nth}-ann`, true),
          person(product, tenant_id, `${name}-${nth}-bob`, true),
          person(product, tenant_id, `${name}-${nth}-nobody`, false)
        ])
        const body = { name: 'Chaos', ...policyOf({ owner, ann, bob, nobody }, delay) }
        const made = await product.api('POST', '/api/v1/on-call/escalation-policies', body, apiToken)
        if (made.status !== 201) throw new Error(`a policy was answered ${made.status}: ${JSON.stringify(made.body)}`)
        const set = await product.api('PATCH', '/api/v1/workspace', { default_escalation_policy_id: made.body.id }, apiToken)
        if (set.status !== 200) throw new Error(`the default policy was answered ${set.status}`)
        return { ...workspace, owner, unreachable: new Set([nobody]) }
      })
    )
  } finally {
    await pool.end()
  }
}

interface Span {
  from: number
  to: number
}

/**
 * After this time a place counts as missing. It includes the faults, with their leases, that the
 * place runs into.
 */
export function allowedBy(spans: readonly Span[], usualMs: number): (due: number) => number {
  const sorted = [...spans].sort((one, other) => one.from - other.from)
  return (due) => {
    let at = due + usualMs
    for (const { from, to } of sorted) if (from <= at && to >= due) at = Math.max(at, to + usualMs)
    return at
  }
}

/** Lets a notifier take jobs, and freezes it with them until others have taken them over. */
async function freeze(product: Product, point: CrashPointName, leaseMs: number): Promise<void> {
  const frozen = await startNotifier(product, point, { SERVICE_JOB_LEASE_MS: String(leaseMs), FREEZE_AT: point })
  try {
    await until(`a notifier to be frozen at ${point}`, () => frozen.isFrozen())
    await sleep(leaseMs + 2000)
    if (!frozen.resume()) throw new Error('the frozen notifier was not there any more')
    // It notices that it lost the jobs, and continues as one of the notifiers.
    await sleep(1000)
  } finally {
    await frozen.stop()
  }
}

async function faultOnce(product: Product, fault: Fault, second: Notifier, { leaseMs, tell }: EscalateOptions): Promise<Span> {
  const from = Date.now()
  const span = (afterMs: number): Span => ({ from, to: Date.now() + afterMs })
  if (fault === 'second notifier') {
    await second.kill()
    tell(`killed the second notifier; another is there after ${Date.now() - from} ms`)
    return span(leaseMs + AFTER_FAULT_MS)
  }
  const point = freezing[fault]
  if (point) {
    await freeze(product, point, leaseMs)
    tell(`${fault}: a notifier with jobs slept for ${leaseMs + 2000} ms, and went on; its leases are ${leaseMs} ms`)
    return span(leaseMs + AFTER_FAULT_MS)
  }
  const victim = fault as Victim
  const dead = await kill(product, victim)
  const back = await restarted(product, victim, dead)
  tell(`killed ${victim} (${dead}), a new one was there after ${back} ms`)
  return span(fault === 'kafka' ? AFTER_KAFKA_MS : leaseMs + AFTER_FAULT_MS)
}

/** Waits until nothing more can come: every run has ended, or its incident has. */
async function settled(product: Product, tenants: readonly string[]): Promise<void> {
  const pool = product.pool()
  const left = async (): Promise<number> => {
    const { rows } = await pool.query<{ left: number }>(
      `SELECT (SELECT count(*) FROM jobs WHERE tenant_id = ANY ($1::uuid[]) AND kind = 'escalation_step')
            + (SELECT count(*) FROM outbox) AS left`,
      [tenants]
    )
    return rows[0]?.left ?? 1
  }
  try {
    // Postgres may not be back yet.
    await until('every run to end and the outbox to be empty', async () => (await left().catch(() => 1)) === 0, QUIET_MS)
  } finally {
    await pool.end()
  }
}

/** Runs incidents and faults on a product that is up, and checks what is left. */
export async function escalateUnderFaults(product: Product, options: EscalateOptions): Promise<Verdicts> {
  const { secs, rate, seed, name, delay, leaseMs } = options
  const random = seeded(seed)
  // The order follows from the seed. Notifiers that are frozen with jobs come first, while there
  // are many jobs.
  const order = [...options.faults]
    .map((fault) => ({ fault, at: random() + (freezing[fault] ? 0 : 1) }))
    .sort((one, other) => one.at - other.at)
  const workspaces = await makeWorkspaces(product, name, delay)
  const second = await startNotifier(product, 'second', { SERVICE_JOB_LEASE_MS: String(leaseMs) })
  try {
    const began = Date.now()
    const living = liveFates({
      product,
      workspaces,
      severities: ['critical', 'warning'],
      random,
      rate,
      openingMs: secs * 600,
      thinkMs: [500, secs * 200],
      giveUpAt: began + secs * 1000 + 60_000
    })
    living.catch(() => undefined) // It is waited for below.
    const spans: Span[] = []
    const every = (secs * 900) / Math.max(order.length, 1)
    for (const [nth, { fault }] of order.entries()) {
      await sleep(Math.max(began + secs * 100 + nth * every - Date.now(), 0))
      spans.push(await faultOnce(product, fault, second, options))
    }
    const { opened, acts, undone } = await living
    for (const victim of ['postgres', 'kafka', 'notifier'] as const) await running(product, victim)
    await settled(
      product,
      workspaces.map(({ tenant_id }) => tenant_id)
    )
    const checked = await checkEscalations(product, { workspaces, allowed: allowedBy(spans, USUAL_MS), until: Date.now() })
    return {
      counts: { seed, faults: order.map(({ fault }) => fault).join(', '), opened, acts, ...checked.counts },
      violations: [...undone.map((what) => `not done: ${what}`), ...checked.violations]
    }
  } finally {
    await second.stop()
  }
}

/** Resolves with whether every check held. */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      secs: { type: 'string', default: '60' },
      rate: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' }
    }
  })
  const [secs, rate, seed] = [Number(values.secs), Number(values.rate), Number(values.seed)]
  const leaseMs = 5000
  console.log(`escalate: ${rate} incidents/s for ${secs * 0.6} s of ${secs} s, seed ${seed}; ${faults.join(', ')} in turn`)
  const product = await startProduct({ environment: { SERVICE_JOB_LEASE_MS: String(leaseMs) } })
  try {
    const verdicts = await escalateUnderFaults(product, {
      secs,
      rate,
      seed,
      faults,
      leaseMs,
      name: 'escalate',
      delay: 5,
      tell: console.log
    })
    const good = report(verdicts)
    console.log(good ? 'escalate: every invariant held' : `escalate: ${verdicts.violations.length} violations`)
    return good
  } finally {
    await product.stop()
  }
}

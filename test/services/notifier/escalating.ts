/** Sets up workspaces with escalation policies, and lets time pass when a test says so. */
import type { Policy, PolicyStep } from '../../../schemas/http/escalation-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker, type Worker, type WorkerOptions } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { insertPolicy } from '../../../services/store/escalation-policies.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import type { Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import type { Stand, Workspace } from '../api/stand.ts'

const codec = localCodec()

export const step = (targets: PolicyStep['targets'], over: Partial<PolicyStep> = {}): PolicyStep => ({
  delay_seconds: 0,
  targets,
  strategy: 'all',
  only_if: null,
  on_empty: 'next',
  ...over
})

export const user = (id: string, urgency: 'default' | 'high' = 'default') => ({ type: 'user', id, urgency }) as const

export async function policy(s: Stand, { tenant_id, user_id }: Workspace, over: Partial<Policy> = {}): Promise<string> {
  const policy_id = uuidv7()
  const settings = { name: 'Page', description: '', team_id: null, repeat: 0, ack_timeout_minutes: null, max_duration_minutes: 1440 }
  await tenantTransaction(s.systemPool, wholeWorkspace(tenant_id), (tx) =>
    insertPolicy(tx, tenant_id, policy_id, { ...settings, steps: [step([user(user_id)])], ...over }, 'user:test')
  )
  return policy_id
}

export const asDefault = (s: Stand, { tenant_id }: Workspace, policy_id: string | null) =>
  s.systemPool.query('UPDATE tenants SET default_escalation_policy_id = $2 WHERE tenant_id = $1', [tenant_id, policy_id])

/**
 * Removes a person's contact methods. By default every member is reached at the address of the
 * account.
 */
export const unreachable = (s: Stand, { tenant_id }: Workspace, user_id: string): Promise<unknown> =>
  s.systemPool.query('DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2', [tenant_id, user_id])

/** Creates the only contact method of a person. */
export async function method(s: Stand, who: Workspace, user_id: string, verified = true): Promise<string> {
  const { tenant_id } = who
  await unreachable(s, who, user_id)
  const method_id = uuidv7()
  await s.systemPool.query(
    "INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at) VALUES ($1, $2, $3, 'email', $4, $5)",
    [tenant_id, method_id, user_id, `${method_id}@example.test`, verified ? new Date() : null]
  )
  return method_id
}

export function worker(t: Teardown, s: Stand, over: Partial<WorkerOptions> = {}): Worker {
  const one = startWorker({
    pool: s.systemPool,
    codec,
    log: createLog('test', 'silent'),
    metrics: createMetrics(),
    runs,
    pollMs: 20,
    places: 2,
    ...over
  })
  t.teardown(() => one.close())
  return one
}

/** Lets so much time pass for due jobs, escalation runs, and acknowledgements that wait. */
export async function pass(s: Stand, seconds: number): Promise<void> {
  await s.systemPool.query(
    "UPDATE escalation_runs SET next_at = next_at - $1 * interval '1 second', started_at = started_at - $1 * interval '1 second', last_fired_at = last_fired_at - $1 * interval '1 second'",
    [seconds]
  )
  await s.systemPool.query("UPDATE jobs SET run_at = run_at - $1 * interval '1 second'", [seconds])
}

export interface Told {
  run: number
  cycle: number
  step: number
  part: number
  outcome: string
  asked: string[]
}

/** Returns the escalation steps of an incident so far, in order. */
export async function steps(s: Stand, incident_id: string): Promise<Told[]> {
  const { rows } = await s.systemPool.query<Told>(
    `SELECT run, cycle, step, part, outcome, facts -> 'asked' AS asked FROM escalation_steps
      WHERE incident_id = $1 ORDER BY run, cycle, step, part`,
    [incident_id]
  )
  return rows
}

/** Waits for so many steps, and until the job of the run has finished. */
export const stepped = (s: Stand, incident_id: string, count: number): Promise<Told[]> =>
  until(`${count} steps`, async () => {
    const found = await steps(s, incident_id)
    return found.length >= count && found
  })

export async function jobsOf(s: Stand, incident_id: string): Promise<{ kind: string; payload: Record<string, unknown>; wait: number }[]> {
  const { rows } = await s.systemPool.query(
    `SELECT kind, payload, round(extract(epoch FROM run_at - now()))::int AS wait FROM jobs
      WHERE payload ->> 'incident_id' = $1 AND kind IN ('escalation_step', 'ack_timeout') ORDER BY kind`,
    [incident_id]
  )
  return rows
}

export interface StoredIntent {
  user_id: string | null
  channel_id: string | null
  method_id: string | null
  step: number | null
  suppressed_by: string | null
}

export async function intents(s: Stand, incident_id: string): Promise<StoredIntent[]> {
  const { rows } = await s.systemPool.query<StoredIntent>(
    'SELECT user_id, channel_id, method_id, step, suppressed_by FROM intents WHERE incident_id = $1 ORDER BY at, cycle, step, user_id, due_at',
    [incident_id]
  )
  return rows
}

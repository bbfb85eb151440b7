/**
 * Runs of escalations and the results of their steps. Whoever changes them holds the lock of the
 * incident (incident-commands.ts). A run keeps the version of the policy with which it began.
 *
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/decision-rules.md#s23-11.
 */
import type { Policy, StepOutcome, TargetType, Urgency } from '../../schemas/http/escalation-words.ts'
import { escalationKey, type StepPayload } from '../../streams/incident/escalation.ts'
import { forget } from './forget.ts'
import type { OnCall } from './on-call.ts'
import type { Pool, Tx } from './pool.ts'

export type RunState = 'running' | 'held' | 'exhausted'

/** A row. Times are epoch ms. */
export interface Run {
  run: number
  policy_id: string
  policy_version: number
  state: RunState
  cycle: number
  step: number
  part: number
  next_at: number | null
  hold_reason: string | null
  started_at: number
  last_fired_at: number | null
}

/** The result of one target of a step. */
export interface TargetFacts {
  type: TargetType
  id: string
  urgency: Urgency
  /** The people whom it named at that time. */
  user_ids: string[]
  /** For a schedule: who was on call, and why. */
  on_call?: Pick<OnCall, 'origin' | 'layer' | 'until' | 'schedule_version' | 'tzdb'>
}

/** The stored facts of a step: who was asked, who was not, and why. */
export interface StepFacts {
  targets: TargetFacts[]
  asked: string[]
  /** People who were named but not asked, with the reason. */
  not_asked: { user_id: string; why: string }[]
  channels: { channel_id: string; why: string | null }[]
  /** Nobody could be reached, so owners and admins were asked. */
  fallback: boolean
  intent_ids: string[]
}

export interface StepRow {
  run: number
  cycle: number
  step: number
  part: number
  outcome: StepOutcome
  due_at: number
  at: number
  incident_ver: number | null
  facts: StepFacts
}

const RUN =
  'r.run, r.policy_id, r.policy_version, r.state, r.cycle, r.step, r.part, r.next_at, r.hold_reason, r.started_at, r.last_fired_at'

/** The data with which a step of a run begins. */
export interface Course {
  policy: Policy
  policy_id: string
  policy_version: number
  /** Null: the run begins now. */
  run: Run | null
  /** A later run has begun, so this one is over. */
  superseded: boolean
  /** People whom earlier parts of the step asked. */
  asked: string[]
}

/** Null: the incident has no policy, or one that never existed. */
export async function readCourse(tx: Tx, tenant_id: string, incident_id: string, run: number): Promise<Course | null> {
  const { rows } = await tx.query<Record<string, unknown> & { body: Policy | null; course_policy: string; course_version: number }>({
    name: 'escalation-course',
    text: `SELECT ${RUN}, p.policy_id AS course_policy, coalesce(r.policy_version, p.ver) AS course_version, c.body,
                  EXISTS (SELECT FROM escalation_runs n WHERE n.tenant_id = i.tenant_id AND n.incident_id = i.incident_id AND n.run > $3) AS superseded,
                  (SELECT coalesce(json_agg(a.value), '[]') FROM escalation_steps s CROSS JOIN jsonb_array_elements_text(s.facts -> 'asked') AS a (value)
                    WHERE s.tenant_id = r.tenant_id AND s.incident_id = r.incident_id AND s.run = r.run AND s.cycle = r.cycle AND s.step = r.step) AS asked
             FROM incidents i
             LEFT JOIN escalation_runs r ON r.tenant_id = i.tenant_id AND r.incident_id = i.incident_id AND r.run = $3
             JOIN escalation_policies p ON p.tenant_id = i.tenant_id AND p.policy_id = coalesce(r.policy_id, i.escalation_policy_id)
             JOIN config_versions c ON c.tenant_id = p.tenant_id AND c.kind = 'escalation_policy' AND c.id = p.policy_id
                                   AND c.version = coalesce(r.policy_version, p.ver)
            WHERE i.tenant_id = $1 AND i.incident_id = $2`,
    values: [tenant_id, incident_id, run]
  })
  const [row] = rows
  if (!row?.body) return null
  const { body, course_policy, course_version, superseded, asked, ...found } = row
  return {
    policy: body,
    policy_id: course_policy,
    policy_version: course_version,
    run: found.run === null ? null : (found as unknown as Run),
    superseded: superseded === true,
    asked: asked as string[]
  }
}

/**
 * Returns the acknowledgement timeout of the incident's policy in minutes. It is taken from the
 * version with which the newest run of that policy began, else from the current version.
 */
export async function readAckTimeout(
  tx: Tx,
  { tenant_id, incident_id, escalation_policy_id }: { tenant_id: string; incident_id: string; escalation_policy_id: string | null }
): Promise<number | null> {
  const { rows } = await tx.query<{ minutes: number | null }>(
    `SELECT (coalesce(c.body, p.body) ->> 'ack_timeout_minutes')::int AS minutes
       FROM escalation_policies p
       LEFT JOIN LATERAL (SELECT policy_version FROM escalation_runs r WHERE r.tenant_id = p.tenant_id AND r.incident_id = $2
                             AND r.policy_id = p.policy_id ORDER BY run DESC LIMIT 1) r ON true
       LEFT JOIN config_versions c ON c.tenant_id = p.tenant_id AND c.kind = 'escalation_policy' AND c.id = p.policy_id
                                  AND c.version = r.policy_version
      WHERE p.tenant_id = $1 AND p.policy_id = $3`,
    [tenant_id, incident_id, escalation_policy_id]
  )
  return rows[0]?.minutes ?? null
}

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))

/** Writes the state of a run, and the step that led to it, in one statement. */
export async function saveRun(tx: Tx, tenant_id: string, incident_id: string, run: Run, step: StepRow | null): Promise<void> {
  await tx.query({
    name: 'escalation-save',
    text: `WITH saved AS (
             INSERT INTO escalation_runs (tenant_id, incident_id, run, policy_id, policy_version, state, cycle, step, part, next_at, hold_reason,
                                          started_at, last_fired_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (tenant_id, incident_id, run) DO UPDATE
               SET state = excluded.state, cycle = excluded.cycle, step = excluded.step, part = excluded.part, next_at = excluded.next_at,
                   hold_reason = excluded.hold_reason, started_at = excluded.started_at, last_fired_at = excluded.last_fired_at
             RETURNING run)
           INSERT INTO escalation_steps (tenant_id, incident_id, run, cycle, step, part, outcome, due_at, at, incident_ver, facts)
           SELECT $1, $2, run, $14, $15, $16, $17, $18, $19, $20, $21 FROM saved WHERE $17::text IS NOT NULL`,
    values: [
      tenant_id,
      incident_id,
      run.run,
      run.policy_id,
      run.policy_version,
      run.state,
      run.cycle,
      run.step,
      run.part,
      date(run.next_at),
      run.hold_reason,
      date(run.started_at),
      date(run.last_fired_at),
      step?.cycle ?? null,
      step?.step ?? null,
      step?.part ?? null,
      step?.outcome ?? null,
      date(step?.due_at ?? null),
      date(step?.at ?? null),
      step?.incident_ver ?? null,
      step ? JSON.stringify(step.facts) : null
    ]
  })
}

/** Reads the newest run of each incident, by incident. For few incidents, such as one page. */
export async function readRuns(tx: Tx, tenant_id: string, incident_ids: readonly string[]): Promise<Map<string, Run>> {
  if (incident_ids.length === 0) return new Map()
  const { rows } = await tx.query<Run & { incident_id: string }>(
    `SELECT DISTINCT ON (r.incident_id) r.incident_id, ${RUN} FROM escalation_runs r
      WHERE r.tenant_id = $1 AND r.incident_id = ANY ($2::uuid[]) ORDER BY r.incident_id, r.run DESC`,
    [tenant_id, incident_ids]
  )
  return new Map(rows.map(({ incident_id, ...run }) => [incident_id, run]))
}

/** Reads the runs and steps of an incident in order; at most the `most` newest steps. */
export async function readEscalation(
  tx: Tx,
  tenant_id: string,
  incident_id: string,
  most: number
): Promise<{ runs: (Run & { policy_name: string })[]; steps: StepRow[] }> {
  const { rows: runs } = await tx.query<Run & { policy_name: string }>(
    `SELECT ${RUN}, coalesce(p.name, '') AS policy_name FROM escalation_runs r
       LEFT JOIN escalation_policies p ON p.tenant_id = r.tenant_id AND p.policy_id = r.policy_id
      WHERE r.tenant_id = $1 AND r.incident_id = $2 ORDER BY r.run DESC LIMIT 100`,
    [tenant_id, incident_id]
  )
  const { rows: steps } = await tx.query<StepRow>(
    `SELECT run, cycle, step, part, outcome, due_at, at, incident_ver, facts FROM escalation_steps
      WHERE tenant_id = $1 AND incident_id = $2 ORDER BY at DESC, run DESC, cycle DESC, step DESC, part DESC LIMIT $3`,
    [tenant_id, incident_id, most]
  )
  return { runs: runs.reverse(), steps: steps.reverse() }
}

/** The payload of a run's job. */
export const payloadOf = (incident_id: string, { run, cycle, step }: Pick<Run, 'run' | 'cycle' | 'step'>): StepPayload => ({
  incident_id,
  run,
  cycle,
  step
})

/**
 * Lets held runs check again at once. Call it when a hold ends before its time. A run that
 * something else holds stays held. null: every held run of the workspace.
 */
export async function releaseEscalation(tx: Tx, tenant_id: string, incident_ids: readonly string[] | null): Promise<void> {
  await tx.query({
    name: 'escalation-release',
    text: `INSERT INTO jobs (job_id, tenant_id, kind, run_at, idem_key, payload)
           SELECT gen_random_uuid(), r.tenant_id, 'escalation_step', now(), '${escalationKey('')}' || r.incident_id,
                  jsonb_build_object('incident_id', r.incident_id, 'run', r.run, 'cycle', r.cycle, 'step', r.step)
             FROM escalation_runs r JOIN incidents i USING (tenant_id, incident_id)
            WHERE r.tenant_id = $1 AND r.state = 'held' AND ($2::uuid[] IS NULL OR r.incident_id = ANY ($2))
              AND i.status = 'ongoing' AND i.acknowledged_at IS NULL
              AND NOT EXISTS (SELECT FROM escalation_runs n WHERE n.tenant_id = r.tenant_id AND n.incident_id = r.incident_id AND n.run > r.run)
           ON CONFLICT (idem_key) DO UPDATE SET run_at = least(jobs.run_at, excluded.run_at)`,
    values: [tenant_id, incident_ids]
  })
}

const KEPT_DAYS = 400

/** Deletes runs that began 400 days ago, with their steps. Returns how many runs. */
export const forgetRuns = (pool: Pool): Promise<number> =>
  forget(pool, 'escalation_runs', 'x.started_at < now() - make_interval(days => $1)', [KEPT_DAYS])

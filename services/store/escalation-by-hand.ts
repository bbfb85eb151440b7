/**
 * Escalation by hand: a person asks people and schedules, or a step of the policy. They are asked
 * at once, whatever holds the incident, because the person decides that. If the policy is running,
 * it continues after that step.
 *
 * Source: docs/design/api/incidents.md#in-12, docs/design/api/on-call.md#oc-24.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { PolicyTarget } from '../../schemas/http/escalation-words.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Intent, JobChange } from '../../streams/define.ts'
import { afterFired, wasDone } from '../../streams/escalation/rules.ts'
import { escalationKey } from '../../streams/incident/escalation.ts'
import { type Command, type IncidentContext, type Refusal, reduceIncident } from '../../streams/incident/rules.ts'
import { type Course, payloadOf, type Run, readCourse, readRuns, saveRun } from './escalation.ts'
import { seenPolicies } from './escalation-policies.ts'
import { standingOf } from './escalation-step.ts'
import { askStep } from './escalation-targets.ts'
import { type LockedIncident, saveStep } from './incident-commands.ts'
import { changeJobs } from './jobs.ts'
import { seeingAll, type Tx } from './pool.ts'

export interface ByHand {
  targets: readonly PolicyTarget[]
  /** Step of the policy; null: the person chose the targets. */
  step: number | null
  message: string | null
  /** kind:id. */
  by: string
}

/**
 * Returns the policy of an incident, as its newest run has it or as its next run would. Null: there
 * is none that the caller sees.
 */
export async function currentCourse(
  tx: Tx,
  { incident }: Pick<LockedIncident, 'incident'>
): Promise<{ course: Course; run: Run | null } | null> {
  const { tenant_id, incident_id } = incident
  const run = (await readRuns(tx, tenant_id, [incident_id])).get(incident_id) ?? null
  // Only auditors see versions; but whoever sees the policy may see what it was.
  const course = await seeingAll(tx, (tx) => readCourse(tx, tenant_id, incident_id, run?.run ?? 0))
  if (!course || !(await seenPolicies(tx, tenant_id, [course.policy_id])).has(course.policy_id)) return null
  return { course, run }
}

/**
 * Lets the run continue after the step, counted from now. A run does each of its steps once, so if
 * it has already been at the next one, a new run continues there, in the same cycle.
 */
async function goOn(tx: Tx, { incident, now }: LockedIncident, { course, run }: { course: Course; run: Run }, step: number): Promise<void> {
  const { tenant_id, incident_id } = incident
  const standing = { ...standingOf(course, now, now), step, part: 0, next_at: now }
  const next = afterFired(course.policy, standing, false, now)
  const going = { state: 'running', hold_reason: null } as const
  const again = wasDone(run, next)
  // The former run is over, so nothing holds it any more.
  if (again && run.state === 'held') await saveRun(tx, tenant_id, incident_id, { ...run, ...going }, null)
  const number = again ? incident.ver + 1 : run.run
  const row: Run = { ...run, ...next, ...going, run: number, started_at: standing.started_at, last_fired_at: now }
  await saveRun(tx, tenant_id, incident_id, row, null)
  const idem_key = escalationKey(incident_id)
  const due: JobChange = {
    start: 'escalation_step',
    idem_key,
    tenant_id,
    run_at: next.next_at,
    payload: { ...payloadOf(incident_id, row) }
  }
  await changeJobs(tx, [{ cancel: idem_key, tenant_id }, due])
}

/**
 * Asks the targets now, and records it on the locked incident. The caller writes the audit entry.
 * Returns why it is refused if the incident has ended.
 */
export async function escalateByHand(
  tx: Tx,
  codec: Codec,
  locked: LockedIncident,
  { targets, step, message, by }: ByHand,
  context: IncidentContext
): Promise<{ intents: Intent[]; refused?: undefined } | { refused: Refusal }> {
  const { incident, now } = locked
  const asking = { incident, incident_ver: incident.ver + 1, escalation: null, by: 'person', cause: `hand ${uuidv7()}`, now } as const
  const current = step === null ? null : await currentCourse(tx, locked)
  // A target that the caller sees may lead to people and channels that the caller does not see.
  const found = await seeingAll(tx, (tx) =>
    askStep(tx, asking, { targets, strategy: 'all', on_empty: 'next' }, { strategy: 'all', cycle: 0, asked: [] })
  )
  const { user_ids, channel_ids, intents } = found
  const command: Command = {
    command: 'escalate',
    by,
    outcome: user_ids.length + channel_ids.length > 0 ? 'fired' : 'empty',
    run: null,
    cycle: null,
    step,
    policy_id: current?.course.policy_id ?? null,
    policy_version: current?.course.policy_version ?? null,
    user_ids,
    channel_ids,
    message
  }
  const after = reduceIncident(incident, command, context)
  if (after.refused) return { refused: after.refused }
  await saveStep(tx, codec, locked, command, after, context, { intents })
  const run = current?.run
  if (current && run && step !== null && run.state !== 'exhausted' && incident.acknowledged_at === null)
    await goOn(tx, locked, { course: current.course, run }, step)
  return { intents }
}

/**
 * Runs one step of an escalation in one transaction, under the lock of the incident: what holds it,
 * what is due, whom it asks, and when the next step is. Everything that it read is stored with it.
 *
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/decision-rules.md#s23-11.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Effects, Intent } from '../../streams/define.ts'
import { afterEmpty, afterFired, beginning, dueOf, endOf, type Next, type Standing } from '../../streams/escalation/rules.ts'
import type { Escalated } from '../../streams/incident/escalation.ts'
import { type Hold, holdsOf } from '../../streams/incident/holds.ts'
import { type Command, type IncidentContext, reduceIncident } from '../../streams/incident/rules.ts'
import { type Course, type Run, readCourse, type StepFacts, saveRun } from './escalation.ts'
import { askStep, reaches } from './escalation-targets.ts'
import { loadHoldFacts } from './hold-facts.ts'
import { type LockedIncident, saveStep } from './incident-commands.ts'
import type { Tx } from './pool.ts'

/**
 * When the run's job is due again, and at which step. Null: there is no job until somebody acts.
 */
export type Again = { at: number; run: Pick<Run, 'run' | 'cycle' | 'step'> } | null

/**
 * A held run checks again after this time at the latest, whatever ends the hold. A hold by a rule
 * lasts as long as the incident.
 */
const LOOK_AGAIN_MS = 600_000

const nobody: StepFacts = { targets: [], asked: [], not_asked: [], channels: [], fallback: false, intent_ids: [] }

/**
 * Returns where the run stands. The time that it was held does not count. `begun`: when a run that
 * has no row yet is due to start.
 */
export function standingOf({ run, policy }: Course, begun: number, now: number): Standing {
  if (!run) return beginning(policy, Math.min(begun, now))
  const { cycle, step, part, started_at, last_fired_at } = run
  const next_at = run.next_at ?? now
  if (run.state !== 'held') return { cycle, step, part, started_at, next_at, last_fired_at }
  return { cycle, step, part, started_at: started_at + Math.max(0, now - next_at), next_at: Math.min(next_at, now), last_fired_at }
}

/** The inputs of a step. */
interface Work {
  tx: Tx
  codec: Codec
  locked: LockedIncident
  course: Course
  number: number
  by: string
  context: IncidentContext
  standing: Standing
}

const rowOf = ({ course, number, standing }: Work, over: Partial<Run>): Run => ({
  run: number,
  policy_id: course.policy_id,
  policy_version: course.policy_version,
  state: 'running',
  cycle: standing.cycle,
  step: standing.step,
  part: standing.part,
  next_at: standing.next_at,
  hold_reason: null,
  started_at: standing.started_at,
  last_fired_at: standing.last_fired_at,
  ...over
})

async function held(work: Work, holds: readonly Hold[]): Promise<Again> {
  const { tx, locked, course } = work
  const { tenant_id, incident_id } = locked.incident
  const [first] = holds
  const before = course.run
  // The step was due when it was first held. Its clock stands still from then on.
  const kept = before?.state === 'held' ? { next_at: before.next_at, started_at: before.started_at } : {}
  const row = rowOf(work, { state: 'held', hold_reason: first?.kind ?? null, ...kept })
  await saveRun(tx, tenant_id, incident_id, row, null)
  if (holds.some(({ kind }) => kind === 'rule')) return null
  const ends = Math.min(...holds.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
  return { at: Math.min(Math.max(ends, locked.now + 1), locked.now + LOOK_AGAIN_MS), run: row }
}

/** Records the step on the incident, and stores it with the run's state after it. */
async function record(
  work: Work,
  told: Pick<Escalated, 'outcome' | 'user_ids' | 'channel_ids'>,
  after: Partial<Run>,
  { facts, effects }: { facts: StepFacts; effects: Effects }
): Promise<Run> {
  const { tx, codec, locked, course, number, by, context, standing } = work
  const { tenant_id, incident_id, ver } = locked.incident
  const { cycle, step, part } = standing
  const { policy_id, policy_version } = course
  const command: Command = { command: 'escalate', by, ...told, run: number, cycle, step, policy_id, policy_version, message: null }
  const versions = { ...context.versions, escalation_policy: policy_version }
  const row = rowOf(work, after)
  const { outcome } = told
  const { now } = locked
  await Promise.all([
    saveStep(tx, codec, locked, command, reduceIncident(locked.incident, command, { ...context, versions }), context, effects),
    saveRun(tx, tenant_id, incident_id, row, {
      run: number,
      cycle,
      step,
      part,
      outcome,
      due_at: standing.next_at,
      at: now,
      incident_ver: ver + 1,
      facts
    })
  ])
  return row
}

async function exhausted(work: Work): Promise<Again> {
  const { locked, number } = work
  const { tenant_id, incident_id, number: incident_number, title, severity, team_id, visibility } = locked.incident
  const feed: Effects['feed'] = [
    {
      tenant_id,
      key: `escalation exhausted ${incident_id} ${number}`,
      type: 'announcement',
      severity: severity === 'info' || severity === 'warning' ? severity : 'critical',
      title: `Nobody has answered INC-${incident_number}`,
      body: `Its escalation policy has asked everybody that it names. ${title}`,
      at: locked.now,
      audience: 'admins',
      about: { team_id, visibility },
      incident_id
    }
  ]
  const after = { state: 'exhausted', next_at: null } as const
  await record(work, { outcome: 'exhausted', user_ids: [], channel_ids: [] }, after, { facts: nobody, effects: { feed } })
  return null
}

async function skipped(work: Work, next: Next): Promise<Again> {
  const { tx, locked, number, standing } = work
  const { tenant_id, incident_id } = locked.incident
  const { cycle, step, part, next_at: due_at } = standing
  const row = rowOf(work, next)
  const told = { run: number, cycle, step, part, outcome: 'skipped', due_at, at: locked.now, incident_ver: null, facts: nobody } as const
  await saveRun(tx, tenant_id, incident_id, row, told)
  return { at: next.next_at, run: row }
}

async function asked(work: Work, step: Course['policy']['steps'][number]): Promise<Again> {
  const { tx, locked, course, number, standing } = work
  const { incident, now } = locked
  const { cycle, part } = standing
  const escalation: NonNullable<Intent['escalation']> = {
    run: number,
    cycle,
    step: standing.step,
    policy_id: course.policy_id,
    policy_version: course.policy_version
  }
  const asking = {
    incident,
    incident_ver: incident.ver + 1,
    escalation,
    by: 'policy',
    cause: `down ${number} ${cycle} ${standing.step}`,
    now
  } as const
  const found = await askStep(tx, asking, step, { strategy: step.strategy, cycle, asked: part === 0 ? [] : course.asked })
  const fired = reaches(found)
  const next = fired ? afterFired(course.policy, standing, found.more, now) : afterEmpty(course.policy, standing, now)
  const { user_ids, channel_ids, facts, intents } = found
  const told = { outcome: fired ? 'fired' : 'empty', user_ids, channel_ids } as const
  const row = await record(work, told, { ...next, ...(fired && { last_fired_at: now }) }, { facts, effects: { intents } })
  return { at: next.next_at, run: row }
}

/** The step that a job asks for. `begun`: when its first job was due, epoch ms. */
export type DuePlace = Pick<Run, 'run' | 'cycle' | 'step'> & { begun: number }

/**
 * Does what is due in the run with this number, for a locked incident. Nothing is due if the
 * incident has ended, is acknowledged, or the run has moved on since the job was made.
 */
export async function stepEscalation(
  tx: Tx,
  codec: Codec,
  locked: LockedIncident,
  { run: number, cycle, step, begun }: DuePlace,
  by: string,
  context: IncidentContext
): Promise<Again> {
  const { incident, now } = locked
  if (incident.status === 'resolved' || incident.acknowledged_at !== null) return null
  const [course, holdFacts] = await Promise.all([
    readCourse(tx, incident.tenant_id, incident.incident_id, number),
    loadHoldFacts(tx, incident.tenant_id, [incident], now)
  ])
  if (!course || course.superseded || course.run?.state === 'exhausted') return null
  const standing = standingOf(course, begun, now)
  if (standing.cycle !== cycle || standing.step !== step) return null
  const work: Work = { tx, codec, locked, course, number, by, context, standing }
  const due = dueOf(course.policy, standing, incident.severity, now)
  if (due.now === 'wait') {
    const row = rowOf(work, {})
    await saveRun(tx, incident.tenant_id, incident.incident_id, row, null)
    return { at: Math.min(due.until, endOf(course.policy, standing.started_at)), run: row }
  }
  const holds = holdsOf(incident, holdFacts, now)
  if (holds.length > 0) return held(work, holds)
  if (due.now === 'exhausted') return exhausted(work)
  return due.now === 'skipped' ? skipped(work, due.next) : asked(work, due.step)
}

/**
 * How changes of an incident start and cancel its escalation jobs. This file does not decide what a
 * step does: the job reads who is on call when it is due.
 *
 *   what happens                         its job `escalation_step`     its job `ack_timeout`
 *   it opens with a policy               starts, due at once
 *   it is acknowledged                   cancelled                     starts
 *   the acknowledgement is taken back    starts again, at step 0       cancelled
 *   it ends                              cancelled                     cancelled
 *
 * An incident without a policy has neither job, and nothing is written for it.
 *
 * `run` is the version of the incident that begins the escalation.
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/decision-rules.md#s23-11.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { StepOutcome } from '../../schemas/http/escalation-words.ts'
import type { JobChange } from '../define.ts'

/** The result of an escalation at one instant, as the incident's event records it. */
export interface Escalated {
  outcome: Exclude<StepOutcome, 'skipped'>
  /** Null: a person escalated by hand. */
  run: number | null
  cycle: number | null
  step: number | null
  policy_id: string | null
  policy_version: number | null
  /** The people who are asked. */
  user_ids: string[]
  channel_ids: string[]
  /** The message of a person who escalates by hand. */
  message: string | null
}

/** The fields of an incident that these rules read. */
type Escalating = Pick<Incident, 'tenant_id' | 'incident_id' | 'ver' | 'escalation_policy_id' | 'acknowledged_at'>

/** An incident has one escalation job, whatever its current step is. */
export const escalationKey = (incident_id: string): string => `escalation:${incident_id}`
export const ackTimeoutKey = (incident_id: string): string => `ack_timeout:${incident_id}`

/** The payload of the job. The job acts only while all of it is current. */
export interface StepPayload {
  incident_id: string
  run: number
  cycle: number
  step: number
}

function start({ tenant_id, incident_id, ver }: Escalating, at: number): JobChange {
  const payload: StepPayload = { incident_id, run: ver + 1, cycle: 0, step: 0 }
  return { start: 'escalation_step', idem_key: escalationKey(incident_id), tenant_id, run_at: at, at_once: true, payload: { ...payload } }
}

const cancelStep = ({ tenant_id, incident_id }: Escalating): JobChange => ({ cancel: escalationKey(incident_id), tenant_id })
const cancelTimeout = ({ tenant_id, incident_id }: Escalating): JobChange => ({ cancel: ackTimeoutKey(incident_id), tenant_id })

const hasNone = ({ escalation_policy_id }: Escalating): boolean => escalation_policy_id === null

/** Takes `incident` as it is before the version that begins the run; `at` in epoch ms. */
export const startingEscalation = (incident: Escalating, at: number): JobChange[] => (hasNone(incident) ? [] : [start(incident, at)])

/** The job itself checks whether the policy has a timeout. */
export function acknowledging(incident: Escalating): JobChange[] {
  if (hasNone(incident)) return []
  const { tenant_id, incident_id, acknowledged_at } = incident
  const timeout: JobChange = {
    start: 'ack_timeout',
    idem_key: ackTimeoutKey(incident_id),
    tenant_id,
    run_at: acknowledged_at ?? 0,
    payload: { incident_id, acknowledged_at }
  }
  return [cancelStep(incident), timeout]
}

/** `timed_out`: the timer itself takes the acknowledgement back, so it is not cancelled. */
export const unacknowledging = (incident: Escalating, timed_out: boolean, at: number): JobChange[] =>
  hasNone(incident) ? [] : [...(timed_out ? [] : [cancelTimeout(incident)]), start(incident, at)]

export function endingEscalation(incident: Escalating): JobChange[] {
  if (hasNone(incident)) return []
  return incident.acknowledged_at === null ? [cancelStep(incident)] : [cancelTimeout(incident)]
}

/**
 * Builds the log records about a heartbeat. Each reported step is a HeartbeatTransition on
 * heartbeat.transitions.v1 and, if it has an audience, a frame. Both have the aggregate
 * `heartbeat:<id>`, and `ver` has no gaps.
 *
 *   event_type                                                        meaning
 *   heartbeat.up, heartbeat.missed                                    a change of status
 *   heartbeat.phase_<phase>, for example heartbeat.phase_unknown      a change of phase, status
 *                                                                     unchanged
 *   heartbeat.ping_received                                           the frame
 */
import type { HeartbeatTransition } from '../../schemas/generated/events.ts'
import type { Input, JobChange, Outgoing } from '../define.ts'
import { changeFrame } from './frame.ts'
import type { Told } from './rules.ts'
import type { HeartbeatRow, Origin } from './state.ts'

/** The outputs of this fold. The list in topology.ts is checked against this type. */
export type Emits = 'heartbeat.transitions.v1' | 'realtime.frames.v1' | 'notices' | 'hints' | 'jobs'

/** UUIDv5. The caller passes it in, because rules do not import Node modules. */
export type Uuidv5 = (namespace: string, name: string) => string

export const originOf = (input: Input): Origin => ({
  src: `${input.topic}:${input.partition}:${input.offset}`,
  event_id: 'event_id' in input.value ? input.value.event_id : null
})

/**
 * The job that resumes a heartbeat after a ping ended its pause. `version`: version of the
 * configuration that paused it.
 */
export const unpauseJob = ({ tenant_id, heartbeat_id }: HeartbeatRow, version: number, at: number): JobChange => ({
  start: 'heartbeat_unpause',
  idem_key: `heartbeat_unpause:${heartbeat_id}:${version}`,
  tenant_id,
  run_at: at,
  payload: { heartbeat_id, version }
})

/** Returns the transition, then its frame. `at`: epoch ms, the time of the deciding record. */
export function toldOf(...change: Parameters<typeof transitionOf>): Outgoing<'heartbeat.transitions.v1' | 'realtime.frames.v1'>[] {
  const [, after, , at] = change
  const transition = transitionOf(...change)
  const frame = changeFrame(after, at)
  if (!frame) return [transition]
  const { tenant_id, aggregate, ver, event_id, src } = transition
  return [
    transition,
    {
      tenant_id,
      aggregate,
      ver,
      topic: 'realtime.frames.v1',
      key: tenant_id,
      event_id,
      event_type: 'heartbeat.ping_received',
      src,
      body: 'frame',
      ...frame
    }
  ]
}

function transitionOf(
  before: HeartbeatRow,
  after: HeartbeatRow,
  told: Told,
  at: number,
  origin: Origin,
  uuidv5: Uuidv5
): Outgoing<'heartbeat.transitions.v1'> {
  const { tenant_id, heartbeat_id, ver, config } = after
  const event_id = uuidv5(heartbeat_id, String(ver))
  const { src } = origin
  const value: HeartbeatTransition = {
    event_id,
    tenant_id,
    heartbeat_id,
    ver,
    name: config.name,
    previous_status: before.status,
    status: after.status,
    previous_phase: before.phase,
    phase: after.phase,
    at,
    previous_at: before.since,
    reason: after.reason,
    expected_at: told.expected_at,
    deadline_at: told.deadline_at,
    tick_at: told.tick_at,
    shifted_ms: told.shifted_ms,
    last_ping_at: after.last_ping_at,
    run_id: told.run_id,
    exit_code: told.exit_code,
    missed_count: after.missed_count,
    late: told.late,
    severity: config.severity,
    escalation_policy_id: config.escalation_policy_id,
    labels: config.labels,
    tags: config.tags,
    team_id: config.team_id,
    visibility: config.visibility,
    cause: { kind: 'signal', src, event_id: origin.event_id, request_id: null, input: null },
    config_versions: { heartbeat: config.version },
    resolution_reason: told.resolution_reason
  }
  return {
    tenant_id,
    aggregate: `heartbeat:${heartbeat_id}`,
    ver,
    topic: 'heartbeat.transitions.v1',
    key: heartbeat_id,
    event_id,
    event_type: before.status === after.status ? `heartbeat.phase_${after.phase}` : `heartbeat.${after.status}`,
    src,
    body: 'record',
    record: 'HeartbeatTransition',
    value
  }
}

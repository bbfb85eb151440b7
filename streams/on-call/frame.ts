/**
 * The frame that tells dashboards to read a schedule or policy again. It contains no name, no
 * person and no time, so it reveals nothing else.
 *
 * It has no `ver`: overrides and shift changes alter what is shown, but not the schedule's own
 * version. Each frame is an aggregate of its own, so none is taken for a repeat of another.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import type { Audience, Outgoing } from '../define.ts'

export const onCallChanges = ['created', 'updated', 'deleted', 'override', 'swap', 'shift', 'visibility'] as const
export type OnCallChange = (typeof onCallChanges)[number]

export interface OnCallNews {
  tenant_id: string
  /**
   * If both this and `policy_id` are null, any schedule or policy may have changed for the reader.
   */
  schedule_id: string | null
  policy_id: string | null
  change: OnCallChange
}

const TYPE = 'oncall.changed'

/** The audience of objects of a team. The gateway checks whether the team is private now. */
export const audienceOfTeam = (team_id: string | null): Audience => (team_id === null ? 'tenant' : `org-team:${team_id}`)

/** `id`: id of the frame. `at`: epoch ms. */
export const onCallFrame = (
  { tenant_id, schedule_id, policy_id, change }: OnCallNews,
  { id, at, audience }: { id: string; at: number; audience: Audience }
): Extract<Outgoing<'realtime.frames.v1'>, { body: 'frame' }> => ({
  tenant_id,
  aggregate: `oncall:${id}`,
  ver: 1,
  topic: 'realtime.frames.v1',
  key: tenant_id,
  event_id: id,
  event_type: TYPE,
  src: `oncall:${schedule_id ?? policy_id ?? tenant_id}`,
  body: 'frame',
  json: JSON.stringify({ channel: 'oncall', type: TYPE, data: { schedule_id, policy_id, change }, at: new Date(at).toISOString() }),
  audience
})

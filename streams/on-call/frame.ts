/**
 * What dashboards are told of schedules and policies: that one is to be read again. No name, no
 * person and no time stands in it, so that a frame tells nobody more than that.
 *
 * It has no `ver`: overrides and shifts that begin change what is shown and not the schedule's own
 * version. Each frame is an aggregate of its own, so none is taken for a repeat of another.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import type { Audience, Outgoing } from '../define.ts'

export const onCallChanges = ['created', 'updated', 'deleted', 'override', 'swap', 'shift', 'visibility'] as const
export type OnCallChange = (typeof onCallChanges)[number]

export interface OnCallNews {
  tenant_id: string
  /** Null with `policy_id`: any of them may be another for the reader. */
  schedule_id: string | null
  policy_id: string | null
  change: OnCallChange
}

const TYPE = 'oncall.changed'

/** Who sees what a team owns; whether it is private now is for the gateway to know. */
export const audienceOfTeam = (team_id: string | null): Audience => (team_id === null ? 'tenant' : `org-team:${team_id}`)

/** `id` names the frame; `at` in epoch ms. */
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

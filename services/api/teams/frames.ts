/**
 * What dashboards are told when people lose sight of incidents: `incident.removed`. It says no more
 * than the ids that those people have seen; whoever still sees the incident reads it again.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Audience, Outgoing } from '../../../streams/define.ts'
import type { LeavingIncident } from '../../store/teams.ts'

/** So many frames at most; a dashboard that shows more reads its list again with the first. */
export const MAX_REMOVED = 1000

/**
 * `cause` names the change, so that telling it again makes no second frame. `at` in epoch ms; `src`
 * is the actor as kind:id.
 */
export const removedFrames = (
  tenant_id: string,
  incidents: readonly LeavingIncident[],
  { audience, cause, at, src }: { audience: Audience; cause: string; at: number; src: string }
): Outgoing<'realtime.frames.v1'>[] =>
  incidents.map(({ incident_id, monitor_id, ver }) => ({
    tenant_id,
    aggregate: `incident-removed:${incident_id}`,
    ver: at,
    topic: 'realtime.frames.v1',
    key: tenant_id,
    event_id: uuidv5(incident_id, cause),
    event_type: 'incident.removed',
    src,
    body: 'frame',
    json: JSON.stringify({
      channel: 'monitors.status',
      type: 'incident.removed',
      data: { incident_id, monitor_id: monitor_id ?? '' },
      at: new Date(at).toISOString(),
      ver
    }),
    audience
  }))

/**
 * Builds the frames `incident.removed` for dashboards whose people lose sight of incidents. A frame
 * contains only ids that those people have seen. People who still see the incident read it again.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import { uuidv5 } from '../../../schemas/uuid.ts'
import type { Audience, Outgoing } from '../../../streams/define.ts'
import type { LeavingIncident } from '../../store/teams.ts'

/**
 * The most frames that are sent. A dashboard that shows more reads its list again on the first
 * frame.
 */
export const MAX_REMOVED = 1000

/**
 * `cause` names the change, so that repeating it makes no second frame. `at` in epoch ms; `src` is
 * the actor as kind:id.
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

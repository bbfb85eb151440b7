/**
 * Who owns an incident that opens: its team, who may see it, and the escalation policy that tells
 * people.
 *
 * Smallest form, version 1: everyone in the workspace, narrowed to a team only where the signal's
 * own configuration says so; nobody is told by a policy unless the signal names one. Decided inside
 * the incident fold, so that the first frame already has its audience; the version stands on the
 * incident and on every event. Conditions on labels, severity and time join here.
 * Source: docs/design/architecture.md#s6, docs/design/api/alerts-and-routing.md#s6-3.
 */
import type { Incident, Visibility } from '../../schemas/generated/events.ts'

/** Grows with every change of meaning: a replay of an old event finds the rules that decided it. */
export const ROUTING_VERSION = 1

/** What routing looks at. */
export interface Routable {
  team_id: string | null
  visibility: Visibility
  escalation_policy_id: string | null
}

export type Route = Pick<Incident, 'team_id' | 'visibility' | 'escalation_policy_id' | 'routing_version'>

export const route = ({ team_id, visibility, escalation_policy_id }: Routable): Route => ({
  team_id,
  visibility,
  escalation_policy_id,
  routing_version: ROUTING_VERSION
})

/**
 * What keeps people from being told of an incident or an alert.
 *
 * In       an incident or alert as it stands, the silences of its workspace, a time in epoch ms
 * Out      every hold in the order of decision rule 8: the first is the one that is recorded
 * Source   docs/design/api/decision-rules.md#s23-8, docs/design/api/incidents.md#s5-3
 *
 * A new suppressor is a function in `suppressors`, at its place in the order. A silence holds what
 * is ongoing; a rule's word stands as long as the incident. Recoveries do not ask here: rule 5
 * decides who receives them.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { HoldKind } from '../../schemas/http/incidents.ts'
import type { Routable } from '../routing/rules.ts'
import { matchingSilences, type SilenceSet } from '../routing/silences.ts'

export interface Hold {
  kind: HoldKind
  /** Of the incident for its own silence, else of the silence or rule. */
  id: string
  /** Epoch ms; null: no end is known. */
  until: number | null
}

/** An incident or alert, as the suppressors look at it. */
interface Subject {
  alert: Routable
  isOngoing: boolean
  /** Its own silence; null: it has none. */
  own: { id: string; until: number } | null
  rule_id: string | null
}

type Suppressor = (subject: Subject, silences: SilenceSet, at: number) => Hold[]

/** Of the silences by a pattern that hold one incident, so many are named. */
export const MAX_MATCHING_SILENCES = 20

const ownSilence: Suppressor = ({ isOngoing, own }, _silences, at) =>
  isOngoing && own !== null && own.until > at ? [{ kind: 'silence', ...own }] : []

const matcherSilences: Suppressor = ({ isOngoing, alert }, silences, at) =>
  isOngoing
    ? matchingSilences(silences, alert, at, MAX_MATCHING_SILENCES).map(({ silence_id, ends_at }) => ({
        kind: 'matcher_silence',
        id: silence_id,
        until: ends_at
      }))
    : []

const rule: Suppressor = ({ rule_id }) => (rule_id === null ? [] : [{ kind: 'rule', id: rule_id, until: null }])

/** In the order of decision rule 8. */
const suppressors: readonly Suppressor[] = [ownSilence, matcherSilences, rule]

const holds = (subject: Subject, silences: SilenceSet, at: number): Hold[] => suppressors.flatMap((one) => one(subject, silences, at))

/** Never throws. */
export function holdsOf(incident: Incident, silences: SilenceSet, at: number): Hold[] {
  const { incident_id, original_title, routing, silenced_until, status } = incident
  const own = silenced_until === null ? null : { id: incident_id, until: silenced_until }
  // The title that it came with: an edit for people must not end or begin a silence.
  const alert = original_title === null ? incident : { ...incident, title: original_title }
  return holds({ alert, isOngoing: status === 'ongoing', own, rule_id: routing?.suppressed_by_rule_id ?? null }, silences, at)
}

/** As holdsOf; an alert has no silence of its own. */
export const holdsOfAlert = (alert: Alert, silences: SilenceSet, at: number): Hold[] =>
  holds({ alert, isOngoing: alert.status === 'ongoing', own: null, rule_id: alert.routing?.suppressed_by_rule_id ?? null }, silences, at)

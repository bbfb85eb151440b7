/**
 * The model of routing: what rules make of an alert that opens, and which silences hold, by
 * docs/design/api/alerts-and-routing.md#s6-3 and #s6-4. It is written from these documents, not
 * from the code.
 */

export type Severity = 'critical' | 'warning' | 'info'

/** A routing rule in its simplest form. A null action changes nothing. */
export interface Rule {
  /** Identifies the rule in every version of the set. */
  id: number
  /** Alerts that it matches: those of these keys, or of this kind; null: all. */
  keys: readonly number[] | null
  kind: 'inbound' | 'monitor' | 'heartbeat' | null
  /** Whether the rules after it are evaluated, too. */
  goes_on: boolean
  team: number | null
  severity: Severity | null
  promote: 'always' | 'never' | null
  suppress: boolean | null
  group: Group | null
}

export interface Group {
  by: 'label.service' | 'severity' | 'source.kind'
  window_seconds: number
  max_alerts: number
}

/** An alert as it came. */
export interface Came {
  /** Number of its key; null: it is not from a sender. */
  n: number | null
  kind: 'inbound' | 'monitor' | 'heartbeat'
  severity: Severity
}

export interface Decision {
  team: number | null
  severity: Severity
  /** A rule set the severity, so repeats do not raise it. */
  fixed: boolean
  kept: boolean
  /** The rule that mutes it. */
  muted: number | null
  /** `name` is equal for alerts of the same group. */
  group: (Group & { name: string }) | null
}

export const serviceOf = (n: number): string => String(n % 2)

/** Returns the value that alerts of a group share; '' if there is none. */
function groupValue(by: Group['by'], { n, kind, severity }: Came): string {
  if (by === 'label.service') return n === null ? '' : serviceOf(n)
  return by === 'severity' ? severity : kind
}

/**
 * The first matching rule ends the evaluation unless it goes on. A later rule overrides an earlier
 * one. Conditions examine the alert as it came.
 */
export function decide(rules: readonly Rule[], came: Came): Decision {
  const made: Decision = { team: null, severity: came.severity, fixed: false, kept: false, muted: null, group: null }
  let grouping: { rule: number; group: Group } | null = null
  for (const { id, keys, kind, goes_on, team, severity, promote, suppress, group } of rules) {
    if (keys !== null && (came.n === null || !keys.includes(came.n))) continue
    if (kind !== null && kind !== came.kind) continue
    made.team = team ?? made.team
    made.severity = severity ?? made.severity
    made.fixed ||= severity !== null
    made.kept = promote === null ? made.kept : promote === 'never'
    made.muted = suppress === null ? made.muted : suppress ? id : null
    if (group) grouping = { rule: id, group }
    if (!goes_on) break
  }
  if (grouping) {
    const { rule, group } = grouping
    // Alerts of a group must also have the same team and visibility.
    made.group = { ...group, name: `${rule}|${made.team}|${group.by}|${groupValue(group.by, came)}` }
  }
  return made
}

/** A silence with a pattern. */
export interface Silence {
  id: number
  of: { severity: Severity } | { key: number } | { team: number }
  from: number
  until: number
  /** Somebody ended it early. */
  over: boolean
}

/** The incident or alert that is examined, as it stands. */
export interface Subject {
  severity: Severity
  n: number | null
  team: number | null
}

/** Returns the ids of the silences that hold it; the one that began first comes first. */
export function holding(silences: readonly Silence[], { severity, n, team }: Subject, at: number): number[] {
  const matches = ({ of }: Silence): boolean =>
    'severity' in of ? of.severity === severity : 'key' in of ? n !== null && of.key === n : of.team === team
  return silences
    .filter((silence) => !silence.over && silence.from <= at && silence.until > at && matches(silence))
    .sort((one, other) => one.from - other.from || one.id - other.id)
    .map(({ id }) => id)
}

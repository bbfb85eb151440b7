/**
 * On-call schedules: the words of layers, how a definition is stored, and how much there may be.
 * The rules, the API and the store share it; the rules alone say what it means.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Weekday } from './routing-words.ts'

export const rotations = ['daily', 'weekly', 'monthly', 'hours'] as const
export type Rotation = (typeof rotations)[number]

export const fallbackKinds = ['user', 'schedule', 'policy_default', 'none'] as const
export type FallbackKind = (typeof fallbackKinds)[number]

/** Why somebody is on call: `fallback` and `gap` where no layer and no override has anybody. */
export const shiftOrigins = ['layer', 'override', 'swap', 'fallback', 'gap'] as const
export type ShiftOrigin = (typeof shiftOrigins)[number]

/** Why somebody who is on call cannot be asked. */
export const unreachableReasons = ['no_method', 'unverified', 'not_visible', 'disabled'] as const

/** Of a saved definition: it counts no more, counts, will count, or was replaced before it did. */
export const versionStates = ['past', 'current', 'planned', 'never'] as const
export type VersionState = (typeof versionStates)[number]
/** What of a definition two versions may differ in. */
export const definitionParts = ['time_zone', 'layers', 'fallback', 'notices', 'min_participants'] as const
export type DefinitionPart = (typeof definitionParts)[number]

export const noticeTimes = ['on_change', 'daily', 'weekly'] as const
/** Families of channels that nobody reads: they page, call, or open tickets. */
export const deafFamilies = ['paging', 'ticketing', 'telephony'] as const

export const MAX_LAYERS = 20
export const MAX_PARTICIPANTS = 100
/** People in one turn. */
export const MAX_PAIR = 10
export const MAX_RESTRICTIONS = 20
export const MAX_EVERY = 52
export const MAX_SHIFT_HOURS = 744
export const MAX_NOTICES = 5
export const MAX_MIN_PARTICIPANTS = 5
/** Saved definitions of one schedule; a schedule that had so many is made anew. */
export const MAX_SCHEDULE_VERSIONS = 5000
/** Overrides of one schedule that have not ended. */
export const MAX_OVERRIDES = 1000
/** Characters of a calendar's address. */
export const MAX_CALENDAR_URL = 2000
export const MAX_OVERRIDE_DAYS = 366
/** How far ahead an override begins, and a definition counts. */
export const MAX_AHEAD_DAYS = 366
/** Swaps of one person that nobody has taken yet. */
export const MAX_OPEN_SWAPS = 50
/** Shifts that one swap may hand over. */
export const MAX_SWAP_SHIFTS = 100
/** Calendar links of one person. */
export const MAX_CALENDAR_LINKS = 20
export const MAX_SHIFT_DAYS = 370
export const MAX_COVERAGE_DAYS = 60
/** Dates of layers: earlier ones have zones whose offsets nobody keeps. */
export const FIRST_DATE = '1970-01-01'
export const LAST_DATE = '2199-12-31'

/** A user id, the ids of a pair, or nobody in this turn. */
export type Participant = string | readonly string[] | null

export interface Restriction {
  /** On which it opens; none: every day. */
  days: readonly Weekday[]
  /** HH:MM. Equal ones are a whole day; `to` before `from` is on the next day. */
  from: string
  to: string
  /** The day on which it closes, where that is another. */
  to_day: Weekday | null
}

export interface Layer {
  name: string
  /** null: the zone of the schedule. */
  time_zone: string | null
  participants: readonly Participant[]
  rotation: Rotation
  every: number
  /** HH:MM. */
  handoff_time: string
  /** Of weekly (a weekday) and monthly (1 to 28); else null. */
  handoff_day: Weekday | number | null
  /** Local dates. */
  starts_on: string
  ends_on: string | null
  start_index: number
  restrictions: readonly Restriction[]
  /** Of `hours`; else null. */
  shift_hours: number | null
}

export interface Fallback {
  kind: FallbackKind
  /** Of a user or a schedule; else null. */
  id: string | null
}

export interface Notice {
  channel_id: string
  when: (typeof noticeTimes)[number]
  /** HH:MM; null: at every change. */
  at: string | null
  days: readonly Weekday[]
}

/** What a version of a schedule says; it never changes once it is saved. */
export interface Definition {
  time_zone: string
  /** A later one wins. */
  layers: readonly Layer[]
  fallback: Fallback
  notices: readonly Notice[]
  min_participants: number
}

/**
 * On-call schedules: the words of layers, the stored form of a definition, and its limits. The
 * rules, the API and the store share this file; only the rules interpret it.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Weekday } from './routing-words.ts'

export const rotations = ['daily', 'weekly', 'monthly', 'hours'] as const
export type Rotation = (typeof rotations)[number]

export const fallbackKinds = ['user', 'schedule', 'policy_default', 'none'] as const
export type FallbackKind = (typeof fallbackKinds)[number]

/**
 * Why somebody is on call. `fallback` and `gap` apply when no layer and no override has anybody.
 */
export const shiftOrigins = ['layer', 'override', 'swap', 'fallback', 'gap'] as const
export type ShiftOrigin = (typeof shiftOrigins)[number]

/** Why a person who is on call cannot be paged. */
export const unreachableReasons = ['no_method', 'unverified', 'not_visible', 'disabled'] as const

/**
 * State of a saved definition: it was in force, is in force, will be in force, or was replaced
 * before it came into force.
 */
export const versionStates = ['past', 'current', 'planned', 'never'] as const
export type VersionState = (typeof versionStates)[number]
/** Parts of a definition in which two versions can differ. */
export const definitionParts = ['time_zone', 'layers', 'fallback', 'notices', 'min_participants'] as const
export type DefinitionPart = (typeof definitionParts)[number]

export const noticeTimes = ['on_change', 'daily', 'weekly'] as const
/** Families of channels that nobody reads as messages: they page, call, or open tickets. */
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
/** Most versions of one schedule's definition. After that a new schedule must be created. */
export const MAX_SCHEDULE_VERSIONS = 5000
/** Most overrides of one schedule that have not ended. */
export const MAX_OVERRIDES = 1000
/** Most characters in the address of a calendar. */
export const MAX_CALENDAR_URL = 2000
export const MAX_OVERRIDE_DAYS = 366
/** How far ahead an override may begin, or a definition may take effect. */
export const MAX_AHEAD_DAYS = 366
/** Most swaps of one person that nobody has taken yet. */
export const MAX_OPEN_SWAPS = 50
/** Most shifts that one swap may hand over. */
export const MAX_SWAP_SHIFTS = 100
/** Most calendar links of one person. */
export const MAX_CALENDAR_LINKS = 20
export const MAX_SHIFT_DAYS = 370
export const MAX_COVERAGE_DAYS = 60
/** First and last date of layers. Nobody keeps the zone offsets of earlier dates. */
export const FIRST_DATE = '1970-01-01'
export const LAST_DATE = '2199-12-31'

/** A user id, the ids of several people who share the turn, or null when nobody has this turn. */
export type Participant = string | readonly string[] | null

export interface Restriction {
  /** Days on which the restriction opens. Empty: every day. */
  days: readonly Weekday[]
  /**
   * HH:MM. If both are equal, the restriction lasts a whole day. If `to` is before `from`, it is on
   * the next day.
   */
  from: string
  to: string
  /** The day on which the restriction closes, if it is another day. */
  to_day: Weekday | null
}

export interface Layer {
  name: string
  /** null: the time zone of the schedule. */
  time_zone: string | null
  participants: readonly Participant[]
  rotation: Rotation
  every: number
  /** HH:MM. */
  handoff_time: string
  /** For weekly a weekday, for monthly 1 to 28; otherwise null. */
  handoff_day: Weekday | number | null
  /** Local dates. */
  starts_on: string
  ends_on: string | null
  start_index: number
  restrictions: readonly Restriction[]
  /** Set for the rotation `hours`; otherwise null. */
  shift_hours: number | null
}

export interface Fallback {
  kind: FallbackKind
  /** Id of the user or schedule; null for other kinds. */
  id: string | null
}

export interface Notice {
  channel_id: string
  when: (typeof noticeTimes)[number]
  /** HH:MM; null: at every change of who is on call. */
  at: string | null
  days: readonly Weekday[]
}

/** The content of one version of a schedule. A saved version never changes. */
export interface Definition {
  time_zone: string
  /** A later one wins. */
  layers: readonly Layer[]
  fallback: Fallback
  notices: readonly Notice[]
  min_participants: number
}

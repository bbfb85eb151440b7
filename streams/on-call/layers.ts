/**
 * One layer of a schedule: who is on call by its rotation and its active hours alone.
 *
 * In       a layer of a definition, compiled; a span of epoch ms
 * Out      its pieces: who has which turn from when to when, in order, without overlap
 * Source   docs/design/api/on-call.md#s7-1
 *
 * Turns are numbered by the local periods since `starts_on`, whether or not a restriction is active
 * in them. The end of a piece is exclusive.
 */
import type { Layer, Participant, Restriction } from '../../schemas/http/on-call-words.ts'
import { dayOf, dayOfMonth, minutesOf, monthOf, weekdayIndex, weekdayOf } from './dates.ts'
import { DAY_MS, MINUTE_MS, type Zone } from './zones.ts'

const HOUR_MS = 3_600_000
/** The longest window: from a day to the same day of the next week. */
const LONGEST_WINDOW_DAYS = 8

export interface Piece {
  /** Epoch ms; the end is exclusive. */
  starts_at: number
  ends_at: number
  user_ids: readonly string[]
  turn: number
}

export interface CompiledLayer {
  name: string
  /** All pieces that overlap the span, not cut to it. */
  piecesIn(from: number, to: number): Piece[]
}

interface Span {
  from: number
  to: number
}

const idsOf = (participant: Participant): readonly string[] =>
  participant === null ? [] : typeof participant === 'string' ? [participant] : participant

/** Throws TypeError for a value that the API never stores. */
function known<T>(value: T | null, what: string): T {
  if (value === null) throw new TypeError(`layer: ${what}`)
  return value
}

interface Turns {
  /** Start of a turn, epoch ms; never decreases from turn to turn. */
  startOf(turn: number): number
  /** A turn near the one that holds this instant. */
  guess(at: number): number
}

function turnsOf(layer: Layer, zone: Zone): Turns {
  const first = known(dayOf(layer.starts_on), 'starts_on')
  const local_ms = known(minutesOf(layer.handoff_time), 'handoff_time') * MINUTE_MS
  const at = (day: number): number => zone.instantOf(day * DAY_MS + local_ms)
  const start = at(first)
  const dayAt = (instant: number): number => Math.floor((instant + zone.offsetAt(instant)) / DAY_MS)
  const { every, handoff_day } = layer
  if (layer.rotation === 'hours') {
    const length = known(layer.shift_hours, 'shift_hours') * HOUR_MS
    return { startOf: (turn) => start + turn * length, guess: (instant) => Math.floor((instant - start) / length) }
  }
  if (layer.rotation === 'daily')
    return { startOf: (turn) => at(first + turn * every), guess: (instant) => Math.floor((dayAt(instant) - first) / every) }
  if (layer.rotation === 'weekly') {
    if (typeof handoff_day !== 'string') throw new TypeError('layer: handoff_day')
    // Day of the first hand-off after the start. If the start is no hand-off day, turn 0 is short.
    const second = first + ((weekdayIndex(handoff_day) - weekdayOf(first) + 6) % 7) + 1
    return {
      startOf: (turn) => (turn === 0 ? start : at(second + 7 * (every * turn - 1))),
      guess: (instant) => Math.floor((dayAt(instant) - second + 7) / (7 * every))
    }
  }
  if (typeof handoff_day !== 'number') throw new TypeError('layer: handoff_day')
  const { month, date } = monthOf(first)
  const second = date < handoff_day ? month : month + 1
  return {
    startOf: (turn) => (turn === 0 ? start : at(dayOfMonth(second + every * turn - 1, handoff_day))),
    guess: (instant) => Math.floor((monthOf(dayAt(instant)).month - second + 1) / every)
  }
}

/** The turn that contains an instant; -1 before the layer begins. */
function turnAt({ startOf, guess }: Turns, at: number): number {
  if (at < startOf(0)) return -1
  let turn = Math.max(0, guess(at))
  while (turn > 0 && startOf(turn) > at) turn -= 1
  while (startOf(turn + 1) <= at) turn += 1
  return turn
}

interface Window {
  onDay: readonly boolean[]
  from_ms: number
  to_ms: number
  /** By weekday of opening: how many days later the window closes. */
  days: readonly number[]
}

function windowOf({ days, from, to, to_day }: Restriction): Window {
  const [opens, closes] = [known(minutesOf(from), 'from'), known(minutesOf(to), 'to')]
  const chosen = days.map(weekdayIndex)
  const week = [0, 1, 2, 3, 4, 5, 6]
  return {
    onDay: week.map((day) => chosen.length === 0 || chosen.includes(day)),
    from_ms: opens * MINUTE_MS,
    to_ms: closes * MINUTE_MS,
    days: week.map((day) => {
      const later = to_day === null ? 0 : (weekdayIndex(to_day) - day + 7) % 7
      return later === 0 && closes <= opens ? (to_day === null ? 1 : 7) : later
    })
  }
}

/** Spans in which at least one window is open; adjoining spans are merged. */
function openSpans(windows: readonly Window[], zone: Zone, from: number, to: number): Span[] {
  const dayAt = (instant: number): number => Math.floor((instant + zone.offsetAt(instant)) / DAY_MS)
  const [first, last] = [dayAt(from) - LONGEST_WINDOW_DAYS - 1, dayAt(to) + 1]
  const spans: Span[] = []
  for (const { onDay, from_ms, to_ms, days } of windows)
    for (let day = first; day <= last; day++) {
      const weekday = weekdayOf(day)
      if (!onDay[weekday]) continue
      const opens = zone.instantOf(day * DAY_MS + from_ms)
      const closes = zone.instantOf((day + (days[weekday] ?? 0)) * DAY_MS + to_ms)
      if (opens < closes) spans.push({ from: opens, to: closes })
    }
  spans.sort((a, b) => a.from - b.from)
  const joined: Span[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to)
    else joined.push(span)
  }
  return joined
}

/** The end of the day `ends_on`, in epoch ms. */
const endOf = ({ ends_on }: Layer, zone: Zone): number =>
  ends_on === null ? Infinity : zone.instantOf((known(dayOf(ends_on), 'ends_on') + 1) * DAY_MS)

/** `zone`: the zone of the layer, or of the schedule if the layer has none. */
export function compileLayer(layer: Layer, zone: Zone): CompiledLayer {
  const turns = turnsOf(layer, zone)
  const end = endOf(layer, zone)
  const windows = layer.restrictions.map(windowOf)
  const participants = layer.participants.map(idsOf)
  const always: Span[] = [{ from: -Infinity, to: Infinity }]

  function piecesIn(from: number, to: number): Piece[] {
    const last = Math.min(to, end)
    const pieces: Piece[] = []
    let turn = Math.max(0, turnAt(turns, from))
    let starts_at = turns.startOf(turn)
    if (starts_at >= last || from >= end) return pieces
    const spans = windows.length === 0 ? always : openSpans(windows, zone, Math.min(from, starts_at), to)
    let at = 0
    for (; starts_at < last; turn++) {
      const next = turns.startOf(turn + 1)
      const ends_at = Math.min(next, end)
      const user_ids = participants[(layer.start_index + turn) % participants.length] ?? []
      while (at < spans.length && (spans[at] as Span).to <= starts_at) at += 1
      for (let index = at; index < spans.length && user_ids.length > 0; index++) {
        const span = spans[index] as Span
        if (span.from >= ends_at) break
        const piece = { starts_at: Math.max(span.from, starts_at), ends_at: Math.min(span.to, ends_at), user_ids, turn }
        if (piece.starts_at < piece.ends_at && piece.ends_at > from && piece.starts_at < to) pieces.push(piece)
      }
      starts_at = next
    }
    return pieces
  }
  return { name: layer.name, piecesIn }
}

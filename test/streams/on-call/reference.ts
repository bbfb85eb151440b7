/**
 * A reference that says who is on call at each minute, written from the design alone: it has no
 * shifts and resolves no local time. A local time has come once the clocks of the zone have shown
 * it, or a later time.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import type { Definition, Layer } from '../../../schemas/http/on-call-words.ts'
import { weekdays } from '../../../schemas/http/routing-words.ts'
import type { Override } from '../../../streams/on-call/timeline.ts'

const MINUTE = 60_000
const DAY = 1440

/**
 * The latest local time that the clocks of a zone have shown so far, in minutes since 1970, at each
 * minute of a span.
 */
export class Clocks {
  readonly first: number
  readonly shown: Float64Array
  readonly #since = new Map<number, number>()

  constructor(zone: string, from: number, to: number) {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit'
    })
    this.first = from / MINUTE
    this.shown = new Float64Array(to / MINUTE - this.first)
    let most = -Infinity
    for (let index = 0; index < this.shown.length; index++) {
      const [day, month, year, hour, minute] = format.format((this.first + index) * MINUTE).split(/[/, :]+/)
      const now = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) / MINUTE
      most = Math.max(most, now)
      this.shown[index] = most
    }
  }

  at(instant: number): number {
    const shown = this.shown[instant / MINUTE - this.first]
    if (shown === undefined) throw new RangeError('The clocks were not watched then')
    return shown
  }

  /** The first instant at which a local time had come. */
  since(local: number): number {
    const kept = this.#since.get(local)
    if (kept !== undefined) return kept
    const index = this.shown.findIndex((shown) => shown >= local)
    if (index <= 0) throw new RangeError('The clocks were not watched then')
    this.#since.set(local, (this.first + index) * MINUTE)
    return (this.first + index) * MINUTE
  }
}

const minutes = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const days = (date: string): number => Date.parse(date) / MINUTE / DAY
const weekday = (day: number): string => weekdays[(day + 3) % 7] ?? ''
const dateOf = (day: number): number => new Date(day * DAY * MINUTE).getUTCDate()

const counted = new WeakMap<Layer, Map<number, number>>()

/** Civil periods that ended between the start of the layer and the time shown. */
function periods(layer: Layer, shown: number): number {
  const { rotation, handoff_day, handoff_time, starts_on } = layer
  const known = counted.get(layer) ?? new Map<number, number>()
  counted.set(layer, known)
  const today = Math.floor((shown - minutes(handoff_time)) / DAY)
  const before = known.get(today)
  if (before !== undefined) return before
  let count = 0
  for (let day = days(starts_on) + 1; day * DAY + minutes(handoff_time) <= shown; day++)
    if (rotation === 'daily' || weekday(day) === handoff_day || dateOf(day) === handoff_day) count += 1
  known.set(today, count)
  return count
}

function isOpen({ restrictions }: Layer, shown: number): boolean {
  if (restrictions.length === 0) return true
  const today = Math.floor(shown / DAY)
  for (const window of restrictions)
    for (let day = today - 9; day <= today; day++) {
      if (window.days.length > 0 && !window.days.some((one) => one === weekday(day))) continue
      const opens = day * DAY + minutes(window.from)
      let last = day
      if (window.to_day === null && minutes(window.to) <= minutes(window.from)) last = day + 1
      if (window.to_day !== null) while (weekday(last) !== window.to_day || last * DAY + minutes(window.to) <= opens) last += 1
      if (shown >= opens && shown < last * DAY + minutes(window.to)) return true
    }
  return false
}

/** Who is on call in the layer, without people who left; an empty list means nobody. */
function holders(layer: Layer, clocks: Clocks, instant: number, left: ReadonlySet<string>): string[] {
  const shown = clocks.at(instant)
  const start = days(layer.starts_on) * DAY + minutes(layer.handoff_time)
  if (shown < start || (layer.ends_on !== null && shown >= (days(layer.ends_on) + 1) * DAY) || !isOpen(layer, shown)) return []
  const turn =
    layer.rotation === 'hours'
      ? Math.floor((instant - clocks.since(start)) / ((layer.shift_hours ?? 0) * 60 * MINUTE))
      : Math.floor(periods(layer, shown) / layer.every)
  const whose = layer.participants[(layer.start_index + turn) % layer.participants.length] ?? null
  return [whose ?? []].flat().filter((id) => !left.has(id))
}

export interface Question {
  definition: Definition
  overrides: readonly Override[]
  left: ReadonlySet<string>
  clocks(zone: string): Clocks
}

/** Ids of the people on call, joined by +; an empty text is a gap. */
export function onCallAtMinute({ definition, overrides, left, clocks }: Question, instant: number): string {
  const { layers, time_zone } = definition
  const held = layers.map((layer) => holders(layer, clocks(layer.time_zone ?? time_zone), instant, left))
  const active = overrides
    .filter(({ starts_at, ends_at, user_id }) => starts_at <= instant && instant < ends_at && !(user_id && left.has(user_id)))
    .map((one) => ({ ...one, rank: one.from_calendar ? one.seq : 1000 + one.seq }))
    .sort((a, b) => b.rank - a.rank)
  /**
   * The people after the overrides of a layer (null: overrides of all layers) are applied, and the
   * rank of the override that won.
   */
  const changed = (whose: readonly string[], layer: string | null): { people: string[]; rank: number } | null => {
    const mine = active.filter((one) => one.layer === layer && (one.replaces_user_id === null || whose.includes(one.replaces_user_id)))
    const [newest] = mine
    if (!newest) return null
    if (newest.replaces_user_id === null) return { people: newest.user_id ? [newest.user_id] : [], rank: newest.rank }
    // Older ones that stand in for other halves of the pair hold too, down to one for everybody.
    const whole = mine.findIndex((one) => one.replaces_user_id === null)
    const standIns = whole < 0 ? mine : mine.slice(0, whole)
    const people = whose.flatMap((id) => {
      const standIn = standIns.find((one) => one.replaces_user_id === id)
      return standIn ? (standIn.user_id ?? []) : id
    })
    return { people: [...new Set(people)], rank: newest.rank }
  }
  const base = held.findLast((people) => people.length > 0) ?? []
  let shown: { people: string[]; rank: number } = { people: base, rank: -1 }
  for (const [index, layer] of [...layers.entries()].reverse()) {
    const people = held[index] ?? []
    const change = changed(people, layer.name)
    if (!change && people.length === 0) continue
    shown = change ?? { people, rank: -1 }
    break
  }
  const wide = changed(base, null)
  return (wide && wide.rank > shown.rank ? wide.people : shown.people).join('+')
}

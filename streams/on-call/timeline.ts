/**
 * Who is on call: the final timeline of a schedule, computed from its versions, their layers, and
 * overrides.
 *
 * In       a plan: versions of a schedule with the times from which they apply, overrides, who
 *          still belongs to the workspace; a span of epoch ms
 * Out      shifts that fill the span without gap or overlap; if nobody is on call, a shift says
 *          that it is a gap, with the fallback
 * Source   docs/design/api/on-call.md#s7-1
 *
 * A later layer overrides an earlier one. An override applies to the result of all layers, or to
 * its own layer. With `replaces_user_id` it applies only while that person is on call by the
 * layers, and the other person of a pair stays on call. Of overlapping overrides, those of people
 * come before those of a calendar, and then the last created wins; overrides that replace different
 * people both apply. An override never replaces the stand-in
 * of another. A person who left the workspace is treated as absent.
 */
import type { Definition, Fallback, ShiftOrigin } from '../../schemas/http/on-call-words.ts'
import { type CompiledLayer, compileLayer, type Piece } from './layers.ts'
import { DAY_MS, type Zones } from './zones.ts'

export interface Override {
  override_id: string
  /** Order of creation. */
  seq: number
  /** It came from the schedule's calendar. */
  from_calendar: boolean
  /** Null: nobody is on call, on purpose. */
  user_id: string | null
  /** Epoch ms. */
  starts_at: number
  ends_at: number
  replaces_user_id: string | null
  /** Name of the layer that it applies to; null for the result of all layers. */
  layer: string | null
  swap_id: string | null
}

export interface Shift {
  /** Epoch ms; the end is exclusive. */
  starts_at: number
  ends_at: number
  user_ids: readonly string[]
  origin: ShiftOrigin
  layer: string | null
  turn: number | null
  override_id: string | null
  /**
   * The fallback of a gap; null otherwise. A fallback person is in `user_ids`; for another
   * schedule, the caller must look it up.
   */
  fallback: Fallback | null
  schedule_version: number
  /** Version of the zone data that was used. */
  tzdb: string
}

export interface CompiledVersion {
  version: number
  layers: readonly CompiledLayer[]
  fallback: Fallback
}

export function compileVersion(version: number, definition: Definition, zones: Zones): CompiledVersion {
  const layers = definition.layers.map((layer) => compileLayer(layer, zones(layer.time_zone ?? definition.time_zone)))
  return { version, layers, fallback: definition.fallback }
}

/** A version and the time from which it applies. Of those that apply, the last saved wins. */
export interface PlannedVersion {
  /** Epoch ms; -Infinity for the first version of a schedule. */
  effective_at: number
  compiled: CompiledVersion
}

export interface Plan {
  versions: readonly PlannedVersion[]
  overrides: readonly Override[]
  tzdb: string
  /** Whether a person still belongs to the workspace. */
  present(user_id: string): boolean
}

/** The people on call, and the layer, turn or override that puts them there. */
interface Decision {
  user_ids: readonly string[]
  layer: string | null
  turn: number | null
  override: Override | null
  /** The replacements that the override makes. Empty: it replaces nobody. */
  places: readonly Place[]
}

/** A person who has the place of a person of the layers. */
interface Place {
  of: string
  /** That person or a stand-in; null: nobody, on purpose. */
  user_id: string | null
}

const nobody: Decision = { user_ids: [], layer: null, turn: null, override: null, places: [] }

const unique = (user_ids: string[]): string[] => [...new Set(user_ids)]

/** Sorts overrides: one that is before another wins over it. */
const byRank = (a: Override, b: Override): number => Number(a.from_calendar) - Number(b.from_calendar) || b.seq - a.seq

interface Overridden {
  user_ids: readonly string[]
  override: Override
  /** Empty: the override replaces everybody. */
  places: readonly Place[]
}

/**
 * Applies overrides (by rank) to the people on call by the layers; null when none applies. Only
 * overrides that win over `under` count.
 */
function overridden(
  user_ids: readonly string[],
  overrides: readonly Override[],
  layer: string | null,
  under: Override | null,
  present: Plan['present']
): Overridden | null {
  /**
   * Stand-ins by the person they replace. Only a person on call by the layers can be replaced,
   * never a stand-in.
   */
  const standIns = new Map<string, string | null>()
  let newest: Override | null = null
  const result = (): Overridden | null => {
    if (newest === null) return null
    const places = user_ids.map((of): Place => ({ of, user_id: standIns.has(of) ? (standIns.get(of) ?? null) : of }))
    return { user_ids: unique(places.flatMap(({ user_id }) => user_id ?? [])), override: newest, places }
  }
  for (const override of overrides) {
    if (under !== null && byRank(override, under) >= 0) break
    const { user_id, replaces_user_id } = override
    if (override.layer !== layer || (user_id !== null && !present(user_id))) continue
    if (replaces_user_id === null) return result() ?? { user_ids: user_id === null ? [] : [user_id], override, places: [] }
    if (!user_ids.includes(replaces_user_id) || standIns.has(replaces_user_id)) continue
    standIns.set(replaces_user_id, user_id)
    newest ??= override
  }
  return result()
}

/** `pure`: the result of each layer, null for nobody; `active`: overrides, by rank. */
function decide(
  layers: readonly CompiledLayer[],
  pure: readonly (Decision | null)[],
  active: readonly Override[],
  present: Plan['present']
): Decision {
  const base = pure.findLast((one) => one !== null) ?? nobody
  if (active.length === 0) return base
  let shown = base
  if (active.some(({ layer }) => layer !== null))
    for (let index = layers.length - 1; index >= 0; index--) {
      const [own, { name }] = [pure[index] ?? null, layers[index] as CompiledLayer]
      const change = overridden(own?.user_ids ?? [], active, name, null, present)
      if (change) shown = { ...change, layer: name, turn: own?.turn ?? null }
      else if (own) shown = own
      else continue
      break
    }
  const change = overridden(base.user_ids, active, null, shown.override, present)
  return change ? { ...change, layer: base.layer, turn: base.turn } : shown
}

type Placed = Pick<Shift, 'starts_at' | 'ends_at' | 'tzdb'>

function shiftOf(
  { user_ids, layer, turn, override }: Decision,
  { version, fallback }: CompiledVersion,
  present: Plan['present'],
  placed: Placed
): Shift {
  const common = { ...placed, override_id: override?.override_id ?? null, schedule_version: version }
  if (user_ids.length > 0) {
    const origin = override === null ? 'layer' : override.swap_id === null ? 'override' : 'swap'
    return { ...common, user_ids, origin, layer, turn, fallback: null }
  }
  const gap = { ...common, layer: null, turn: null, fallback }
  if (fallback.kind === 'schedule') return { ...gap, user_ids: [], origin: 'fallback' }
  const person = fallback.kind === 'user' && fallback.id !== null && present(fallback.id) ? fallback.id : null
  return person !== null ? { ...gap, user_ids: [person], origin: 'fallback' } : { ...gap, user_ids: [], origin: 'gap' }
}

const sameFallback = (a: Fallback | null, b: Fallback | null): boolean => a?.kind === b?.kind && a?.id === b?.id

type Content = Omit<Shift, 'starts_at' | 'ends_at' | 'schedule_version' | 'tzdb'>

/** Whether two shifts have the same content, so that they can be joined into one. */
export const continues = (a: Content, b: Content): boolean =>
  a.origin === b.origin &&
  a.layer === b.layer &&
  a.turn === b.turn &&
  a.override_id === b.override_id &&
  sameFallback(a.fallback, b.fallback) &&
  a.user_ids.length === b.user_ids.length &&
  a.user_ids.every((id, index) => id === b.user_ids[index])

/** Joins adjacent shifts, in order, if they have the same content. */
export function joined(shifts: readonly Shift[]): Shift[] {
  const all: Shift[] = []
  for (const shift of shifts) {
    const last = all.at(-1)
    if (last && last.ends_at === shift.starts_at && continues(last, shift)) last.ends_at = shift.ends_at
    else all.push({ ...shift })
  }
  return all
}

/** Sorted instants in the span at which the result may change. */
function boundariesIn(from: number, to: number, pieces: readonly (readonly Piece[])[], overrides: readonly Override[]): number[] {
  const instants = [from]
  const add = (at: number): void => {
    if (at > from && at < to) instants.push(at)
  }
  for (const some of pieces)
    for (const { starts_at, ends_at } of some) {
      add(starts_at)
      add(ends_at)
    }
  for (const { starts_at, ends_at } of overrides) {
    add(starts_at)
    add(ends_at)
  }
  instants.sort((a, b) => a - b)
  return instants.filter((at, index) => at !== instants[index - 1])
}

/**
 * Returns a function that gives the overrides active at an instant, by rank. It must be called with
 * increasing instants.
 */
function activeOverrides(overrides: readonly Override[]): (at: number) => readonly Override[] {
  const coming = [...overrides].sort((a, b) => a.starts_at - b.starts_at)
  let next = 0
  let active: Override[] = []
  return (at) => {
    const ended = active.some(({ ends_at }) => ends_at <= at)
    if (ended) active = active.filter(({ ends_at }) => ends_at > at)
    const before = active.length
    for (; next < coming.length && (coming[next] as Override).starts_at <= at; next++) active.push(coming[next] as Override)
    if (active.length !== before) active.sort(byRank)
    return active
  }
}

/** What a layer gives in one of its pieces; null for nobody. */
function givenBy({ name }: CompiledLayer, piece: Piece, present: Plan['present']): Decision | null {
  const user_ids = piece.user_ids.every(present) ? piece.user_ids : piece.user_ids.filter(present)
  return user_ids.length === 0 ? null : { user_ids, layer: name, turn: piece.turn, override: null, places: [] }
}

/** The timeline of one version, cut to the span. */
function shiftsOf(compiled: CompiledVersion, { overrides, present, tzdb }: Omit<Plan, 'versions'>, from: number, to: number): Shift[] {
  const { layers } = compiled
  const there = overrides.filter(({ starts_at, ends_at }) => starts_at < to && ends_at > from)
  const pieces = layers.map((layer) => layer.piecesIn(from, to))
  const at = pieces.map(() => 0)
  const activeAt = activeOverrides(there)
  const boundaries = boundariesIn(from, to, pieces, there)
  const shifts: Shift[] = []
  for (const [index, starts_at] of boundaries.entries()) {
    const pure = pieces.map((some, layer): Decision | null => {
      let next = at[layer] as number
      while (next < some.length && (some[next] as Piece).ends_at <= starts_at) next += 1
      at[layer] = next
      const piece = some[next]
      return !piece || piece.starts_at > starts_at ? null : givenBy(layers[layer] as CompiledLayer, piece, present)
    })
    const decision = decide(layers, pure, activeAt(starts_at), present)
    const shift = shiftOf(decision, compiled, present, { starts_at, ends_at: boundaries[index + 1] ?? to, tzdb })
    const last = shifts.at(-1)
    if (last && continues(last, shift)) last.ends_at = shift.ends_at
    else shifts.push(shift)
  }
  return shifts
}

/** The version that applies at an instant, and until when; null when none applies. */
function versionAt(versions: readonly PlannedVersion[], at: number): { planned: PlannedVersion | null; until: number } {
  let planned: PlannedVersion | null = null
  let until = Infinity
  for (const one of versions) {
    if (one.effective_at > at) until = Math.min(until, one.effective_at)
    else if (!planned || one.compiled.version > planned.compiled.version) planned = one
  }
  return { planned, until }
}

/** What an override must say so that somebody takes the place that a person has. */
export type Takeover = Pick<Override, 'replaces_user_id' | 'layer'>

/**
 * Returns how another person takes over from one who is on call at an instant: by one override for
 * each place that the person has. A person of the layers has their own place, and a stand-in the
 * place of the person whom they replace. Empty when the person is not on call then.
 */
export function takeoversOf(plan: Plan, user_id: string, at: number): Takeover[] {
  const { planned } = versionAt(plan.versions, at)
  if (!planned) return []
  const { layers } = planned.compiled
  const pure = layers.map((layer) => {
    const [piece] = layer.piecesIn(at, at + 1)
    return piece ? givenBy(layer, piece, plan.present) : null
  })
  const active = plan.overrides.filter(({ starts_at, ends_at }) => starts_at <= at && ends_at > at).sort(byRank)
  const { user_ids, override, places } = decide(layers, pure, active, plan.present)
  if (!user_ids.includes(user_id)) return []
  if (override === null) return [{ replaces_user_id: user_id, layer: null }]
  // Overrides of a layer and of the whole schedule do not add up, so the new one is like the old.
  const { layer } = override
  if (places.length === 0) return [{ replaces_user_id: null, layer }]
  return places.flatMap(({ of, user_id: by }) => (by === user_id ? [{ replaces_user_id: of, layer }] : []))
}

/**
 * The final timeline, cut to the span; a shift may really begin before it or end after it. Empty
 * where no version applies yet.
 */
export function finalShifts(plan: Plan, from: number, to: number): Shift[] {
  const shifts: Shift[] = []
  for (let at = from; at < to; ) {
    const { planned, until } = versionAt(plan.versions, at)
    const end = Math.min(until, to)
    if (planned) shifts.push(...shiftsOf(planned.compiled, plan, at, end))
    at = end
  }
  return joined(shifts)
}

/** Spans in days in which `onCallIn` looks for the next change, one after the other. */
const LOOK_DAYS = [2, 16, 70, 400]

export interface OnCallShift {
  shift: Shift
  /** When the people on call change, or nobody is; null when not within 400 days. */
  until: number | null
  /** Who is on call next, and from when; null when nobody is within 400 days. */
  next: { user_ids: readonly string[]; from: number } | null
}

const samePeople = (a: Shift, b: Shift): boolean =>
  a.user_ids.length === b.user_ids.length && a.user_ids.every((id, index) => id === b.user_ids[index])

/**
 * Who is on call at an instant and who is next; null when no version of the schedule applies then.
 * `shiftsIn` returns the final timeline of a span.
 */
export function onCallIn(shiftsIn: (from: number, to: number) => readonly Shift[], at: number): OnCallShift | null {
  let found: OnCallShift | null = null
  for (const days of LOOK_DAYS) {
    const shifts = shiftsIn(at, at + days * DAY_MS)
    const [shift] = shifts
    if (!shift) return null
    const other = shifts.findIndex((one) => !samePeople(one, shift))
    const next = other < 0 ? undefined : shifts.slice(other).find(({ user_ids }) => user_ids.length > 0)
    found = {
      shift,
      until: other < 0 ? null : (shifts[other] as Shift).starts_at,
      next: next ? { user_ids: next.user_ids, from: next.starts_at } : null
    }
    if (found.next) return found
  }
  return found
}

/**
 * Converts local times of zones to instants. A local time that does not exist becomes the first
 * instant after the gap; a local time that occurs twice means the first occurrence. Both follow
 * from one rule: the first instant at which the zone's clocks show that time or a later one.
 *
 * The offset between two clock changes is cached, because asking Temporal costs 40 µs each time.
 * Local times are ms since 1970-01-01 00:00 local time.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { Temporal } from 'temporal-polyfill'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

export interface Zone {
  /** Milliseconds by which the zone is ahead of UTC. `at` in epoch ms. */
  offsetAt(at: number): number
  /** Epoch ms. */
  instantOf(local: number): number
}

/** Finds a zone by its name; throws RangeError for an unknown zone. */
export type Zones = (name: string) => Zone

/** The time between two clock changes. */
export interface Stretch {
  /** Start, epoch ms; -Infinity for the first stretch kept. */
  from: number
  offset_ms: number
}

/** A zone made of its stretches, in order. There must be at least one. */
export function zoneOf(stretches: readonly Stretch[]): Zone {
  const indexAt = (at: number): number => {
    let [low, high] = [0, stretches.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((stretches[middle] as Stretch).from <= at) low = middle
      else high = middle - 1
    }
    return low
  }
  return {
    offsetAt: (at) => (stretches[indexAt(at)] as Stretch).offset_ms,
    instantOf(local) {
      // No zone differs from UTC by more than a day, so all earlier stretches have ended by then.
      for (let index = indexAt(local - 2 * DAY_MS); index < stretches.length; index++) {
        const { from, offset_ms } = stretches[index] as Stretch
        const at = Math.max(from, local - offset_ms)
        if (at < (stretches[index + 1]?.from ?? Infinity)) return at
      }
      throw new Error('The last stretch of a zone has no end')
    }
  }
}

/** How much is read before and after the requested instant. */
const SPAN_MS = 800 * DAY_MS
/**
 * More than the number of zones. Spelling variants do not matter: zones are stored by their own
 * names.
 */
const MAX_ZONES = 1000

function stretchesOf(name: string, from: number, until: number): Stretch[] {
  let moment = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(name)
  const stretches: Stretch[] = [{ from: -Infinity, offset_ms: moment.offsetNanoseconds / 1e6 }]
  for (;;) {
    const next = moment.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds > until) return stretches
    stretches.push({ from: next.epochMilliseconds, offset_ms: next.offsetNanoseconds / 1e6 })
    moment = next
  }
}

/** A zone from the tz database. More of its clock changes are read when they are needed. */
function makeZone(name: string): Zone {
  // Throws for an unknown zone.
  Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
  let known: { from: number; until: number; zone: Zone } | null = null
  const around = (at: number): Zone => {
    if (known && at >= known.from && at < known.until) return known.zone
    const from = Math.min(known?.from ?? Infinity, at - SPAN_MS)
    const until = Math.max(known?.until ?? -Infinity, at + SPAN_MS)
    known = { from, until, zone: zoneOf(stretchesOf(name, from - 3 * DAY_MS, until + 3 * DAY_MS)) }
    return known.zone
  }
  return { offsetAt: (at) => around(at).offsetAt(at), instantOf: (local) => around(local).instantOf(local) }
}

const zones = new Map<string, Zone>()

/** Zones by the tz database of this process. */
export const tzZones: Zones = (name) => {
  const kept = zones.get(name)
  if (kept) return kept
  const zone = makeZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, zone)
  return zone
}

/** Whether the zone exists. */
export function isZone(name: string): boolean {
  try {
    tzZones(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

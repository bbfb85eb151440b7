/**
 * Civil time of zones: which instant a local time is. A local time that does not exist becomes the
 * first instant after the gap; one that occurs twice is its first occurrence. Both are one rule:
 * the first instant at which the clocks of the zone show that time or a later one.
 *
 * What a zone says between two changes of its clocks is kept: asking Temporal costs 40 µs each.
 * Local times are ms since 1970-01-01 00:00 on the clocks of the zone.
 * Source: docs/design/api/on-call.md#s7-1.
 */
import { Temporal } from 'temporal-polyfill'

export const MINUTE_MS = 60_000
export const DAY_MS = 86_400_000

export interface Zone {
  /** Ms that the zone is ahead of UTC. `at` in epoch ms. */
  offsetAt(at: number): number
  /** Epoch ms. */
  instantOf(local: number): number
}

/** Finds a zone by its name; throws RangeError for what is no zone. */
export type Zones = (name: string) => Zone

/** From one change of the clocks to the next. */
export interface Stretch {
  /** Epoch ms, -Infinity for the first that is kept. */
  from: number
  offset_ms: number
}

/** The zone of stretches in their order, of which there is one at least. */
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
      // No zone is further from UTC than a day: earlier stretches have ended by then.
      for (let index = indexAt(local - 2 * DAY_MS); index < stretches.length; index++) {
        const { from, offset_ms } = stretches[index] as Stretch
        const at = Math.max(from, local - offset_ms)
        if (at < (stretches[index + 1]?.from ?? Infinity)) return at
      }
      throw new Error('The last stretch of a zone has no end')
    }
  }
}

/** Read on either side of what was asked for. */
const SPAN_MS = 800 * DAY_MS
/** More zones than there are; spelling does not count, for zones are stored by their own names. */
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

/** The zone as the tz database has it; more of its changes are read as they are asked for. */
function makeZone(name: string): Zone {
  // Throws for what is no zone.
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

/** Zones of the tz database of this process. */
export const tzZones: Zones = (name) => {
  const kept = zones.get(name)
  if (kept) return kept
  const zone = makeZone(name)
  if (zones.size >= MAX_ZONES) zones.clear()
  zones.set(name, zone)
  return zone
}

/** Whether there is such a zone. */
export function isZone(name: string): boolean {
  try {
    tzZones(name)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

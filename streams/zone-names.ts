/**
 * Names of time zones. Temporal refuses some names that Intl reads, such as IST and PST.
 * Source: docs/design/api/on-call.md (time_zone).
 */
import { Temporal } from 'temporal-polyfill'

function orNull(read: () => string): string | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/**
 * Returns a name that Temporal reads: the one given, in the letter case of the tz database, or
 * that of Intl where only Intl knows it. Null: there is no such zone.
 */
export const readableZone = (name: string): string | null =>
  orNull(() => Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId) ??
  orNull(() => new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone)

/**
 * When a heartbeat is expected: every so many seconds, or by a cron expression in the local time of
 * an IANA zone.
 *
 * In       a schedule and an instant (epoch ms)
 * Out      the slots after it, in order; for a cron expression from a user, what is wrong with it
 * Source   docs/design/api/heartbeats.md#s4-1 (cron rules)
 *
 * Cron: five fields, names, lists, ranges, steps, `L` (last day, or 5L: last Friday), `W`, `#`
 * (1#2: second Monday), and @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. Days
 * of the month and of the week follow the cron of Debian: if both are restricted, either may match;
 * but if one of them begins with `*`, both must match. When the zone's clock changes:
 *   fixed jobs (no `*` and no step in minute and hour)   a time that the clock skips is expected at
 *                                                        the first minute after the gap, several
 *                                                        such once; a time that it shows twice is
 *                                                        expected once, on its first pass
 *   the others                                           follow elapsed time: every minute that
 *                                                        passes and whose local time matches, so
 *                                                        none in a gap, both of a repeat
 * croner 11 behaves like this with fixedTimeRule `no-wildcard`;
 * test/streams/heartbeat/schedule.test.ts compares it with an independent implementation of our
 * own.
 *
 * Pure except for a cache of parsed expressions, which changes no answer. The rules of the zones
 * are those of the runtime's tzdb.
 */
import { Cron } from 'croner'

export type Schedule = { kind: 'period'; period_seconds: number } | { kind: 'cron'; expression: string; time_zone: string }

const MAX_LENGTH = 200
const NICKNAMES = new Set(['@hourly', '@daily', '@midnight', '@weekly', '@monthly', '@yearly', '@annually'])
const FIELDS = ['second', 'minute', 'hour', 'day of month', 'month', 'day of week', 'year']
/** Any instant serves: an expression fires repeatedly or never. */
const SOME_TIME = Date.UTC(2024, 0, 1)

/** An error in a schedule, and the part that has it. `message` is a sentence for users. */
export interface ScheduleFault {
  part: 'expression' | 'time_zone'
  message: string
}

/**
 * Checks a cron expression and its zone. Returns null when both are valid. An expression that never
 * fires is invalid.
 */
export function validateSchedule(text: string, zone: string): ScheduleFault | null {
  const message = expressionFault(text)
  if (message !== null) return { part: 'expression', message }
  if (!isZone(zone)) return { part: 'time_zone', message: `Unknown time zone ${zone}` }
  try {
    const isEver = parse(text, zone).nextRun(new Date(SOME_TIME)) !== null
    return isEver ? null : { part: 'expression', message: 'The expression never fires' }
  } catch (error) {
    return { part: 'expression', message: sentence(error instanceof Error ? error.message : String(error)) }
  }
}

/** Errors that can be found without parsing the fields. */
function expressionFault(text: string): string | null {
  if (text.length > MAX_LENGTH) return `The expression has more than ${MAX_LENGTH} characters`
  const fields = fieldsOf(text)
  if (fields.length === 1 && text.trim().startsWith('@')) {
    if (!NICKNAMES.has(text.trim().toLowerCase())) return `Unknown name ${text.trim()}; known are ${[...NICKNAMES].join(', ')}`
  } else if (fields.length !== 5) return `Five fields are needed (minute, hour, day of month, month, day of week), not ${fields.length}`
  return text.includes('+') ? 'The day of week has an illegal +' : null
}

/**
 * The next `count` slots strictly after `after` (epoch ms), in ascending order. The slots of a
 * period are counted from `after`. Throws on an expression that validateSchedule refuses.
 */
export function nextExpected(schedule: Schedule, after: number, count: number): number[] {
  const slots: number[] = []
  for (let slot = after; slots.length < count; slots.push(slot)) slot = nextSlot(schedule, slot)
  return slots
}

/** The next slot strictly after `after` (epoch ms). */
export function nextSlot(schedule: Schedule, after: number): number {
  if (schedule.kind === 'period') return after + schedule.period_seconds * 1000
  const { cron, successors } = cached(schedule.expression, schedule.time_zone)
  // Slots are whole minutes, so the cache is keyed by minute. Heartbeats with the same expression
  // ask for the same slot, whatever the second of their pings, and silent ones ask again one grace
  // later.
  const minute = Math.floor(after / 60_000) * 60_000
  const known = successors.get(minute)
  if (known !== undefined) return known
  const next = computed(cron, minute)
  if (successors.size >= MAX_SUCCESSORS) successors.clear()
  successors.set(minute, next)
  return next
}

function computed(cron: Cron, after: number): number {
  const next = cron.nextRun(new Date(after))
  if (!next) throw new RangeError(`the expression ${cron.getPattern()} never fires`)
  return next.getTime()
}

interface Parsed {
  cron: Cron
  /** Recent answers, by the minute that was asked for. */
  successors: Map<number, number>
}

/**
 * A parsed expression takes 80 KB, and parsing takes as long as computing a slot. A small cache of
 * the expressions in use is enough.
 */
const MAX_CACHE = 256
const MAX_SUCCESSORS = 256
const cache = new Map<string, Parsed>()

function cached(expression: string, zone: string): Parsed {
  const key = `${zone} ${expression}`
  const known = cache.get(key)
  if (known) return known
  const [oldest] = cache.keys()
  if (cache.size >= MAX_CACHE && oldest !== undefined) cache.delete(oldest)
  const parsed = { cron: parse(expression, zone), successors: new Map<number, number>() }
  cache.set(key, parsed)
  return parsed
}

function parse(expression: string, zone: string): Cron {
  const [, , day = '', , weekday = ''] = fieldsOf(expression)
  const domAndDow = day.startsWith('*') || weekday.startsWith('*')
  return new Cron(expression.trim(), { mode: '5-part', fixedTimeRule: 'no-wildcard', timezone: zone, domAndDow, paused: true })
}

const fieldsOf = (text: string): string[] => text.trim().split(/\s+/)

/**
 * Accepts zone names only. Some runtimes also accept offsets such as +02:00, but an offset has no
 * clock changes.
 */
function isZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The parser's message, without its class name and with our own field names. */
const sentence = (message: string): string =>
  message.replace(/^\w+: /, '').replace(/configuration entry (\d)/, (_, nth: string) => `the ${FIELDS[Number(nth)] ?? 'field'}`)

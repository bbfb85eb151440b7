/**
 * Reads overrides from an external calendar. Pure.
 *
 * In       the text of an iCalendar file, the zone of the schedule, members, a span
 * Out      who is on call from when to when, and titles of events that match no member
 *
 * An event names a member by an e-mail address in its title, by a title that is their name (or ends
 * with it after a colon), or by its first guest who is a member. A recurring event counts once for
 * each occurrence in the span. An all-day event is in the zone of the schedule.
 *
 * A rule that no day fulfils keeps ical.js busy for ever, so this runs in a process that is ended
 * when it takes too long (services/notifier/calendar-reader.ts).
 * Source: docs/design/api/on-call.md#calendar-overrides.
 */
import ICAL from 'ical.js'
import { DAY_MS, isZone, type Zone, type Zones } from './zones.ts'

export interface CalendarMember {
  user_id: string
  name: string
  /** Lower case. */
  email: string
}

export interface CalendarTurn {
  user_id: string
  /** Epoch ms, as in the calendar; they may be outside the span. */
  starts_at: number
  ends_at: number
  title: string
}

export interface CalendarReading {
  turns: CalendarTurn[]
  /** Titles of events that match no member, without duplicates. */
  unmatched: string[]
}

export interface CalendarQuestion {
  members: readonly CalendarMember[]
  /** Zone of the schedule; used for times without a zone and for all-day events. */
  time_zone: string
  zones: Zones
  /** Epoch ms. */
  from: number
  to: number
  /** Most turns. */
  most: number
}

/**
 * The text is no calendar, or it has more events than the limits allow. The message is for users.
 */
export class UnreadableCalendar extends Error {
  override readonly name = 'UnreadableCalendar'
}

/** Limits of occurrences that are tried, past ones included. */
const MAX_STEPS_OF_EVENT = 20_000
const MAX_STEPS_OF_FILE = 50_000
const MAX_TITLE = 200
const MAIL = /[^\s<>"(),;:]+@[^\s<>"(),;:]+\.[a-z]{2,}/gi

/** A local time as ms since 1970-01-01 00:00 local time. */
const localOf = ({ year, month, day, hour, minute, second }: ICAL.Time): number => Date.UTC(year, month - 1, day, hour, minute, second)

/** A zone of the tz database, for ical.js. */
class TzZone extends ICAL.Timezone {
  readonly #zone: Zone
  constructor(tzid: string, zone: Zone) {
    super({ tzid })
    this.#zone = zone
  }
  override utcOffset(time: ICAL.Time): number {
    return this.#zone.offsetAt(this.#zone.instantOf(localOf(time))) / 1000
  }
}

/**
 * Gives ical.js the zones that the events name and the file does not define. Without them, a date
 * in UTC is never the same as a date in such a zone: it would leave out and move no occurrence.
 * Dates of such an event that name no zone are in that zone, too.
 */
function giveZones(events: readonly ICAL.Component[], zones: Zones): void {
  ICAL.TimezoneService.reset()
  for (const event of events) {
    for (const property of ['dtstart', 'dtend', 'rdate', 'exdate', 'recurrence-id'].flatMap((name) => event.getAllProperties(name))) {
      const name = String(property.getParameter('tzid') ?? '')
      if (name !== '' && !ICAL.TimezoneService.has(name) && isZone(name)) ICAL.TimezoneService.register(new TzZone(name, zones(name)), name)
    }
    const tzid = String(event.getFirstProperty('dtstart')?.getParameter('tzid') ?? '')
    const zone = ICAL.TimezoneService.get(tzid)
    if (zone instanceof TzZone && !event.getTimeZoneByID(tzid)) keepInZone(event, zone)
  }
}

const isFloating = ({ zone }: ICAL.Time): boolean => !zone || zone === ICAL.Timezone.localTimezone

function inZone({ year, month, day, hour, minute, second, isDate }: ICAL.Time, zone: ICAL.Timezone): ICAL.Time {
  return ICAL.Time.fromData({ year, month, day, hour, minute, second, isDate }, zone)
}

/** Puts the exceptions of an event, and the ends of its rules, into its zone if they name none. */
function keepInZone(event: ICAL.Component, zone: ICAL.Timezone): void {
  for (const property of event.getAllProperties('exdate')) {
    const dates = property.getValues() as ICAL.Time[]
    if (dates.some((date) => !date.isDate && isFloating(date)))
      property.setValues(dates.map((date) => (!date.isDate && isFloating(date) ? inZone(date, zone) : date)))
  }
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue() as ICAL.Recur
    if (!rule.until || !isFloating(rule.until)) continue
    const until = inZone(rule.until, zone)
    // A day belongs to the rule until it is over.
    if (until.isDate) Object.assign(until, { isDate: false, hour: 23, minute: 59, second: 59 })
    rule.until = until
  }
}

/** The zone that the file names for an event, whether or not the file defines that zone. */
const zoneNameOf = ({ component }: ICAL.Event): string => String(component.getFirstProperty('dtstart')?.getParameter('tzid') ?? '')

function instantOf(time: ICAL.Time, event: ICAL.Event, { zones, time_zone }: CalendarQuestion): number {
  const { zone } = time
  if (time.isDate) return zones(time_zone).instantOf(localOf(time))
  if (zone === ICAL.Timezone.utcTimezone) return localOf(time)
  const isBare = isFloating(time)
  const name = isBare ? zoneNameOf(event) : (zone?.tzid ?? '')
  // A name of the tz database has its usual meaning. The file defines other zones.
  if (name !== '' && isZone(name)) return zones(name).instantOf(localOf(time))
  return isBare ? zones(time_zone).instantOf(localOf(time)) : time.toUnixTime() * 1000
}

const bareMail = (value: unknown): string =>
  String(value ?? '')
    .replace(/^mailto:/i, '')
    .trim()
    .toLowerCase()

function memberOf({ summary, attendees }: ICAL.Event, members: readonly CalendarMember[]): CalendarMember | null {
  const title = (summary ?? '').trim()
  const byMail = (mail: string): CalendarMember | undefined => members.find(({ email }) => email === mail.toLowerCase())
  for (const [mail] of title.matchAll(MAIL)) {
    const found = byMail(mail)
    if (found) return found
  }
  const named = [title, title.slice(title.lastIndexOf(':') + 1).trim()].map((text) => text.toLowerCase())
  const byName = members.filter(({ name }) => named.includes(name.trim().toLowerCase()))
  // A name that two members share matches nobody.
  if (byName.length === 1 && byName[0]) return byName[0]
  const guests = attendees.filter((one) => one.getParameter('partstat') !== 'DECLINED')
  return guests.map((one) => byMail(bareMail(one.getFirstValue()))).find((one) => one !== undefined) ?? null
}

interface Occurrence {
  event: ICAL.Event
  starts: ICAL.Time
  ends: ICAL.Time
}

/**
 * Returns when an occurrence ends. One with an end in the zone of its start lasts as long by the
 * clock as the event itself: ical.js counts the hours that pass, and a clock change in the first
 * occurrence would move the end of all others.
 */
function endOf(item: ICAL.Event, starts: ICAL.Time, ends: ICAL.Time): ICAL.Time {
  const { component, startDate, endDate } = item
  if (component.hasProperty('duration') || startDate.zone?.tzid !== endDate.zone?.tzid) return ends
  const end = starts.clone()
  end.addDuration(endDate.subtractDate(startDate))
  return end
}

/**
 * Makes ical.js read the extra dates of an event (RDATE) as RFC 5545 does: the start of the event
 * is its first date, and a date may be a period. Returns the ends of the periods by their starts.
 */
function readExtraDates({ component, startDate }: ICAL.Event): Map<string, ICAL.Time> {
  const ends = new Map<string, ICAL.Time>()
  const extra = component.getAllProperties('rdate')
  for (const property of extra) {
    if (property.type !== 'period') continue
    const periods = property.getValues() as ICAL.Period[]
    for (const period of periods) ends.set(String(period.start), period.getEnd())
    property.resetType('date-time')
    property.setValues(periods.map(({ start }) => start))
  }
  const dates = extra.flatMap((property) => property.getValues() as ICAL.Time[])
  // A rule gives the start by itself.
  const isMissing = dates.length > 0 && !component.hasProperty('rrule') && !dates.some((date) => date.compare(startDate) === 0)
  if (isMissing) component.addPropertyWithValue('rdate', startDate.clone())
  return ends
}

/** The occurrences of one event that may overlap the span. Counts what is tried in `tried`. */
function occurrencesOf(event: ICAL.Event, question: CalendarQuestion, tried: { steps: number }): Occurrence[] {
  if (!event.startDate) return []
  if (!event.isRecurring()) return [{ event, starts: event.startDate, ends: event.endDate }]
  const found: Occurrence[] = []
  const periods = readExtraDates(event)
  const iterator = event.iterator()
  for (let steps = 0; ; steps++) {
    const next = iterator.next()
    if (!next || found.length > question.most) return found
    if (steps === MAX_STEPS_OF_EVENT)
      throw new UnreadableCalendar(`“${titleOf(event)}” repeats more often than is read: let it begin later`)
    tried.steps += 1
    if (tried.steps > MAX_STEPS_OF_FILE) throw new UnreadableCalendar('Its events repeat more often than is read: let them begin later')
    const { item, startDate, endDate: elapsed } = event.getOccurrenceDetails(next)
    const endDate = (item === event && periods.get(String(next))) || endOf(item, startDate, elapsed)
    if (instantOf(startDate, item, question) >= question.to) {
      // A moved occurrence may originally be later than the span. One extra day covers usual moves.
      if (instantOf(next, event, question) >= question.to + DAY_MS) return found
      continue
    }
    if (instantOf(endDate, item, question) > question.from) found.push({ event: item, starts: startDate, ends: endDate })
  }
}

const titleOf = ({ summary }: ICAL.Event): string => (summary ?? '').trim().slice(0, MAX_TITLE)
const isCancelled = ({ component }: ICAL.Event): boolean => String(component.getFirstPropertyValue('status') ?? '') === 'CANCELLED'

/**
 * Returns the events with their exceptions. An exception without its series is an event: an
 * invitation to one occurrence leaves only that one in a calendar.
 */
function eventsOf(text: string, zones: Zones): ICAL.Event[] {
  let calendar: ICAL.Component
  // Tools of Windows write a byte order mark first.
  try {
    calendar = new ICAL.Component(ICAL.parse(text.replace(/^\uFEFF/, '')) as never)
  } catch {
    throw new UnreadableCalendar('It is no iCalendar file')
  }
  if (calendar.name !== 'vcalendar') throw new UnreadableCalendar('It is no iCalendar file')
  const components = calendar.getAllSubcomponents('vevent')
  giveZones(components, zones)
  // By itself, ical.js takes the exceptions of all series in the file for those of this event.
  const all = components.map((one) => new ICAL.Event(one, { exceptions: [] }))
  const main = all.filter((event) => !event.isRecurrenceException())
  const alone: ICAL.Event[] = []
  for (const other of all.filter((event) => event.isRecurrenceException())) {
    const series = main.find(({ uid }) => uid === other.uid)
    if (series) series.relateException(other)
    else alone.push(other)
  }
  return [...main, ...alone]
}

/** Reads a calendar. Throws UnreadableCalendar. */
export function readCalendar(text: string, question: CalendarQuestion): CalendarReading {
  const turns: CalendarTurn[] = []
  const unmatched = new Set<string>()
  const tried = { steps: 0 }
  for (const event of eventsOf(text, question.zones)) {
    for (const { event: item, starts, ends } of occurrencesOf(event, question, tried)) {
      if (isCancelled(item)) continue
      const [starts_at, ends_at] = [instantOf(starts, item, question), instantOf(ends, item, question)]
      if (ends_at <= question.from || starts_at >= question.to || ends_at <= starts_at) continue
      const member = memberOf(item, question.members)
      if (!member) unmatched.add(titleOf(item))
      else turns.push({ user_id: member.user_id, starts_at, ends_at, title: titleOf(item) })
      if (turns.length > question.most) throw new UnreadableCalendar(`It has more than ${question.most} events that have not ended`)
    }
  }
  return { turns: turns.sort((one, other) => one.starts_at - other.starts_at), unmatched: [...unmatched] }
}

/**
 * Reads external calendars every ten minutes and makes the overrides of their schedules match: new
 * events are added, events that are gone end. A calendar that cannot be read changes nothing, and
 * its schedule shows the reason.
 * Source: docs/design/api/on-call.md#calendar-overrides.
 */
import { MAX_OVERRIDES } from '../../schemas/http/on-call-words.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { type CalendarReading, type CalendarTurn, UnreadableCalendar } from '../../streams/on-call/calendar-events.ts'
import { createRest } from '../../streams/runtime/rest.ts'
import type { HttpRequest } from '../channels/channel.ts'
import { calendarPlace } from '../credentials/calendars.ts'
import { openForTenant, Unsealable } from '../credentials/sealing.ts'
import { SendFailure } from '../delivery/failure.ts'
import type { HttpSender } from '../delivery/http.ts'
import type { Log } from '../process/log.ts'
import { listCalendarMembers } from '../store/members.ts'
import { CALENDAR, calendarOverrides, countOverrides, endOverride, insertOverride } from '../store/overrides.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { type DueCalendar, isStillRead, saveReading, takeDueCalendar } from '../store/schedule-calendars.ts'
import { changing, lockedTeam, postgresNow } from '../store/schedule-history.ts'
import { versionAt } from '../store/schedules.ts'
import { storableDeep } from '../store/storable.ts'
import type { CalendarTask } from './calendar-frames.ts'
import { type CalendarProcess, CostlyCalendar, createCalendarProcess } from './calendar-reader.ts'
import { startSweep } from './sweep.ts'

const EVERY_MS = 600_000
/** How many are read at once, of all workspaces and of one. */
const MAX_AT_ONCE = 8
const MAX_OF_WORKSPACE = 2
/** While a reading takes long, calendars that become due are looked for this often. */
const LOOK_AGAIN_MS = 5000
const DAY_MS = 86_400_000
/** How far ahead events are read. Events beyond that are found by a later reading. */
const AHEAD_MS = 92 * DAY_MS
const LIMITS = { connectMs: 5000, totalMs: 20_000, maxReplyBytes: 1_048_576 }
const MAX_REDIRECTS = 3
const MAX_UNMATCHED = 10
const MAX_REASON = 500
const ACCEPT = { accept: 'text/calendar, text/plain;q=0.5', 'user-agent': 'service-calendar' }

/** The calendar was not read. The message gives the reason in words for people. */
class NotRead extends Error {
  override readonly name = 'NotRead'
  /** Its server took too long. */
  readonly slow: boolean
  constructor(message: string, slow = false) {
    super(message)
    this.slow = slow
  }
}

/** Returns the text of the calendar. The limits are for it and its redirects. Throws NotRead. */
async function fetched(http: HttpSender, address: string): Promise<string> {
  const endsAt = performance.now() + LIMITS.totalMs
  let url = address
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const request: HttpRequest = { via: 'http', method: 'GET', url, headers: ACCEPT, body: null, secrets: [address], guarded: true }
    const totalMs = endsAt - performance.now()
    if (totalMs <= 0) throw new NotRead(`No answer within ${LIMITS.totalMs / 1000} s`, true)
    const reply = await http.send(request, { ...LIMITS, totalMs }).catch((error: unknown) => {
      if (!(error instanceof SendFailure)) throw error
      if (error.kind !== 'timeout') throw new NotRead(error.message)
      throw new NotRead(redirects === 0 ? error.message : `No answer within ${LIMITS.totalMs / 1000} s`, true)
    })
    const { location } = reply.headers
    if (reply.status >= 300 && reply.status < 400 && location !== undefined && URL.canParse(location, url)) {
      url = new URL(location, url).href
      continue
    }
    if (reply.status !== 200) throw new NotRead(`The calendar answers ${reply.status}`)
    if (Buffer.byteLength(reply.body) >= LIMITS.maxReplyBytes) throw new NotRead('The calendar is larger than 1 MiB')
    return reply.body
  }
  throw new NotRead(`The calendar leads on more than ${MAX_REDIRECTS} times`)
}

/**
 * Returns the key by which two overrides count as the same. Once an override has begun, its start
 * no longer counts, only its end.
 */
const keyOf = ({ user_id, starts_at, ends_at, title }: CalendarTurn, now: number): string =>
  [user_id, Math.max(starts_at, now), ends_at, title].join(' ')

/** Makes the overrides of a schedule match the calendar. Throws NotRead. */
async function applied(tx: Tx, { tenant_id, schedule_id }: DueCalendar, { turns }: CalendarReading): Promise<void> {
  const now = await postgresNow(tx)
  const wanted = new Map(turns.filter(({ ends_at }) => ends_at > now).map((turn) => [keyOf(turn, now), turn]))
  const stored = await calendarOverrides(tx, tenant_id, schedule_id, now)
  const there = new Map(stored.map(({ reason, ...row }) => [keyOf({ ...row, title: reason }, now), row.override_id]))
  const kept = new Set([...there].flatMap(([key, id]) => (wanted.has(key) ? [id] : [])))
  const gone = stored.map(({ override_id }) => override_id).filter((id) => !kept.has(id))
  const fresh = [...wanted].flatMap(([key, turn]) => (there.has(key) ? [] : [turn]))
  if (gone.length + fresh.length === 0) return
  const others = (await countOverrides(tx, tenant_id, schedule_id, now)) - stored.length
  if (others + wanted.size > MAX_OVERRIDES) throw new NotRead(`With it the schedule has more than ${MAX_OVERRIDES} overrides`)
  await changing(tx, tenant_id, schedule_id, 'override', async (at) => {
    for (const id of gone) await endOverride(tx, tenant_id, id, at)
    for (const { user_id, starts_at, ends_at, title } of fresh) {
      if (ends_at <= at) continue
      await insertOverride(tx, tenant_id, {
        ...{ override_id: uuidv7(), schedule_id, user_id, starts_at: Math.max(starts_at, at), ends_at },
        ...{ replaces_user_id: null, layer: null, reason: title, swap_id: null, created_by: CALENDAR }
      })
    }
  })
}

const reasonOf = (error: unknown): string | null =>
  error instanceof NotRead || error instanceof UnreadableCalendar
    ? error.message.slice(0, MAX_REASON)
    : error instanceof Unsealable
      ? 'The address does not open with the key of this service: enter it again'
      : null

const isSlow = (error: unknown): boolean => (error instanceof NotRead && error.slow) || error instanceof CostlyCalendar

/** Returns what a calendar is read by; null if the schedule is gone or has another calendar. */
async function questionOf(pool: Pool, due: DueCalendar): Promise<Omit<CalendarTask, 'text'> | null> {
  const { tenant_id, schedule_id } = due
  return tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    if (!(await isStillRead(tx, due))) return null
    const now = await postgresNow(tx)
    const version = await versionAt(tx, tenant_id, schedule_id, now)
    if (!version) return null
    const members = await listCalendarMembers(tx, tenant_id)
    return { members, time_zone: version.definition.time_zone, from: now, to: now + AHEAD_MS, most: MAX_OVERRIDES }
  })
}

/** Applies the calendar and saves the result of the reading, in one transaction. */
async function apply(pool: Pool, due: DueCalendar, reading: CalendarReading): Promise<void> {
  const { tenant_id, schedule_id } = due
  await tenantTransaction(pool, wholeWorkspace(tenant_id), async (tx) => {
    // The schedule first, then its calendar, in the order of a change of the schedule.
    await lockedTeam(tx, tenant_id, schedule_id)
    if (!(await isStillRead(tx, due))) return
    // Somebody may have left while the calendar was read.
    const members = new Set((await listCalendarMembers(tx, tenant_id)).map(({ user_id }) => user_id))
    await applied(tx, due, { ...reading, turns: reading.turns.filter(({ user_id }) => members.has(user_id)) })
    await saveReading(tx, due, {
      error: null,
      slow: false,
      events: reading.turns.length,
      unmatched: reading.unmatched.slice(0, MAX_UNMATCHED)
    })
  })
}

/**
 * Reads one calendar. No transaction is open while its server and the process that reads it are
 * waited for.
 */
async function readOne({ pool, http, secretsKey, process }: CalendarReader, due: DueCalendar): Promise<void> {
  const { tenant_id, schedule_id, url } = due
  const text = await fetched(http, openForTenant(secretsKey, calendarPlace(tenant_id, schedule_id), url))
  const question = await questionOf(pool, due)
  if (question) await apply(pool, due, storableDeep(await process.read({ ...question, text })))
}

export interface CalendarReader {
  /** A pool of the role service_system. */
  pool: Pool
  http: HttpSender
  secretsKey: string
  process: CalendarProcess
  log: Pick<Log, 'warn'>
}

/**
 * Reads one calendar, and saves why it could not be read. Returns whether it was read. Never
 * rejects.
 */
async function isRead(reader: CalendarReader, due: DueCalendar): Promise<boolean> {
  const { pool, log } = reader
  const { tenant_id, schedule_id } = due
  const warn = (err: unknown): void => log.warn({ err, tenant_id, schedule_id }, 'a calendar could not be read; it is tried again')
  try {
    await readOne(reader, due)
    return true
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === null) warn(error)
    const failed = {
      error: reason ?? 'It could not be read: the operator of this service finds why in the log',
      ...{ slow: isSlow(error), events: 0, unmatched: [] }
    }
    await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => saveReading(tx, due, failed)).catch(warn)
    return false
  }
}

/**
 * Reads the calendars that are due, some of them at once, and few of one workspace: slow ones do
 * not hold up those of others. Ends when none is due and none is being read; no new one is begun
 * once it `isEnding`. Returns how many were read.
 */
export async function readCalendars(reader: CalendarReader, isEnding = (): boolean => false): Promise<number> {
  const { rest, wake } = createRest()
  /** Workspace → how many of its calendars are being read. */
  const underWay = new Map<string, number>()
  let [reading, count] = [0, 0]
  function begin(due: DueCalendar): void {
    const { tenant_id } = due
    reading += 1
    underWay.set(tenant_id, (underWay.get(tenant_id) ?? 0) + 1)
    void isRead(reader, due).then((wasRead) => {
      reading -= 1
      const left = (underWay.get(tenant_id) ?? 0) - 1
      if (left > 0) underWay.set(tenant_id, left)
      else underWay.delete(tenant_id)
      if (wasRead) count += 1
      wake()
    })
  }
  for (;;) {
    const hasRoom = reading < MAX_AT_ONCE && !isEnding()
    const full = [...underWay].flatMap(([tenant_id, many]) => (many >= MAX_OF_WORKSPACE ? [tenant_id] : []))
    const due = hasRoom ? await takeDueCalendar(reader.pool, full, EVERY_MS) : null
    if (due) begin(due)
    else if (reading > 0) await rest(LOOK_AGAIN_MS)
    // A workspace that was left out may have calendars that are due.
    else if (full.length === 0 || !hasRoom) return count
  }
}

/**
 * Looks every `everyMs` for calendars that are due. Returns a function that stops it after the
 * readings under way.
 */
export function startReadCalendars(reader: Omit<CalendarReader, 'log' | 'process'> & { log: Log }, everyMs = 15_000): () => Promise<void> {
  const process = createCalendarProcess(reader.log)
  let ending = false
  const stop = startSweep({
    // Between the sweeps there is no process, so that it needs no memory.
    sweep: () => readCalendars({ ...reader, process }, () => ending).finally(() => process.end()),
    everyMs,
    log: reader.log,
    done: { count: 'read', message: 'calendars of overrides were read' },
    failed: 'calendars of overrides cannot be looked for; trying again'
  })
  return () => {
    ending = true
    return stop()
  }
}

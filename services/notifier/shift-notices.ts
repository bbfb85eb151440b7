/**
 * Sends shift reminders and hand-offs, and tells channels who is on call. It is a sweep over the
 * schedules that are due. The notices for one schedule and the time of its next look are one
 * transaction, and an intent that already exists is left as it is. So a process that dies in
 * between neither loses nor doubles a notice.
 * Source: docs/design/api/notifications.md#digests, docs/design/api/on-call.md#notices.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import { noWishes, type Wishes } from '../../schemas/http/notification-preferences.ts'
import { wholeWorkspace } from '../../schemas/http/visibility.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Intent } from '../../streams/define.ts'
import { tzZones } from '../../streams/on-call/zones.ts'
import { channelNotice, noticeIntent } from '../../streams/reach/notice.ts'
import { hasNext, NOTICE_MS, onCallNotices, onCallWords } from '../../streams/reach/on-call-notices.ts'
import { type Telling, tellingOf } from '../../streams/reach/quiet-hours.ts'
import { HANDOFF_MS, noticeWords, type ShiftNotice, shiftNotices } from '../../streams/reach/shift-notices.ts'
import type { Log } from '../process/log.ts'
import { readOpen, readTold, type Told } from '../store/digests.ts'
import { writeEffects } from '../store/effects.ts'
import { type Pool, type Tx, tenantTransaction } from '../store/pool.ts'
import { type DueSchedule, dueSchedules, lockDueSchedule, lookAgainAt, readToldChannels, shiftsAround } from '../store/shift-notices.ts'
import { startSweep } from './sweep.ts'

const MAX_A_SWEEP = 200
/** The longest time between two looks at a schedule, whatever is expected. */
const LOOK_MS = 3_600_000
/** How far ahead the end of a shift is looked for when something about it is told. */
const AHEAD_MS = [70, 400].map((days) => days * 86_400_000)

const wishesOf = ({ wishes }: Told): Wishes => ({ ...noWishes, ...(wishes as Partial<Wishes>) })

/** Returns whether to tell the person now, given their quiet hours. */
function tellingNow(notice: ShiftNotice, { quiet_hours }: Wishes, now: number): Telling {
  const telling = tellingOf(quiet_hours, { at: now, severity: 'info', on_call: notice.kind === 'handoff' })
  // A reminder after the shift has begun would be useless, so it is sent now instead.
  return telling.tell === 'later' && telling.until >= notice.starts_at ? { tell: 'now' } : telling
}

type People = ReadonlyMap<string, Told>

interface Asking {
  tx: Tx
  tenant_id: string
  schedule_id: string
  schedule: string
  about: Pick<DueSchedule, 'team_id' | 'visibility'>
  people: People
  now: number
}

/** `due_at`: epoch ms; null: it is suppressed. */
async function intentOf(
  { tx, tenant_id, schedule_id, schedule, about, people, now }: Asking,
  notice: ShiftNotice,
  person: Told,
  due_at: number | null
): Promise<Intent> {
  const { user_id, kind, minutes, starts_at, before } = notice
  const { time_zone, methods, workspace } = person
  const open = kind === 'handoff' ? await readOpen(tx, tenant_id, { ...person, role: person.role as MemberRole }) : { total: 0, named: [] }
  const names = before.flatMap((id) => people.get(id)?.name ?? [])
  return noticeIntent({
    tenant_id,
    intent_id: uuidv5(schedule_id, `${kind} ${user_id} ${starts_at} ${minutes}`),
    event: kind,
    user_id,
    methods,
    said: noticeWords(notice, { schedule, time_zone, now, before: names, open }),
    about,
    workspace,
    path: `/on-call/schedules/${schedule_id}`,
    why: { schedule_id, ...(kind === 'shift_reminder' && { minutes }) },
    at: now,
    due_at,
    expires_at: kind === 'handoff' ? starts_at + HANDOFF_MS : starts_at
  })
}

/**
 * Returns what people are told, and when to look at what their quiet hours hold (epoch ms). Nothing
 * is written of that: until then the shift may change, and the words say how far away it is.
 */
async function toldPeople(asking: Asking, due: readonly ShiftNotice[]): Promise<{ intents: Intent[]; next: number | null }> {
  const { people, now } = asking
  const intents: Intent[] = []
  let next: number | null = null
  for (const notice of due) {
    const person = people.get(notice.user_id)
    if (!person) continue
    const telling = tellingNow(notice, wishesOf(person), now)
    if (telling.tell === 'later') next = Math.min(next ?? Infinity, telling.until)
    else intents.push(await intentOf(asking, notice, person, telling.tell === 'now' ? now : null))
  }
  return { intents, next }
}

/** Returns what channels are told about who is on call, and when there is more to tell. */
async function toldChannels(
  { tx, tenant_id, schedule_id, schedule, about, people, now }: Asking,
  { shifts, notices, time_zone, since }: DueSchedule
): Promise<{ intents: Intent[]; next: number | null }> {
  const { due, next } = onCallNotices(notices, shifts, { now, since, time_zone, zones: tzZones })
  const ids = due.map(({ channel_id }) => channel_id)
  const channels = await readToldChannels(tx, tenant_id, ids, about.visibility === 'private' ? about.team_id : null)
  const nameOf = (user_id: string): string => people.get(user_id)?.name ?? 'somebody who has left'
  const intents = due.flatMap(({ channel_id, when, due_at }) => {
    const channel = channels.get(channel_id)
    if (!channel) return []
    const said = onCallWords(shifts, { schedule, time_zone, now, nameOf })
    return [
      channelNotice({
        tenant_id,
        intent_id: uuidv5(schedule_id, `on_call ${channel_id} ${due_at}`),
        ...channel,
        said,
        path: `/on-call/schedules/${schedule_id}`,
        why: { schedule_id, when },
        ...about,
        at: now,
        expires_at: due_at + NOTICE_MS
      })
    ]
  })
  return { intents, next }
}

const dueShifts = (shifts: DueSchedule['shifts'], people: People, now: number): ReturnType<typeof shiftNotices> =>
  shiftNotices(shifts, now, (user_id) => {
    const person = people.get(user_id)
    return person ? wishesOf(person) : null
  })

/** Whether the timeline has the ends of the shifts that are told, and who is next. */
function hasEnds({ shifts, notices, time_zone, since }: DueSchedule, people: People, now: number): boolean {
  if (dueShifts(shifts, people, now).due.some(({ ends_at }) => ends_at === null)) return false
  return hasNext(shifts, now) || onCallNotices(notices, shifts, { now, since, time_zone, zones: tzZones }).due.length === 0
}

/** Locks a due schedule. Its timeline is as long as what is told needs it. */
async function lockWithPeople(
  tx: Tx,
  tenant_id: string,
  schedule_id: string,
  now: number
): Promise<{ found: DueSchedule; people: People } | null> {
  const peopleOf = (shifts: DueSchedule['shifts']): Promise<People> =>
    readTold(tx, tenant_id, [...new Set(shifts.flatMap(({ user_ids }) => [...user_ids]))])
  let found = await lockDueSchedule(tx, tenant_id, schedule_id, now)
  if (!found) return null
  let people = await peopleOf(found.shifts)
  for (const aheadMs of AHEAD_MS) {
    if (hasEnds(found, people, now)) break
    const shifts = await shiftsAround(tx, tenant_id, schedule_id, now, aheadMs)
    if (!shifts) return null
    found = { ...found, shifts }
    people = await peopleOf(shifts)
  }
  return { found, people }
}

/** Tells what is due for one schedule. Returns how many intents it wrote. */
async function tellOf(tx: Tx, codec: Codec, tenant_id: string, schedule_id: string, now: number): Promise<number> {
  const locked = await lockWithPeople(tx, tenant_id, schedule_id, now)
  if (!locked) return 0
  const { found, people } = locked
  const { name: schedule, shifts, team_id, visibility } = found
  const { due, next } = dueShifts(shifts, people, now)
  const asking: Asking = { tx, tenant_id, schedule_id, schedule, about: { team_id, visibility }, people, now }
  const told = [await toldPeople(asking, due), await toldChannels(asking, found)]
  const intents = told.flatMap((one) => one.intents)
  await writeEffects(tx, { intents }, codec)
  const looks = [next, ...told.map((one) => one.next)].map((at) => at ?? Infinity)
  await lookAgainAt(tx, tenant_id, schedule_id, Math.min(...looks, now + LOOK_MS))
  return intents.length
}

/**
 * Tells what is due, for at most 200 schedules; the next sweep handles the rest. A schedule that
 * fails does not hold up the others. Returns how many intents were written.
 */
export async function tellShifts(pool: Pool, codec: Codec, log: Pick<Log, 'warn'>, now = Date.now()): Promise<number> {
  let told = 0
  for (const { tenant_id, schedule_id } of await dueSchedules(pool, MAX_A_SWEEP)) {
    try {
      told += await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => tellOf(tx, codec, tenant_id, schedule_id, now))
    } catch (error) {
      log.warn({ err: error, tenant_id, schedule_id }, 'nobody could be reminded of the shifts of a schedule; trying again')
    }
  }
  return told
}

/** Sweeps every `everyMs`. Returns a function that stops it after the sweep under way. */
export function startTellShifts(pool: Pool, codec: Codec, log: Log, everyMs = 10_000): () => Promise<void> {
  return startSweep({
    sweep: () => tellShifts(pool, codec, log),
    everyMs,
    log,
    done: { count: 'decided', message: 'reminders of shifts were looked at' },
    failed: 'reminders of shifts could not be looked for; trying again'
  })
}

/** Helpers that create and read on-call schedules over the API. */
import type { NowItem, ScheduleDetail, ShiftItem } from '../../../schemas/http/on-call.ts'
import type { Person } from './people.ts'
import { ORIGIN, type Stand, type Workspace } from './stand.ts'

export const ROOT = '/api/v1/on-call'
export const HOUR = 3_600_000
export const DAY = 24 * HOUR

export const ask = (
  s: Stand,
  who: Workspace | Person,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {}
) =>
  'cookie' in who
    ? s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), {
        headers: { cookie: who.cookie, origin: ORIGIN, ...headers }
      })
    : s.call(who, method, path, body, { headers })

export async function done(answer: ReturnType<typeof ask>, status = 201) {
  const got = await answer
  if (got.statusCode !== status) throw new Error(`${got.statusCode} ${got.body}`)
  return got.body === '' ? null : got.json()
}

export const iso = (at: number): string => new Date(at).toISOString()
export const later = (ms: number): string => iso(Date.now() + ms)
export const daysAgo = (days: number): string => iso(Date.now() - days * DAY).slice(0, 10)

/** Daily shifts that change at midnight UTC, in turn. */
export const daily = (participants: unknown[], over: object = {}) => ({
  name: 'daily',
  participants,
  rotation: 'daily',
  handoff_time: '00:00',
  starts_on: daysAgo(4),
  ...over
})

export const schedule = async (s: Stand, who: Workspace | Person, layers: object[], over: object = {}): Promise<ScheduleDetail> =>
  done(ask(s, who, 'POST', `${ROOT}/schedules`, { name: 'Primary', time_zone: 'UTC', layers, ...over }))

export const nowItem = async (s: Stand, who: Workspace | Person, id: string, at?: number): Promise<NowItem> =>
  (await done(ask(s, who, 'GET', `${ROOT}/now?schedule_id=${id}${at === undefined ? '' : `&at=${iso(at)}`}`), 200)).items[0]

export const shiftsOf = async (s: Stand, who: Workspace | Person, id: string, query: string): Promise<ShiftItem[]> =>
  (await done(ask(s, who, 'GET', `${ROOT}/schedules/${id}/shifts?${query}`), 200)).items

/** Makes a schedule look as if it was created so many hours ago and not read since. */
export const agedBy = (s: Stand, schedule_id: string, hours: number) =>
  s.systemPool.query(
    `WITH old AS (DELETE FROM schedule_history WHERE schedule_id = $1),
          settings AS (UPDATE config_versions SET at = at - make_interval(hours => $2) WHERE kind = 'schedule' AND id = $1)
     UPDATE schedules SET created_at = created_at - make_interval(hours => $2), next_change_at = '-infinity' WHERE schedule_id = $1`,
    [schedule_id, hours]
  )

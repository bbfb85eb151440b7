/** Creates a schedule with one of everything, for the crawlers. */
import type { Stand, Workspace } from './stand.ts'

export interface Rota {
  schedule_id: string
  override_id: string
  swap_id: string
  link_id: string
  /** The secret in the address of the calendar link. */
  secret: string
}

/** Makes the owner of the workspace be on call all the time. */
export async function rota(s: Stand, who: Workspace, over: object = {}): Promise<Rota> {
  const made = async (path: string, body: object): Promise<{ id: string; url: string }> => {
    const answer = await s.call(who, 'POST', `/api/v1/on-call/${path}`, body)
    if (answer.statusCode !== 201) throw new Error(answer.body)
    return answer.json()
  }
  const layer = { name: 'all', participants: [who.user_id], rotation: 'daily', handoff_time: '00:00', starts_on: '2026-01-01' }
  const { id: schedule_id } = await made('schedules', {
    ...{ name: 'Rota', time_zone: 'UTC', layers: [layer], ical_overrides_url: 'https://calendar.example.com/a.ics' },
    ...over
  })
  const [starts_at, ends_at] = [3_600_000, 7_200_000].map((ms) => new Date(Date.now() + ms).toISOString())
  const { id: swap_id } = await made('swaps', { schedule_id, starts_at, ends_at })
  const { id: override_id } = await made('overrides', { schedule_id, user_id: null, starts_at, ends_at })
  const { id: link_id, url } = await made('ical-links', { schedule_id })
  return { schedule_id, override_id, swap_id, link_id, secret: /([^/]+)\.ics$/.exec(url)?.[1] ?? '' }
}

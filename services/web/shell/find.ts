/** Finds things through the api by a part of their name, for search. */
import type { QueryClient } from '@tanstack/react-query'
import { Activity, CalendarClock, HeartPulse, type LucideIcon, Plug, Siren, Users } from 'lucide-react'
import { client, Refusal, take, takeJson } from '../api/client.ts'
import { integrationsQuery } from '../api/lists.ts'
import { searchText } from '../texts/search.ts'
import type { Hit } from './hits.ts'
import { ranked } from './rank.ts'

const SHOWN = 5

/**
 * Returns nothing for what the person has no right to list, so that the other results are still
 * shown.
 */
async function allowed<Item>(asked: Promise<{ items: Item[] }>): Promise<{ items: Item[] }> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return { items: [] }
    throw error
  }
}

export interface Found {
  hits: Hit[]
  /** Why a part could not be searched; null: all were. */
  error: unknown
}

/**
 * Returns things with `q`, of at least two letters, in their name or address, also if a part could
 * not be searched. Throws if nothing was found and a part failed.
 */
export async function find(queries: QueryClient, q: string, signal: AbortSignal): Promise<Found> {
  const query = { q, per_page: SHOWN }
  let error: unknown = null
  const orNothing = <Item>(asked: Promise<{ items: Item[] }>): Promise<{ items: Item[] }> =>
    allowed(asked).catch((reason: unknown) => {
      error ??= reason
      return { items: [] }
    })
  const [monitors, heartbeats, incidents, teams, schedules, integrations] = await Promise.all([
    orNothing(take(client.GET('/api/v1/monitors', { params: { query }, signal }))),
    orNothing(take(client.GET('/api/v1/heartbeats', { params: { query }, signal }))),
    orNothing(takeJson(client.GET('/api/v1/incidents', { params: { query }, signal }))),
    orNothing(take(client.GET('/api/v1/teams', { params: { query }, signal }))),
    orNothing(take(client.GET('/api/v1/on-call/schedules', { params: { query }, signal }))),
    orNothing(queries.ensureQueryData(integrationsQuery))
  ])
  const hit = (icon: LucideIcon, kind: string, label: string, go: string, also = ''): Hit => ({ key: go, icon, kind, label, also, go })
  const hits = [
    ...monitors.items.map(({ id, name, target }) => hit(Activity, searchText('kind.monitor'), name, `/monitors/${id}`, target)),
    ...heartbeats.items.map(({ id, name }) => hit(HeartPulse, searchText('kind.heartbeat'), name, `/heartbeats/${id}`)),
    ...incidents.items.map(({ key, title }) => hit(Siren, key, title, `/incidents/${key}`)),
    ...teams.items.map(({ id, name }) => hit(Users, searchText('kind.team'), name, `/settings/teams/${id}`)),
    ...schedules.items.map(({ id, name }) => hit(CalendarClock, searchText('kind.schedule'), name, `/on-call/schedules/${id}`)),
    ...ranked(
      q,
      integrations.items.map(({ id, name }) => hit(Plug, searchText('kind.integration'), name, `/integrations/${id}`))
    ).slice(0, SHOWN)
  ]
  if (error !== null && hits.length === 0) throw error
  return { hits, error }
}

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

/** Returns things with `q`, of at least two letters, in their name or address. */
export async function find(queries: QueryClient, q: string, signal: AbortSignal): Promise<Hit[]> {
  const query = { q, per_page: SHOWN }
  const [monitors, heartbeats, incidents, teams, schedules, integrations] = await Promise.all([
    allowed(take(client.GET('/api/v1/monitors', { params: { query }, signal }))),
    allowed(take(client.GET('/api/v1/heartbeats', { params: { query }, signal }))),
    allowed(takeJson(client.GET('/api/v1/incidents', { params: { query }, signal }))),
    allowed(take(client.GET('/api/v1/teams', { params: { query }, signal }))),
    allowed(take(client.GET('/api/v1/on-call/schedules', { params: { query }, signal }))),
    allowed(queries.ensureQueryData(integrationsQuery))
  ])
  const hit = (icon: LucideIcon, kind: string, label: string, go: string, also = ''): Hit => ({ key: go, icon, kind, label, also, go })
  return [
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
}

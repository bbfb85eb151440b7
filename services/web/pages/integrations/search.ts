/** Parses the addresses of the integration pages. */
import { idOf, textOf, wordOf, wordsOf } from '../../search.ts'

export interface IntegrationsSearch {
  team_id?: string | undefined
  /** A part of the integration's name or of its tool's name. */
  q?: string | undefined
}

export const integrationsSearch = (search: { team_id?: unknown; q?: unknown }): IntegrationsSearch => {
  const team_id = idOf(search.team_id)
  const q = textOf(search.q)?.slice(0, 100)
  return { ...(team_id && { team_id }), ...(q && { q }) }
}

/** An unknown source shows the list of all sources. */
export const sourcesSearch = (search: Record<string, unknown>): { source?: string; q?: string } => {
  const source = textOf(search.source)
  const q = textOf(search.q)
  return { ...(source && { source }), ...(q && { q }) }
}

export const tabs = ['deliveries', 'setup', 'try', 'settings'] as const
export type Tab = (typeof tabs)[number]
export const outcomes = ['rejected', 'accepted', 'ignored'] as const

export interface IntegrationSearch {
  tab?: Tab
  /** The outcomes of the deliveries to show. Absent: all. */
  outcome?: (typeof outcomes)[number][]
  /** Id of a delivery: the one open in the list, or the one used for a dry run. */
  delivery?: string
}

export const integrationSearch = (search: Record<string, unknown>): IntegrationSearch => {
  const tab = wordOf(search.tab, tabs)
  const outcome = wordsOf(search.outcome, outcomes)
  const delivery = idOf(search.delivery)
  return { ...(tab && tab !== 'deliveries' && { tab }), ...(outcome.length > 0 && { outcome }), ...(delivery && { delivery }) }
}

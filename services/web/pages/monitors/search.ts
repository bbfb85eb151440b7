/** Search parameters in the addresses of these pages. */
import type { Check, Monitor } from '../../api/shapes.ts'
import { type RangeSearch, rangeSearch } from '../../parts/range.ts'
import { monitorPhases } from '../../parts/Status.tsx'
import { idOf, pageOf, textOf, wordOf, wordsOf } from '../../search.ts'

/**
 * In the order in which they are offered. Their words are not here, because every page loads this
 * file.
 */
export const checkOutcomes = [
  'success',
  'degraded',
  'failure',
  'prober_error',
  'missed_window',
  'rate_limited',
  'unknown'
] as const satisfies readonly Check['outcome'][]

export const monitorSorts = ['name', 'since', 'group'] as const

export interface MonitorsSearch {
  phase?: Monitor['phase'][]
  tag?: string
  region?: string
  team_id?: string
  /** The id of a group. */
  group?: string
  q?: string
  /** If absent, the worst come first. */
  sort?: (typeof monitorSorts)[number]
}

export function monitorsSearch(search: Record<string, unknown>): MonitorsSearch {
  const phase = wordsOf(search.phase, monitorPhases)
  const tag = textOf(search.tag)
  const region = textOf(search.region)
  const team_id = idOf(search.team_id)
  const group = idOf(search.group)
  const q = textOf(search.q)
  const sort = wordOf(search.sort, monitorSorts)
  return {
    ...(phase.length > 0 && { phase }),
    ...(tag && { tag }),
    ...(region && { region }),
    ...(team_id && { team_id }),
    ...(group && { group }),
    ...(q && { q }),
    ...(sort && { sort })
  }
}

/** How near the end of a certificate is, in days. */
export const withinDays = [7, 14, 30, 90] as const

export interface CertificatesSearch {
  /** Days. */
  within?: (typeof withinDays)[number]
  team_id?: string
  q?: string
  page?: number
}

export function certificatesSearch(search: Record<string, unknown>): CertificatesSearch {
  const within = withinDays.find((days) => String(days) === String(search.within))
  const team_id = idOf(search.team_id)
  const q = textOf(search.q)
  const page = pageOf(search.page)
  return {
    ...(within !== undefined && { within }),
    ...(team_id && { team_id }),
    ...(q && { q }),
    ...(page !== undefined && { page })
  }
}

export const percentiles = ['p50', 'p95', 'p99'] as const
export type Percentile = (typeof percentiles)[number]

export interface MonitorSearch extends RangeSearch {
  /** p95, where absent. */
  percentile?: Percentile
  /** The region of the last checks. */
  region?: string
  outcome?: Check['outcome']
}

export function monitorSearch(search: Record<string, unknown>): MonitorSearch {
  const percentile = wordOf(search.percentile, percentiles)
  const region = textOf(search.region)
  const outcome = wordOf(search.outcome, checkOutcomes)
  return {
    ...rangeSearch(search),
    ...(percentile && percentile !== 'p95' && { percentile }),
    ...(region && { region }),
    ...(outcome && { outcome })
  }
}

/** `from` is the id of the monitor that the new one starts as a copy of. */
export const newMonitorSearch = ({ from }: Record<string, unknown>): { from?: string } => {
  const id = idOf(from)
  return id ? { from: id } : {}
}

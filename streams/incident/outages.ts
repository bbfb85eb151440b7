/**
 * Mass outages: monitors of two or more regions that go down together are one incident for people.
 *
 * In       what the workspace remembers of its monitors, its setting, a monitor that goes down or
 *          is down no more, times of records in epoch ms
 * Out      what it remembers after it, and whether a mass outage begins, goes on or is over
 * Source   docs/design/api/decision-rules.md#s23-7
 *
 *   a monitor             and it is               then
 *   goes down             one of the first        it is told of, as ever
 *                         enough in 5 min         the mass outage begins; this one, and each that
 *                                                 follows, is part of it and not told of alone
 *   is down no more       not the last            nothing
 *                         the last of it          the mass outage is over
 * Enough are `min_monitors`, or half of all that have two regions, at least two. What was told of
 * before it began counts as part of it: it is over when all are up. Who is down no more is not
 * counted.
 */

/** The key of a workspace's mass outages. No signal has it. */
export const OUTAGE_KEY = 'out:mass'

export const OUTAGE_MS = 5 * 60_000
/** Of a mass outage so many are named. */
const MAX_NAMED = 10
const MAX_NAME = 60

/** A monitor that went down lately. */
interface Down {
  id: string
  name: string
  /** Epoch ms. */
  at: number
}

/** What a workspace remembers. */
export interface Outage {
  /** Those of the last five minutes that are down, the oldest first. */
  downs: readonly Down[]
  /** Of the mass outage; null: there is none. */
  ongoing: {
    incident_id: string
    /** Ids of those that are still down. */
    failing: readonly string[]
    /** How many have been part of it, and what the first are called. */
    count: number
    names: readonly string[]
    regions: readonly string[]
  } | null
}

export type Ongoing = NonNullable<Outage['ongoing']>

/** Of a workspace that wants mass outages to be told of together. */
export interface OutageSettings {
  min_monitors: number
  /** Monitors with two or more regions that are not paused; counted up to twice `min_monitors`. */
  monitors: number
  /** Teams whose monitors page for themselves: not everybody may hear of them. */
  private_team_ids: readonly string[]
}

export const noOutage: Outage = { downs: [], ongoing: null }

const isEnough = (count: number, { min_monitors, monitors }: OutageSettings): boolean =>
  count >= min_monitors || (count >= 2 && monitors >= count && count * 2 >= monitors)

const nameOf = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name)

const added = (regions: readonly string[], more: readonly string[]): string[] => [...new Set([...regions, ...more])]

/** One more is part of it. */
const joined = (ongoing: Ongoing, { id, name }: Pick<Down, 'id' | 'name'>, regions: readonly string[]): Ongoing => ({
  ...ongoing,
  failing: [...ongoing.failing, id],
  count: ongoing.count + 1,
  names: ongoing.names.length < MAX_NAMED ? [...ongoing.names, name] : ongoing.names,
  regions: added(ongoing.regions, regions)
})

/**
 * After a monitor went down, seen from these regions. `incident_id`: of the mass outage that begins
 * by it, if one does. Never throws.
 */
export function wentDown(before: Outage, monitor: Down, regions: readonly string[], settings: OutageSettings, incident_id: string): Outage {
  const down: Down = { ...monitor, name: nameOf(monitor.name) }
  const { ongoing } = before
  const others = before.downs.filter(({ id, at }) => id !== down.id && at > down.at - OUTAGE_MS)
  if (ongoing) return ongoing.failing.includes(down.id) ? before : { downs: [], ongoing: joined(ongoing, down, regions) }
  const downs = [...others, down].slice(-settings.min_monitors)
  if (!isEnough(downs.length, settings)) return { downs, ongoing: null }
  const begun: Ongoing = { incident_id, failing: [], count: 0, names: [], regions: [] }
  return { downs: [], ongoing: downs.reduce((outage, one) => joined(outage, one, regions), begun) }
}

/** After a monitor is down no more; the same where it is not among them. Never throws. */
export function isUpAgain(before: Outage, id: string): Outage {
  const { downs, ongoing } = before
  if (ongoing?.failing.includes(id)) return { downs, ongoing: { ...ongoing, failing: ongoing.failing.filter((one) => one !== id) } }
  return downs.some((one) => one.id === id) ? { downs: downs.filter((one) => one.id !== id), ongoing } : before
}

/** What people read of it. */
export function outageWords({ count, names, failing }: Ongoing): { title: string; summary: string } {
  const more = count - names.length
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const left = failing.length === 0 ? ' All are up again.' : failing.length < count ? ` ${failing.length} of them are still down.` : ''
  return { title: `Mass outage: ${count} monitors went down together`, summary: `${all}.${left}` }
}

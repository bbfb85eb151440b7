/**
 * Mass outages: if monitors with two or more regions go down together, people get one incident.
 *
 * In       what the workspace remembers of its monitors, its setting, a monitor that goes down or
 *          is no longer down, times of records in epoch ms
 * Out      what it remembers after that, and whether a mass outage begins, goes on or is over
 * Source   docs/design/api/decision-rules.md#s23-7
 *
 *   a monitor             and it is               then
 *   goes down             one of the first        people are notified of it, as usual
 *                         enough in 5 min         the mass outage begins; this monitor and each
 *                                                 later one is part of it, not notified alone
 *   is no longer down     not the last            nothing
 *                         the last of it          the mass outage is over
 *
 * Enough means `min_monitors`, or half of all monitors with two regions, but at least two. Monitors
 * that people were notified of before the mass outage began count as part of it: it is over when
 * all are up. A monitor that is no longer down is not counted. The regions of a mass outage are
 * those in which its monitors went down, also the first ones.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import { MAX_INCIDENT_REGIONS } from '../../schemas/limits.ts'

/** The key of a workspace's mass outages. No signal has this key. */
export const OUTAGE_KEY = 'out:mass'

export const OUTAGE_MS = 5 * 60_000
/** The most monitors that are named in a mass outage. */
const MAX_NAMED = 10
const MAX_NAME = 60
/** The most regions that are remembered of one monitor. A monitor has at most 30. */
const MAX_REGIONS_OF_DOWN = 30

/** A monitor that went down recently. */
interface Down {
  id: string
  name: string
  /** Epoch ms. */
  at: number
  /** Where it went down. Rows that earlier versions wrote have none. */
  regions?: readonly string[]
}

/** What a workspace remembers for mass outages. */
export interface Outage {
  /** Monitors that went down in the last five minutes and are still down, the oldest first. */
  downs: readonly Down[]
  /** The ongoing mass outage; null: there is none. */
  ongoing: {
    incident_id: string
    /** Ids of its monitors that are still down. */
    failing: readonly string[]
    /** How many monitors have been part of it, and the names of the first ones. */
    count: number
    names: readonly string[]
    regions: readonly string[]
  } | null
}

export type Ongoing = NonNullable<Outage['ongoing']>

/** The settings of a workspace that bundles mass outages into one notification. */
export interface OutageSettings {
  min_monitors: number
  /**
   * Monitors that are not paused and have two or more regions; counted up to twice `min_monitors`.
   */
  monitors: number
  /** Private teams. Not everybody may see their monitors, so these monitors page for themselves. */
  private_team_ids: readonly string[]
}

export const noOutage: Outage = { downs: [], ongoing: null }

const isEnough = (count: number, { min_monitors, monitors }: OutageSettings): boolean =>
  count >= min_monitors || (count >= 2 && monitors >= count && count * 2 >= monitors)

const nameOf = (name: string): string => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name)

const added = (regions: readonly string[], more: readonly string[]): string[] =>
  [...new Set([...regions, ...more])].slice(0, MAX_INCIDENT_REGIONS)

/** Returns the mass outage with one more monitor. */
const joined = (ongoing: Ongoing, { id, name, regions = [] }: Down): Ongoing => ({
  ...ongoing,
  failing: [...ongoing.failing, id],
  count: ongoing.count + 1,
  names: ongoing.names.length < MAX_NAMED ? [...ongoing.names, name] : ongoing.names,
  regions: added(ongoing.regions, regions)
})

/**
 * Returns what the workspace remembers after a monitor went down. `incident_id`: the incident of
 * the mass outage, if one begins now. Never throws.
 */
export function wentDown(before: Outage, monitor: Required<Down>, settings: OutageSettings, incident_id: string): Outage {
  const down: Down = { ...monitor, name: nameOf(monitor.name), regions: monitor.regions.slice(0, MAX_REGIONS_OF_DOWN) }
  const { ongoing } = before
  const others = before.downs.filter(({ id, at }) => id !== down.id && at > down.at - OUTAGE_MS)
  if (ongoing) return ongoing.failing.includes(down.id) ? before : { downs: [], ongoing: joined(ongoing, down) }
  const downs = [...others, down].slice(-settings.min_monitors)
  if (!isEnough(downs.length, settings)) return { downs, ongoing: null }
  const begun: Ongoing = { incident_id, failing: [], count: 0, names: [], regions: [] }
  return { downs: [], ongoing: downs.reduce((outage, one) => joined(outage, one), begun) }
}

/**
 * Returns what the workspace remembers after a monitor is no longer down; the same object if the
 * monitor is not in it. Never throws.
 */
export function cameUp(before: Outage, id: string): Outage {
  const { downs, ongoing } = before
  if (ongoing?.failing.includes(id)) return { downs, ongoing: { ...ongoing, failing: ongoing.failing.filter((one) => one !== id) } }
  return downs.some((one) => one.id === id) ? { downs: downs.filter((one) => one.id !== id), ongoing } : before
}

/**
 * Returns the id of the ongoing mass outage that a monitor is part of, or null. `newest`: the
 * newest mass outage of the workspace; a person may have ended it.
 */
export function outageOf({ ongoing }: Outage, newest: Pick<Incident, 'incident_id' | 'status'> | null, id: string): string | null {
  const goesOn = ongoing !== null && newest?.incident_id === ongoing.incident_id && newest.status === 'ongoing'
  return goesOn && ongoing.failing.includes(id) ? ongoing.incident_id : null
}

/** The title and the summary that people read. */
export function outageWords({ count, names, failing }: Ongoing): { title: string; summary: string } {
  const more = count - names.length
  const all = more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
  const left = failing.length === 0 ? ' All are up again.' : failing.length < count ? ` ${failing.length} of them are still down.` : ''
  return { title: `Mass outage: ${count} monitors went down together`, summary: `${all}.${left}` }
}

/**
 * Decides when poison stops a partition: the rule that tells bad data from a schema break.
 *
 * Counted  the records of the last minute including the current chunk, and how many are poison
 * Stops    when more than 1 % of them, and at least 20, are poison
 *
 * Poison that names its workspace counts at most 5 a minute for each workspace, so that one
 * workspace's data cannot stop the others: its records become dead letters. Poison that names no
 * workspace counts in full, because unreadable bytes come from a producer of ours. Records that an
 * operator skipped do not count.
 *
 * Source: docs/design/architecture.md#s5-failures.
 */
import type { Poison } from './dead-letter.ts'

const WINDOW_MS = 60_000
const SLICE_MS = 5000
const SHARE = 0.01
/** With fewer poison records than this, their share says nothing. */
const LEAST = 20
/** How many poison records of one workspace count at most. */
const MOST_OF_ONE = 5
/** Workspaces that one slice tells apart; all further ones count as one. */
const MAX_WORKSPACES = 1000

type Bad = Pick<Poison, 'reason' | 'tenant_id'>

export interface Breaker {
  /**
   * Whether the last minute, together with this chunk, has too much poison. Does not count the
   * chunk. `now` in epoch ms.
   */
  trips(records: number, poison: readonly Bad[], now: number): boolean
  /** Counts a chunk that was committed. */
  count(records: number, poison: readonly Bad[], now: number): void
}

interface Slice {
  since: number
  records: number
  /** Poison that names no workspace. */
  nobodys: number
  byWorkspace: Map<string, number>
}

const emptySlice = (since: number): Slice => ({ since, records: 0, nobodys: 0, byWorkspace: new Map() })

function add(slice: Slice, records: number, poison: readonly Bad[]): void {
  slice.records += records
  for (const { reason, tenant_id } of poison) {
    if (reason === 'skipped') continue
    if (tenant_id === null) {
      slice.nobodys += 1
      continue
    }
    const known = slice.byWorkspace.has(tenant_id) || slice.byWorkspace.size < MAX_WORKSPACES
    const name = known ? tenant_id : ''
    slice.byWorkspace.set(name, (slice.byWorkspace.get(name) ?? 0) + 1)
  }
}

function isTooMuch(slices: readonly Slice[]): boolean {
  let records = 0
  let counted = 0
  const byWorkspace = new Map<string, number>()
  for (const slice of slices) {
    records += slice.records
    counted += slice.nobodys
    for (const [workspace, bad] of slice.byWorkspace) byWorkspace.set(workspace, (byWorkspace.get(workspace) ?? 0) + bad)
  }
  for (const bad of byWorkspace.values()) counted += Math.min(bad, MOST_OF_ONE)
  return counted >= LEAST && counted > records * SHARE
}

export function createBreaker(): Breaker {
  let slices: Slice[] = []
  const recent = (now: number): Slice[] => slices.filter(({ since }) => now - since < WINDOW_MS)
  return {
    trips(records, poison, now) {
      const present = emptySlice(now)
      add(present, records, poison)
      return isTooMuch([...recent(now), present])
    },
    count(records, poison, now) {
      let last = slices.at(-1)
      if (!last || now - last.since >= SLICE_MS) {
        last = emptySlice(now)
        slices = [...recent(now), last]
      }
      add(last, records, poison)
    }
  }
}

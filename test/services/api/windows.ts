/** Lets time pass for tests of maintenance windows. */
import type { Stand } from './stand.ts'

type Pairs = [number, number][]

/** Moves a window's times, and those of its jobs, so far into the past. */
export async function age(s: Stand, id: string, ms: number): Promise<void> {
  const { rows } = await s.systemPool.query<{ spans: Pairs; holes: Pairs; schedule: Record<string, unknown> }>(
    'SELECT spans, holes, schedule FROM maintenance_windows WHERE window_id = $1',
    [id]
  )
  const [row] = rows
  if (!row) throw new Error(`there is no window ${id}`)
  const moved = (pairs: Pairs) => JSON.stringify(pairs.map(([from, until]) => [from - ms, until - ms]))
  const { starts_at, ends_at, ...rest } = row.schedule
  const schedule =
    typeof starts_at === 'number' && typeof ends_at === 'number'
      ? { ...rest, starts_at: starts_at - ms, ends_at: ends_at - ms }
      : row.schedule
  const seconds = ms / 1000
  await s.systemPool.query(
    `UPDATE maintenance_windows SET spans = $2, holes = $3, schedule = $4, holds_from = holds_from - make_interval(secs => $5),
            holds_until = holds_until - make_interval(secs => $5), turned_at = turned_at - make_interval(secs => $5),
            deleted_at = deleted_at - make_interval(secs => $5)
      WHERE window_id = $1`,
    [id, moved(row.spans), moved(row.holes), JSON.stringify(schedule), seconds]
  )
  await s.systemPool.query(
    "UPDATE jobs SET run_at = run_at - make_interval(secs => $2) WHERE kind LIKE 'maintenance%' AND payload ->> 'window_id' = $1",
    [id, seconds]
  )
}

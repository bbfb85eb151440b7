/**
 * Combines the requests of many list rows into one. It waits until no more rows appear. A row that
 * is gone by then is never requested.
 */

/** Rows are requested when no new row has appeared for this time, in ms. */
const REST_MS = 60
/** While rows keep appearing, they are requested after this time at the latest. */
const AT_LATEST_MS = 2_000
/**
 * At most this many readings in SPAN_MS, because the smallest plan allows 120 requests a minute.
 */
const MAX_READINGS = 6
const SPAN_MS = 10_000

export interface Clock {
  /** Milliseconds since an arbitrary start. */
  now(): number
  /** Calls `work` after `ms`. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void
}

const pageClock: Clock = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  }
}

interface Waiting<Data> {
  id: string
  resolve(data: Data): void
  reject(error: unknown): void
}

/** Calls `answer` once for each id. */
export type Read<Data> = (ids: readonly string[], answer: (id: string, data: Data) => void) => Promise<void>

/**
 * Returns the function that a row calls for its data. `signal` aborts when the row is gone: it is
 * then not requested, unless the reading has begun. A reading that fails rejects all of its rows.
 */
export function createGather<Data>(read: Read<Data>, clock: Clock = pageClock): (id: string, signal: AbortSignal) => Promise<Data> {
  const waiting = new Set<Waiting<Data>>()
  const readings: number[] = []
  let first = 0
  let cancel: (() => void) | null = null

  function begin(): void {
    cancel = null
    readings.push(clock.now())
    if (readings.length > MAX_READINGS) readings.shift()
    const asked = [...waiting]
    waiting.clear()
    const of = (id: string): Waiting<Data>[] => asked.filter((one) => one.id === id)
    read([...new Set(asked.map(({ id }) => id))], (id, data) => {
      for (const { resolve } of of(id)) resolve(data)
    }).catch((error: unknown) => {
      for (const { reject } of asked) reject(error)
    })
  }

  function schedule(): void {
    cancel?.()
    const now = clock.now()
    const [oldest = Number.NEGATIVE_INFINITY] = readings.length < MAX_READINGS ? [] : readings
    const due = Math.max(Math.min(now + REST_MS, first + AT_LATEST_MS), oldest + SPAN_MS)
    cancel = clock.after(Math.max(0, due - now), begin)
  }

  return (id, signal) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) first = clock.now()
      const one = { id, resolve, reject }
      waiting.add(one)
      signal.addEventListener('abort', () => {
        waiting.delete(one)
        reject(signal.reason)
        if (waiting.size > 0) return
        cancel?.()
        cancel = null
      })
      schedule()
    })
}

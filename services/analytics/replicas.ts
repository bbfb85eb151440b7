/**
 * Puts several servers with the same rows behind the interface of one engine. One of them is used
 * until it fails, then the next: the server that took the last inserts has those rows, so queries
 * seldom meet a server that lags. replicated.ts explains what may be repeated, and why.
 */
import type { Engine } from './engine.ts'

/** `isFinal`: every server would fail in the same way, so no other one is asked. */
export function acrossReplicas(engines: readonly [Engine, ...Engine[]], isFinal: (error: unknown) => boolean): Engine {
  let current = 0
  const chosen = (): Engine => engines[current] ?? engines[0]

  /**
   * Moves on to the next server, unless another call that failed at the same server has already
   * done so.
   */
  function leave(engine: Engine): void {
    if (engine === chosen()) current = (current + 1) % engines.length
  }

  async function once<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = chosen()
    try {
      return await work(engine)
    } catch (error) {
      if (!isFinal(error)) leave(engine)
      throw error
    }
  }

  /** Tries each server at most once. */
  async function inTurn<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    for (let left = engines.length - 1; left > 0; left -= 1) {
      try {
        return await once(work)
      } catch (error) {
        if (isFinal(error)) throw error
      }
    }
    return once(work)
  }

  return {
    query: (sql, params, limits) => inTurn((engine) => engine.query(sql, params, limits)),
    command: (sql) => inTurn((engine) => engine.command(sql)),
    // An insert does not try the next server: the sink repeats it with back-off, and counts the
    // retries.
    insert: (table, columns, body, token) => once((engine) => engine.insert(table, columns, body, token)),
    async close() {
      await Promise.all(engines.map((engine) => engine.close()))
    }
  }
}

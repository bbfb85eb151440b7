/**
 * Several servers with the same rows behind the face of one engine. One of them is asked until it
 * fails, then the next: who inserted the last rows has them, so questions seldom meet a server that
 * is behind. What may be repeated and why is in replicated.ts.
 */
import type { Engine } from './engine.ts'

/** `isFinal`: the same failure is to be expected of every server, so no other is asked. */
export function acrossReplicas(engines: readonly [Engine, ...Engine[]], isFinal: (error: unknown) => boolean): Engine {
  let current = 0
  const chosen = (): Engine => engines[current] ?? engines[0]

  /** Moves on, unless another call that failed at the same server has done so. */
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

  /** Asks each server at most once. */
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
    // Not in turn: the sink repeats it with back-off, and counts that it did.
    insert: (table, columns, body, token) => once((engine) => engine.insert(table, columns, body, token)),
    async close() {
      await Promise.all(engines.map((engine) => engine.close()))
    }
  }
}

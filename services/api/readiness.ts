/**
 * Says whether the api can work: it needs Postgres, and the schema ids that it read at the start.
 * Kafka is not checked: the api never talks to it, and commands work while it is down.
 */
import type { Pool } from '../store/pool.ts'

const FRESH_MS = 1000
const WITHIN_MS = 2000

export interface Readiness {
  /** Checks again if the last answer is older than a second. */
  check(): Promise<Record<string, boolean>>
  /** Returns the last answer, and starts a new check in the background. */
  last(): Record<string, boolean>
}

export function createReadiness(pool: Pool): Readiness {
  let store = true
  let at = 0
  let asking: Promise<void> | undefined
  async function ask(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, WITHIN_MS, false)
    })
    store = await Promise.race([
      pool.query('SELECT 1').then(
        () => true,
        () => false
      ),
      late
    ])
    clearTimeout(timer)
    at = performance.now()
    asking = undefined
  }
  const check = async (): Promise<Record<string, boolean>> => {
    if (at === 0 || performance.now() - at > FRESH_MS) {
      asking ??= ask()
      await asking
    }
    return { store, schema: true }
  }
  return {
    check,
    last() {
      void check()
      return { store, schema: true }
    }
  }
}

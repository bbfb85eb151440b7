/**
 * Runs the pending migrations beside a running service. A statement that changes a table waits for
 * every transaction that uses it, such as a dump, and all later statements on this table wait
 * behind it. So a migration waits for a lock only for a short time. Then it takes everything back,
 * which lets the others pass, and tries again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openMigrationSession } from '../store/migration-session.ts'

export interface RunOptions {
  ownerUrl: string
  dir: string
  /** Files with other names are no migrations. */
  pattern: RegExp
  /** How long a statement waits for a lock. */
  lockWaitMs?: number
  tries?: number
  pauseMs?: number
}

type Tell = (line: string) => void

const LOCK_WAIT_MS = 3000
const TRIES = 12
const PAUSE_MS = 5000

/** The lock was not there in time, or two transactions waited for each other. */
const isBusy = (error: unknown): boolean => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')

/**
 * Runs all pending migrations in one transaction, under the lock by which migrators take turns.
 * Returns their names. Throws when one fails, or when their locks are not free in any try; then
 * none of them has changed anything.
 */
export async function runMigrations(options: RunOptions, tell: Tell): Promise<string[]> {
  const { ownerUrl, dir, pattern, lockWaitMs = LOCK_WAIT_MS, tries = TRIES, pauseMs = PAUSE_MS } = options
  // Loaded only when used, because it brings a transpiler that no other part needs.
  const { runner, PG_MIGRATE_LOCK_ID } = await import('node-pg-migrate')
  const session = await openMigrationSession(ownerUrl, PG_MIGRATE_LOCK_ID, lockWaitMs)
  try {
    for (let nth = 1; ; nth += 1) {
      const said: string[] = []
      const say = (line: string): void => void said.push(line)
      try {
        const ran = await runner({
          dbClient: session.client,
          dir,
          migrationsTable: 'schema_migrations',
          direction: 'up',
          ignorePattern: `(?!${pattern.source.slice(1)}).*`,
          checkOrder: true,
          singleTransaction: true,
          noLock: true,
          logger: { debug: () => undefined, info: () => undefined, warn: say, error: say }
        })
        said.forEach(tell)
        return ran.map(({ name }) => name)
      } catch (error) {
        if (!isBusy(error)) {
          said.forEach(tell)
          throw error
        }
        const who = await session.longestTransaction()
        if (nth >= tries)
          throw new Error(
            `Nothing was migrated: a table was in use each of the ${tries} times that its migration waited ${lockWaitMs / 1000} s for it; ${who}. Wait until dumps and other long transactions have ended, then run migrate again`,
            { cause: error }
          )
        tell(`Try ${nth} of ${tries}: a table is in use; ${who}`)
      }
      await sleep(pauseMs)
    }
  } finally {
    await session.close()
  }
}

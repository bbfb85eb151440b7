/** A folder for data of the service, readable by its owner only. */
import { chmodSync, mkdirSync, statSync } from 'node:fs'

/**
 * All rights for the owner, and passage for a group. When root starts the local stack, it gives
 * that group right to the user who runs Postgres (services/local/postgres.ts).
 */
const KEPT_OF_ROOT = 0o710
const KEPT = 0o700

/** What was done with an existing folder that had wider rights. */
export type Tightened = 'tightened' | 'not_ours' | null

/**
 * Makes the folder and its missing parents for the owner only (0700). For an existing folder, takes
 * away the rights of others, if we own it.
 */
export function privateFolder(path: string): Tightened {
  mkdirSync(path, { recursive: true, mode: KEPT })
  const { mode, uid } = statSync(path)
  const own = process.getuid?.()
  const kept = own === 0 ? KEPT_OF_ROOT : KEPT
  if (own === undefined || (mode & 0o777 & ~kept) === 0) return null // Windows has no such rights.
  if (uid !== own) return 'not_ours'
  chmodSync(path, mode & kept)
  return 'tightened'
}

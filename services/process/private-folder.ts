/** A folder that holds data of the service: for its owner alone. */
import { chmodSync, mkdirSync, statSync } from 'node:fs'

/**
 * All rights of the owner, and that a group may pass: the local stack started by root gives that to
 * the user who runs Postgres (services/local/postgres.ts).
 */
const KEPT_OF_ROOT = 0o710
const KEPT = 0o700

/** What became of a folder that was there with wider rights. */
export type Tightened = 'tightened' | 'not_ours' | null

/**
 * Makes the folder, with those above it that are missing, for its owner alone (0700); takes the
 * rights of others from one that is there, if it is ours.
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

/**
 * Keys that an older version gave: for a while after an upgrade a recovery also tries the key that
 * its alert had before, or what was open at the upgrade would stay open for ever.
 *
 * A change of keys has a name. The migration that came with it writes the name and the time into
 * the table `key_changes`. A source names its change (`key_change`), and its parser says on a
 * recovery what the key was before (`former_key`). Then the door appends a second record under that
 * key, marked `by_former_key`: it lies on the partition of that key, behind everything that fired
 * there. It ends what is open there, and makes nothing, not even a row, where there is nothing.
 *
 * It ends 7 days after the upgrade, by two clocks: Postgres's, between its own two readings, and
 * the door's. A clock that is ahead cannot end it early by itself; one that is behind makes it last
 * longer, which costs a record and changes nothing. While nobody can say, former keys are tried.
 * Once all changes are over the door asks no more, and a recovery costs one comparison.
 * Source: docs/design/inbound-sources.md#s1-3,
 * docs/decisions/0054-recoveries-try-the-former-key-for-seven-days.md.
 */
import type { Log } from '../process/log.ts'
import { type KeyChange, readKeyChanges } from '../store/key-changes.ts'
import type { Pool } from '../store/pool.ts'

/** How long former keys are tried. */
export const FORMER_KEYS_MS = 7 * 86_400_000
const LOOK_MS = 600_000

/** The change of label names, which keys of dedup templates are made of. */
export const LABEL_NAMES = 'label_names'

export interface FormerKeys {
  /** Whether recoveries still try the keys from before this change. */
  tries(change: string): boolean
}

/** Whether the time is over by Postgres's clock and by the door's (`now`, epoch ms) alike. */
export const isOver = ({ since, read_at }: KeyChange, now: number): boolean =>
  read_at - since >= FORMER_KEYS_MS && now - since >= FORMER_KEYS_MS

export interface FormerKeysOptions {
  pool: Pool
  log: Pick<Log, 'warn'>
  /** Epoch ms by the door's clock. */
  now?: () => number
  everyMs?: number
}

/** Looks now and then until all changes are over. */
export function createFormerKeys({ pool, log, now = Date.now, everyMs = LOOK_MS }: FormerKeysOptions): FormerKeys & { close(): void } {
  const over = new Set<string>()
  let told = false

  async function look(): Promise<void> {
    try {
      const changes = await readKeyChanges(pool)
      for (const change of changes) if (isOver(change, now())) over.add(change.name)
      if (changes.every(({ name }) => over.has(name))) clearInterval(timer)
      told = false
    } catch (error) {
      if (!told) log.warn({ err: error }, 'how long former keys are tried could not be read; they are tried on')
      told = true
    }
  }

  const timer = setInterval(() => void look(), everyMs)
  timer.unref()
  void look()
  return { tries: (change) => !over.has(change), close: () => clearInterval(timer) }
}

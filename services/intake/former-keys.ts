/**
 * Former keys: the dedup keys that an older version gave. For some days after an upgrade, a
 * recovery also tries the key that its alert had before. Otherwise an incident that was open at the
 * upgrade would stay open for ever.
 *
 * Each change of keys has a name. The migration that comes with it writes the name and the time
 * into the table `key_changes`. A source names its change (`key_change`), and on a recovery its
 * parser gives the key from before (`former_key`). Then the door appends a second record under that
 * key, marked `by_former_key`. This record goes to the partition of that key, after every alert
 * that fired there. It ends what is open under that key, and creates nothing, not even a row, when
 * nothing is open.
 *
 * The period ends 7 days after the upgrade, when two clocks agree: Postgres's, between its own two
 * readings, and the door's. A clock that is ahead cannot end it early by itself. A clock that is
 * behind makes it longer, which costs extra records and has no other effect. While the table cannot
 * be read, former keys are tried. Once all changes are over, the door stops reading the table, and
 * a recovery costs one comparison.
 *
 * Source: docs/design/inbound-sources.md#s1-3,
 * docs/decisions/0054-recoveries-try-the-former-key-for-seven-days.md.
 */
import type { Log } from '../process/log.ts'
import { type KeyChange, readKeyChanges } from '../store/key-changes.ts'
import type { Pool } from '../store/pool.ts'

/** How long former keys are tried. */
export const FORMER_KEYS_MS = 7 * 86_400_000
const LOOK_MS = 600_000

/** The name of the change of label names. Dedup templates build keys from label names. */
export const LABEL_NAMES = 'label_names'

export interface FormerKeys {
  /** Returns whether recoveries still try the keys from before this change. */
  tries(change: string): boolean
}

/** Returns whether the period is over by both Postgres's clock and the door's (`now`, epoch ms). */
export const isOver = ({ since, read_at }: KeyChange, now: number): boolean =>
  read_at - since >= FORMER_KEYS_MS && now - since >= FORMER_KEYS_MS

export interface FormerKeysOptions {
  pool: Pool
  log: Pick<Log, 'warn'>
  /** Epoch ms by the door's clock. */
  now?: () => number
  everyMs?: number
}

/** Reads the changes from Postgres at intervals until all are over. */
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

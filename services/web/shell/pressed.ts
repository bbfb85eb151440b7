/** What a pressed key does. Pure. Source: docs/design/ui.md#principle-4. */

export type Keys = Readonly<Record<string, () => void>>

/** The first key of a sequence, and when it was pressed (epoch ms). */
export interface First {
  key: string
  at: number
}

const SECOND_KEY_WITHIN_MS = 1_200

/** Returns the action of a key or a sequence. What comes first in `all` takes precedence. */
export const boundTo = (all: readonly Keys[], name: string): (() => void) | undefined => all.find((keys) => keys[name])?.[name]

/**
 * Returns the action of a key, or that it is the first key of a sequence. After the first key of a
 * sequence the next key never does what it does alone: `g` and `a` must not acknowledge. `at` is in
 * epoch ms.
 */
export function pressed(all: readonly Keys[], before: First | null, key: string, at: number): { action?: () => void; first: First | null } {
  const follows = before !== null && at - before.at < SECOND_KEY_WITHIN_MS
  const action = boundTo(all, follows ? `${before.key} ${key}` : key)
  if (action) return { action, first: null }
  const begins = all.some((keys) => Object.keys(keys).some((name) => name.startsWith(`${key} `)))
  return { first: begins ? { key, at } : null }
}

/**
 * Keyboard shortcuts of one key (`a`) or two in a row (`g m`). They are off while a person types
 * and while a dialog is open. `mod k`, which is Ctrl or Command with K, also works while a person
 * types. Shortcuts that a page binds are removed with it.
 * Source: docs/design/ui.md#principle-4.
 */
import { useEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

const SECOND_KEY_WITHIN_MS = 1_200

const bound = new Set<{ current: Keys }>()
let first: { key: string; at: number } | null = null

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Returns the action of a key. The most recently mounted component takes precedence. */
const boundTo = (key: string): (() => void) | undefined => [...bound].reverse().find((keys) => keys.current[key])?.current[key]

function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
    const search = boundTo('mod k')
    if (!search || document.querySelector('[role="dialog"]')) return
    event.preventDefault()
    search()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
  if (document.querySelector('[role="dialog"]')) return
  const { key } = event
  const sequence = first && Date.now() - first.at < SECOND_KEY_WITHIN_MS ? `${first.key} ${key}` : key
  // The most recently mounted component takes precedence.
  for (const keys of [...bound].reverse()) {
    const action = keys.current[sequence] ?? keys.current[key]
    if (!action) continue
    first = null
    event.preventDefault()
    action()
    return
  }
  const begins = [...bound].some((keys) => Object.keys(keys.current).some((name) => name.startsWith(`${key} `)))
  first = begins ? { key, at: Date.now() } : null
}

export function useKeys(keys: Keys): void {
  const held = useRef(keys)
  held.current = keys
  useEffect(() => {
    if (bound.size === 0) document.addEventListener('keydown', onKey)
    bound.add(held)
    return () => {
      bound.delete(held)
      if (bound.size === 0) document.removeEventListener('keydown', onKey)
    }
  }, [])
}

/**
 * Keyboard shortcuts of one key (`a`) or two in a row (`g m`). They are off while a person types
 * and while a dialog is open. `mod k`, which is Ctrl or Command with K, also works while a person
 * types. Shortcuts that a page binds are removed with it.
 * Source: docs/design/ui.md#principle-4.
 */
import { useEffect, useRef } from 'react'
import { boundTo, type First, type Keys, pressed } from './pressed.ts'

const bound = new Set<{ current: Keys }>()
let first: First | null = null

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** What is bound at present; the most recently mounted component takes precedence. */
const boundNow = (): Keys[] => [...bound].reverse().map(({ current }) => current)

function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
    const search = boundTo(boundNow(), 'mod k')
    if (!search || document.querySelector('[role="dialog"]')) return
    event.preventDefault()
    search()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return
  if (document.querySelector('[role="dialog"]')) return
  const { action, first: next } = pressed(boundNow(), first, event.key, Date.now())
  first = next
  if (!action) return
  event.preventDefault()
  action()
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

/**
 * `j` and `k` move through the links of a list, starting at the focused one, or else at the end of
 * the list on that side. Enter opens a link as usual.
 */
import type { RefObject } from 'react'
import { useKeys } from '../shell/keys.ts'

/** `selector` finds the links of the rows in the list. */
export function useSteps(list: RefObject<HTMLElement | null>, selector: string): void {
  function step(by: 1 | -1): void {
    const links: Element[] = [...(list.current?.querySelectorAll(selector) ?? [])]
    const at = document.activeElement ? links.indexOf(document.activeElement) : -1
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by]
    if (next instanceof HTMLElement) next.focus()
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
}

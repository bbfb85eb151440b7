/**
 * `j` and `k` walk the links of a list, from the one that has the focus or else from its end on
 * that side; Enter opens it as any link.
 */
import type { RefObject } from 'react'
import { useKeys } from '../shell/keys.ts'

/** `selector` finds a row's link within the list. */
export function useSteps(list: RefObject<HTMLElement | null>, selector: string): void {
  function step(by: 1 | -1): void {
    const links: Element[] = [...(list.current?.querySelectorAll(selector) ?? [])]
    const at = document.activeElement ? links.indexOf(document.activeElement) : -1
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by]
    if (next instanceof HTMLElement) next.focus()
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
}

/**
 * What a page offers to do, for search: whoever does not know the key finds the word. It goes with
 * the page.
 */
import { useEffect, useRef } from 'react'
import type { PageAction } from './hits.ts'

const offered = new Set<{ current: readonly PageAction[] }>()

export function useActions(actions: readonly PageAction[]): void {
  const held = useRef(actions)
  held.current = actions
  useEffect(() => {
    offered.add(held)
    return () => {
      offered.delete(held)
    }
  }, [])
}

/** Of everything that is shown now; each does what the page means by it when it is run. */
export const pageActions = (): PageAction[] =>
  [...offered].flatMap(({ current }) => current).map(({ label }) => ({ label, run: () => runAction(label) }))

function runAction(label: string): void {
  const action = [...offered].flatMap(({ current }) => current).find((one) => one.label === label)
  action?.run()
}

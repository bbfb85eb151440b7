/**
 * Lists the actions of a page in the search, for people who do not know the keys. They are removed
 * with the page.
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

/**
 * Returns the actions of everything that is shown now. Each looks up its function by label when it
 * runs, so it uses the page's newest one.
 */
export const pageActions = (): PageAction[] =>
  [...offered].flatMap(({ current }) => current).map(({ label }) => ({ label, run: () => runAction(label) }))

function runAction(label: string): void {
  const action = [...offered].flatMap(({ current }) => current).find((one) => one.label === label)
  action?.run()
}

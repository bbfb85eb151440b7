/**
 * A list of rows that are links. A long one draws only what can be seen, within the page's own
 * scrolling (LongRows.tsx, loaded for it); `j`, `k` and Enter walk it.
 * Rows keep their place while they change: the list's order is its caller's.
 */
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { lazyPart } from './part.ts'
import classes from './Rows.module.css'
import { useSteps } from './steps.ts'

export interface RowsProps<Item> {
  label: string
  items: readonly Item[]
  idOf: (item: Item) => string
  /** Height of a row, px: all are of the same. On a narrow screen `narrowHeight`. */
  height?: number
  narrowHeight?: number
  /** One row: a single Link with the class `row` of this module's `rowClass`. */
  children: (item: Item) => ReactNode
}

/** For the link that a row is. */
export const rowClass = classes.row

const NARROW = '(max-width: 899px)'

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches)
  useEffect(() => {
    const query = matchMedia(NARROW)
    const onChange = (): void => setNarrow(query.matches)
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [])
  return narrow
}

/** So many are drawn without asking which of them can be seen. */
const AT_ONCE = 60

const LongRows = lazyPart(async () => (await import('./LongRows.tsx')).LongRows)

export function Rows<Item>({ label, items, idOf, height = 44, narrowHeight = 64, children }: RowsProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const size = useNarrow() ? narrowHeight : height
  useSteps(list, `.${classes.row}`)

  const row = (index: number): ReactNode => {
    const item = items[index]
    if (item === undefined) return null
    return (
      <li
        key={idOf(item)}
        aria-setsize={items.length}
        aria-posinset={index + 1}
        style={{ height: size, transform: `translateY(${index * size}px)` }}
      >
        {children(item)}
      </li>
    )
  }
  const first = items.slice(0, AT_ONCE).map((_, index) => row(index))

  return (
    <ul ref={list} className={classes.list} aria-label={label} style={{ height: items.length * size }}>
      {items.length <= AT_ONCE ? (
        first
      ) : (
        <Suspense fallback={first}>
          <LongRows list={list} count={items.length} size={size} row={row} />
        </Suspense>
      )}
    </ul>
  )
}

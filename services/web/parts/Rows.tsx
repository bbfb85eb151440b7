/**
 * A list of rows that are links. A long list draws only the visible rows, within the page's own
 * scrolling (LongRows.tsx, loaded only then). `j`, `k` and Enter move through it.
 *
 * Rows keep their place while they change: the caller decides the order.
 */
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { lazyPart } from './part.ts'
import classes from './Rows.module.css'
import { useSteps } from './steps.ts'

export interface RowsProps<Item> {
  label: string
  items: readonly Item[]
  idOf: (item: Item) => string
  /** Height of every row in px. On a narrow screen `narrowHeight` applies. */
  height?: number
  narrowHeight?: number
  /** Draws one row: a single Link with the class `rowClass` of this module. */
  children: (item: Item) => ReactNode
}

/** The class of the link that makes up a row. */
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

/** Up to this many rows are all drawn, visible or not. */
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

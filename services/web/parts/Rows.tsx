/**
 * A list of rows that are links. A long one draws only what can be seen, within the page's own
 * scrolling; `j`, `k` and Enter walk it.
 * Rows keep their place while they change: the list's order is its caller's.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
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

export function Rows<Item>({ label, items, idOf, height = 44, narrowHeight = 64, children }: RowsProps<Item>) {
  const list = useRef<HTMLUListElement>(null)
  const [top, setTop] = useState(0)
  const size = useNarrow() ? narrowHeight : height
  useLayoutEffect(() => {
    const found = list.current ? list.current.getBoundingClientRect().top + scrollY : 0
    setTop((before) => (Math.abs(before - found) < 1 ? before : found))
  })
  const virtual = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => size,
    overscan: 12,
    // Rows may come a moment after the scrolling; drawing them within it holds the scrolling up.
    useFlushSync: false,
    scrollMargin: top,
    getItemKey: (index) => {
      const item = items[index]
      return item === undefined ? index : idOf(item)
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size, other places
  useEffect(() => virtual.measure(), [size])

  useSteps(list, `.${classes.row}`)

  return (
    <ul ref={list} className={classes.list} aria-label={label} style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index]
        if (item === undefined) return null
        return (
          <li
            key={key}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            style={{ height: size, transform: `translateY(${start - top}px)` }}
          >
            {children(item)}
          </li>
        )
      })}
    </ul>
  )
}

/**
 * Draws only the visible rows of a long list while the page is scrolled. Only Rows.tsx loads it.
 */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react'

export interface LongRowsProps {
  list: RefObject<HTMLUListElement | null>
  count: number
  /** Height of each row, px. */
  size: number
  /** Draws the row at that index of the list. */
  row: (index: number) => ReactNode
}

export function LongRows({ list, count, size, row }: LongRowsProps) {
  const [top, setTop] = useState(0)
  // Runs after every render, because the content above the list may have grown. Reading the
  // position makes the browser lay out the new rows now. Otherwise the frame that paints them would
  // also lay them out, and would be the longest task.
  useLayoutEffect(() => {
    const found = list.current ? list.current.getBoundingClientRect().top + scrollY : 0
    setTop((before) => (Math.abs(before - found) < 1 ? before : found))
  })
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => size,
    // Every extra row, visible or not, makes each frame of scrolling cost more.
    overscan: 6,
    // Rows may appear a moment after the scrolling. Drawing them synchronously would slow the
    // scrolling down.
    useFlushSync: false,
    scrollMargin: top
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size, other places
  useEffect(() => virtual.measure(), [size])
  return <>{virtual.getVirtualItems().map(({ index }) => row(index))}</>
}

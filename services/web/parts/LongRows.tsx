/** The rows of a long list that can be seen, as the page is scrolled. Only Rows.tsx loads it. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useState } from 'react'

export interface LongRowsProps {
  list: RefObject<HTMLUListElement | null>
  count: number
  /** Height of each row, px. */
  size: number
  /** The row at that place of the list. */
  row: (index: number) => ReactNode
}

export function LongRows({ list, count, size, row }: LongRowsProps) {
  const [top, setTop] = useState(0)
  // With each drawing: what is above may have grown. The question has the browser lay out the new
  // rows now; else the frame, which paints them, would do that too, and be the longest task.
  useLayoutEffect(() => {
    const found = list.current ? list.current.getBoundingClientRect().top + scrollY : 0
    setTop((before) => (Math.abs(before - found) < 1 ? before : found))
  })
  const virtual = useWindowVirtualizer({
    count,
    estimateSize: () => size,
    // Each row, seen or not, makes every frame of scrolling cost more.
    overscan: 6,
    // Rows may come a moment after the scrolling; drawing them within it holds the scrolling up.
    useFlushSync: false,
    scrollMargin: top
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another size, other places
  useEffect(() => virtual.measure(), [size])
  return <>{virtual.getVirtualItems().map(({ index }) => row(index))}</>
}

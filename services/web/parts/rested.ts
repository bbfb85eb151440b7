/**
 * Whether the page rests, which means that nobody is scrolling it. Parts of a row that are not
 * needed while scrolling wait for that, and so do downloads that can come later.
 */
import { useEffect, useState } from 'react'

/** The page rests after this many ms without scrolling. */
const REST_MS = 150
/** At most this many rows are drawn in one task: a longer task would delay the next scroll. */
const AT_ONCE = 4

let scrolledAt = Number.NEGATIVE_INFINITY
const waiting = new Set<() => void>()
let releasing = false

const isResting = (): boolean => performance.now() - scrolledAt >= REST_MS

/** The window of the page, as a source of scroll events. */
export interface Scrolled {
  addEventListener(type: 'scroll', heard: () => void, options: { capture: boolean; passive: boolean }): void
}

/**
 * Starts to listen for scrolling of the page and of everything in it. Called once, before the page
 * is drawn.
 */
export function hearScrolling(page: Scrolled): void {
  const heard = (): void => {
    scrolledAt = performance.now()
  }
  page.addEventListener('scroll', heard, { capture: true, passive: true })
}

async function release(): Promise<void> {
  releasing = true
  while (waiting.size > 0) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, scrolledAt + REST_MS - performance.now())))
    if (!isResting()) continue
    for (const work of [...waiting].slice(0, AT_ONCE)) {
      waiting.delete(work)
      work()
    }
  }
  releasing = false
}

/** Calls `work` once the page rests. Returns a function that cancels it. */
export function onRest(work: () => void): () => void {
  waiting.add(work)
  if (!releasing) void release()
  return () => void waiting.delete(work)
}

/** Turns true when the page first rests, and stays true while the component is mounted. */
export function useRested(): boolean {
  const [rested, setRested] = useState(isResting)
  useEffect(() => (rested ? undefined : onRest(() => setRested(true))), [rested])
  return rested
}

/**
 * Whether the page rests, which means that nobody scrolls it. Parts of a row that are not needed
 * while it is scrolled past wait for that, and so does what can be fetched later.
 */
import { useEffect, useState } from 'react'

/** Nobody has scrolled for so long, ms. */
const REST_MS = 150
/** At most this many rows are drawn in one task: a longer one would delay the next scroll. */
const AT_ONCE = 4

let scrolledAt = Number.NEGATIVE_INFINITY
const waiting = new Set<() => void>()
let releasing = false

const isResting = (): boolean => performance.now() - scrolledAt >= REST_MS

/** What can be listened to: the window of the page. */
export interface Scrolled {
  addEventListener(type: 'scroll', heard: () => void, options: { capture: boolean; passive: boolean }): void
}

/** Called once, before the page is drawn: hears when it, or anything in it, is scrolled. */
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

/** Calls `work` once the page rests. Returns what prevents it. */
export function onRest(work: () => void): () => void {
  waiting.add(work)
  if (!releasing) void release()
  return () => void waiting.delete(work)
}

/** True from the first moment on at which the page rests, for as long as the part is there. */
export function useRested(): boolean {
  const [rested, setRested] = useState(isResting)
  useEffect(() => (rested ? undefined : onRest(() => setRested(true))), [rested])
  return rested
}

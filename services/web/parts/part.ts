/**
 * Parts of the dashboard that load when they are first shown. One that cannot be loaded, for there
 * is no network or a newer version has replaced it, breaks nothing around it.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { mendStyles } from './mend-styles.ts'
import { tellMissing } from './tell.ts'

/** A part that did not load; its message is the browser's. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'
}

/**
 * For a page: the router must not load the document again by itself, which without a network ends
 * on the browser's own error page.
 */
export const missing = (cause: unknown): never => {
  throw new MissingPart(cause instanceof Error ? cause.message : String(cause), { cause })
}

const AGAIN_MS = 5_000
/** With a network; without one nothing is tried. */
const MAX_TRIES = 24

/** Over as soon as there is a network again, or after a while with one. */
const pause = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setInterval(() => navigator.onLine && over(), AGAIN_MS)
    function over(): void {
      clearInterval(timer)
      removeEventListener('online', over)
      resolve()
    }
    addEventListener('online', over)
  })

const AFTER_FIRST_LOOK_MS = 1_000

/**
 * As React's lazy, for a part of a page or a dialog. The person is told when it does not load, and
 * it appears when it does: what stands around it, and what was typed there, stays.
 */
export const lazyPart = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => {
    for (let tries = 1; ; tries++) {
      try {
        return { default: await load() }
      } catch (error) {
        if (tries === 1) tellMissing()
        if (tries > MAX_TRIES) throw new MissingPart('This part of the page did not load', { cause: error })
      }
      await pause()
      mendStyles()
    }
  })

/** For what stands below the fold: the first look at a page does not share the way with it. */
export const latePart = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazyPart(async () => {
    await new Promise((resolve) => setTimeout(resolve, AFTER_FIRST_LOOK_MS))
    return load()
  })

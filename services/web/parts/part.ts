/**
 * Parts of the dashboard that load when they are first shown. If a part cannot be loaded, because
 * there is no network or a newer version has replaced it, nothing around it breaks.
 */
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { mendStyles } from './mend-styles.ts'
import { tellMissing } from './tell.ts'

/** The error of a part that did not load. The message is the browser's. */
export class MissingPart extends Error {
  override readonly name = 'MissingPart'
}

const AGAIN_MS = 5_000
/** Counts tries with a network. Without a network nothing is tried. */
const MAX_TRIES = 24

/** Resolves as soon as the network is back, or after a while if there is one. */
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

/**
 * Returns what loads a part at the first sign that it is wanted. If that fails, it loads when it is
 * shown. Without a network nothing is loaded ahead: Chromium 153 and older never ask again for a
 * module that failed once.
 */
export const loadAhead =
  (load: () => Promise<unknown>): (() => void) =>
  () => {
    if (navigator.onLine) load().catch(() => undefined)
  }

const AFTER_FIRST_LOOK_MS = 1_000

/**
 * Like React's lazy, for a part of a page or a dialog. If it does not load, the person is told, and
 * it appears once it does. Everything around it stays, including what was typed there.
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

/**
 * For parts below the fold: they load later, so that they do not compete with the first view for
 * bandwidth.
 */
export const latePart = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazyPart(async () => {
    await new Promise((resolve) => setTimeout(resolve, AFTER_FIRST_LOOK_MS))
    return load()
  })

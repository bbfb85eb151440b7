/**
 * Pages of the dashboard that load when they are first opened. The router begins to load a page as
 * soon as the pointer is on a link to it.
 */
import type { RouteComponent } from '@tanstack/react-router'
import { type ComponentType, createElement, use } from 'react'
import { MissingPart } from './part.ts'

interface Attempt {
  page: Promise<ComponentType>
  failed: boolean
}

/**
 * Returns the component of a route whose page is the export `name` of a module. If the module does
 * not load, the page throws a MissingPart, which Broken.tsx shows. The router's own
 * `lazyRouteComponent` is not used, because it reloads the document: without a network that ends on
 * the browser's own error page.
 */
export function lazyPage<Module extends object>(load: () => Promise<Module>, name: keyof Module & string): RouteComponent {
  let loaded: ComponentType | null = null
  let attempt: Attempt | null = null

  function begin(): Attempt {
    const begun: Attempt = {
      failed: false,
      page: load().then(
        (module) => {
          // The type of a page depends on the type of the router, which would depend on the page.
          loaded = module[name] as ComponentType
          return loaded
        },
        (cause: unknown) => {
          begun.failed = true
          throw new MissingPart(cause instanceof Error ? cause.message : String(cause), { cause })
        }
      )
    }
    return begun
  }

  function Page() {
    if (loaded) return createElement(loaded)
    attempt ??= begin()
    return createElement(use(attempt.page))
  }

  /**
   * A page that could not be loaded ahead is loaded again when it is opened. Without a network
   * nothing is loaded ahead: Chromium 153 and older never ask again for a module that failed once.
   */
  async function preload(): Promise<void> {
    if (loaded || !navigator.onLine) return
    const begun = attempt && !attempt.failed ? attempt : begin()
    attempt = begun
    await begun.page.catch(() => {
      if (attempt === begun) attempt = null
    })
  }

  return Object.assign(Page, { preload })
}

/** Gives each file that several.ts runs a `t` of its own (own-test.ts) where it imports tap. */
import type { InitializeHook, ResolveHook } from 'node:module'

let files = new Set<string>()

export const initialize: InitializeHook<string[]> = (urls) => {
  files = new Set(urls)
}

export const resolve: ResolveHook = (specifier, context, next) => {
  const { parentURL } = context
  if (specifier !== 'tap' || parentURL === undefined || !files.has(parentURL)) return next(specifier, context)
  const { href } = new URL(`./own-test.js?of=${encodeURIComponent(parentURL)}`, import.meta.url)
  return { url: href, format: 'module', shortCircuit: true }
}

/**
 * Measures what a first load costs on the wire with brotli: from the build's manifest, and in a
 * browser.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'

/** Limit for every page, with the font: 200 KB (docs/design/ui.md#principle-7). */
export const MAX_FIRST_LOAD_BYTES = 200_000
/**
 * Limit in a browser until the page is shown. By then, parts that follow at once have been
 * requested, too.
 */
export const MAX_TILL_SHOWN_BYTES = 225_000

/** An entry of Vite's manifest: one script file, and what belongs to it. */
export interface Chunk {
  file: string
  isEntry?: boolean
  /** Keys of chunks that must be loaded before this one runs. */
  imports?: readonly string[]
  css?: readonly string[]
}

export type Manifest = Readonly<Record<string, Chunk>>

/** Maps each module of this project to the file that contains it (services/web/vite.config.ts). */
export type Modules = Readonly<Record<string, string>>

/**
 * Returns the files of the entry and of these modules, with everything that they import statically.
 */
export function filesOf(manifest: Manifest, files: Modules, modules: readonly string[]): Set<string> {
  const keys = Object.keys(manifest)
  const entries = keys.filter((key) => manifest[key]?.isEntry)
  const opened = modules.map((module) => {
    const key = keys.find((one) => manifest[one]?.file === files[module])
    if (key === undefined) throw new Error(`${module} is not in the build`)
    return key
  })
  const seen = new Set<string>()
  const found = new Set<string>()
  const waiting = [...entries, ...opened]
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (seen.has(key)) continue
    seen.add(key)
    const chunk = manifest[key]
    if (!chunk) throw new Error(`${key} is not in the manifest`)
    found.add(chunk.file)
    for (const file of chunk.css ?? []) found.add(file)
    waiting.push(...(chunk.imports ?? []))
  }
  return found
}

/** Returns the bytes of a built file as the api sends it to a browser that accepts brotli. */
export function bytesOf(built: string, file: string): number {
  const path = join(built, file)
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}

/** Returns the files that the document itself requests before any script runs. */
export const askedByDocument = (built: string): string[] =>
  [...readFileSync(join(built, 'index.html'), 'utf8').matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file)

const KINDS = ['document', 'script', 'stylesheet', 'font']

/**
 * Opens `address` anew and waits for `shown`. Returns the compressed bytes of everything requested
 * until then, except data.
 */
export async function weigh(page: Page, address: string, shown: () => Promise<unknown>): Promise<number> {
  await page.goto('about:blank') // Ends loading of the page before, so it is not counted.
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  // Routed requests go to the server, not to the browser's cache, so everything is counted.
  await page.route('**/*', (route) => route.continue())
  await page.goto(address)
  await shown()
  page.removeAllListeners('response')
  await page.unroute('**/*')
  const counted = responses.filter((one) => KINDS.includes(one.request().resourceType()))
  const sizes = await Promise.all(
    counted.map(async (one) => {
      const body = await one.body()
      // A font is compressed already, and the document is made anew for each browser.
      return /^(?:document|font)$/.test(one.request().resourceType()) ? body.length : brotliCompressSync(body).length
    })
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

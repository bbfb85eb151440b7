/** What a first load costs on the wire, with brotli: by the build's manifest, and in a browser. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Page, Response } from 'playwright-core'

/** Of every page, with the font: 200 KB (docs/design/ui.md#principle-7). */
export const MAX_FIRST_LOAD_BYTES = 200_000
/** In a browser, till the page is shown: parts that follow at once are asked for by then, too. */
export const MAX_TILL_SHOWN_BYTES = 225_000

/** Of Vite's manifest: one file of script, and what comes with it. */
export interface Chunk {
  file: string
  isEntry?: boolean
  /** Keys of chunks that must be there before it runs. */
  imports?: readonly string[]
  css?: readonly string[]
}

export type Manifest = Readonly<Record<string, Chunk>>

/** In which file each module of ours is (services/web/vite.config.ts). */
export type Modules = Readonly<Record<string, string>>

/** Files of the entry and of these modules, with all that they import at once. */
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

/** Bytes of a file of the build as the api sends it to a browser that takes brotli. */
export function bytesOf(built: string, file: string): number {
  const path = join(built, file)
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size
}

/** Files that the document itself asks for before any script has run. */
export const askedByDocument = (built: string): string[] =>
  [...readFileSync(join(built, 'index.html'), 'utf8').matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file)

const KINDS = ['document', 'script', 'stylesheet', 'font']

/**
 * Opens `address` anew and waits for what `shown` waits for. Bytes, compressed, of everything but
 * data that was asked for till then.
 */
export async function weigh(page: Page, address: string, shown: () => Promise<unknown>): Promise<number> {
  await page.goto('about:blank') // What the page before still loads is not weighed, and is gone.
  const responses: Response[] = []
  page.on('response', (response) => responses.push(response))
  // What is routed comes from the server, not from the browser's cache: all of it is weighed.
  await page.route('**/*', (route) => route.continue())
  await page.goto(address)
  await shown()
  page.removeAllListeners('response')
  await page.unroute('**/*')
  const counted = responses.filter((one) => KINDS.includes(one.request().resourceType()))
  const sizes = await Promise.all(
    counted.map(async (one) => {
      const body = await one.body()
      // A font is compressed as it is, and the document is made anew for each browser.
      return /^(?:document|font)$/.test(one.request().resourceType()) ? body.length : brotliCompressSync(body).length
    })
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

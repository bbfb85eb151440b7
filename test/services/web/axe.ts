/**
 * axe-core in the pages of a browser. Its text is sent once for each browser context; each document
 * has it as a string from its beginning, and reads it as a program when it is first looked at. To
 * send it to each document takes twice as much of a processor.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

const require = createRequire(import.meta.url)
const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** With a single letter beyond Latin-1 a string takes twice its room. */
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

const CARRIES_AXE = `globalThis.axeSource = ${escaped(source)}`

/** What is told of. */
const TOLD = ['serious', 'critical']

interface AxeRule {
  id: string
  /** Of everything that it finds. */
  impact: string | null
}

/** Rules that can find nothing that is told of: they need not run. */
const untold = (require('axe-core') as { _audit: { rules: AxeRule[] } })._audit.rules.filter(
  ({ impact }) => impact !== null && !TOLD.includes(impact)
)
const axeOptions = {
  // What passes is not written up.
  resultTypes: ['violations'],
  rules: Object.fromEntries(untold.map(({ id }) => [id, { enabled: false }]))
}

/** The rules whose answer depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Looks at a part of the page by all rules. Where the last look found nothing, and nothing has
 * changed since but the scheme, it looks by the rules of colours: the others read what is written
 * in the page, and the room that it takes. The page's own scripts may not call `eval`; what comes
 * by the debugger may.
 */
const JUDGE = `(async (place) => {
  if (!('axe' in globalThis)) (0, eval)(axeSource)
  const written = document.documentElement.outerHTML.replace(/ data-mantine-color-scheme="\\w+"/, '')
  const looked = [place, innerWidth, written].join(' ')
  const options = ${JSON.stringify(axeOptions)}
  const rules = globalThis.looked === looked ? { runOnly: ${JSON.stringify(colourRules)} } : {}
  const { violations } = await axe.run(place, { ...options, ...rules })
  globalThis.looked = violations.length === 0 ? looked : null
  return violations
})`

/** For documents that the context opens from now on. */
export const carryAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(CARRIES_AXE)

/** All that axe-core finds in what matches `within`. */
export const judged = (page: Page, within: string): Promise<Result[]> => page.evaluate<Result[]>(`${JUDGE}(${JSON.stringify(within)})`)

/** Serious and critical findings, a line each. */
export const toldOf = (violations: readonly Result[]): string[] =>
  violations
    .filter(({ impact }) => TOLD.includes(String(impact)))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`))

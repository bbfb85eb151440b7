/**
 * Runs axe-core in the pages of a browser. Its source is sent once for each browser context. Each
 * document holds it as a string from the start, and evaluates it when it is first examined. Sending
 * it to each document would take twice as much CPU time.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'

const require = createRequire(import.meta.url)
const source = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Escapes characters beyond ASCII: a single one beyond Latin-1 doubles the memory that a string
 * takes.
 */
const escaped = (text: string): string =>
  JSON.stringify(text).replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

const CARRIES_AXE = `globalThis.axeSource = ${escaped(source)}`

/** Impacts of the findings that are reported. */
const TOLD = ['serious', 'critical']

interface AxeRule {
  id: string
  /** The impact of all of the rule's findings. */
  impact: string | null
}

/** Rules whose findings are never reported, so they need not run. */
const untold = (require('axe-core') as { _audit: { rules: AxeRule[] } })._audit.rules.filter(
  ({ impact }) => impact !== null && !TOLD.includes(impact)
)
const axeOptions = {
  // Results that pass are not written out.
  resultTypes: ['violations'],
  rules: Object.fromEntries(untold.map(({ id }) => [id, { enabled: false }]))
}

/** Rules whose result depends on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Examines a part of the page with all rules. If the last examination found nothing and only the
 * colour scheme has changed since, it runs only the colour rules: the other rules depend on the
 * content of the page and its layout. The page's own scripts may not call `eval`; code that comes
 * through the debugger may.
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

/** Adds axe-core to documents that the context opens from now on. */
export const carryAxe = (context: BrowserContext): Promise<unknown> => context.addInitScript(CARRIES_AXE)

/** Returns everything that axe-core finds in the elements that match `within`. */
export const judged = (page: Page, within: string): Promise<Result[]> => page.evaluate<Result[]>(`${JUDGE}(${JSON.stringify(within)})`)

/** Returns serious and critical findings, one line each. */
export const toldOf = (violations: readonly Result[]): string[] =>
  violations
    .filter(({ impact }) => TOLD.includes(String(impact)))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`))

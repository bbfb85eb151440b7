/** Loads the cases of all types of check, and makes the table of them for the documents. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Marks } from '../../../schemas/generate/marked.ts'
import { failureReasons } from '../../../schemas/http/check-config.ts'
import { checkTypes, type MonitorType } from '../../../schemas/http/check-types/index.ts'
import type { Case, TypeCases } from './types/cases.ts'

export const CHECKS_PAGE = 'docs/checks.md'
export const CHECKS_MARKS: Marks = {
  begin: '<!-- Written by `npm run checks -- --write` from test/services/prober/types. Never edited by hand. -->',
  end: '<!-- End of what is generated. -->'
}

export interface Ran {
  type: MonitorType
  against: string
  cases: readonly Case[]
}

/**
 * Returns the cases of a type, or null. Their file is in the folder beside this one, compiled or
 * not.
 */
export async function casesOf(type: MonitorType): Promise<TypeCases | null> {
  const url = new URL(`./types/${type}${import.meta.url.slice(-3)}`, import.meta.url)
  if (!existsSync(fileURLToPath(url))) return null
  const { cases } = (await import(url.href)) as { cases: TypeCases }
  return cases
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** Returns a table with a row for each type: its target, and the results of its cases. */
export function tableOf(ran: readonly Ran[]): string {
  const rows = ran.map(({ type, against, cases }) => {
    const given = new Set<string>(cases.map(({ gives }) => gives))
    const reasons = failureReasons.filter((reason) => given.has(reason)).map((reason) => `\`${reason}\``)
    const count = (word: string): string => String(cases.filter(({ gives }) => gives === word).length)
    return line([`\`${type}\``, checkTypes[type].label, against, count('success'), count('degraded'), reasons.join(' ')])
  })
  return [
    line(['Type', 'Is', 'Tested against', 'Good', 'Degraded', 'Reasons to fail']),
    line(['---', '---', '---', '---', '---', '---']),
    ...rows
  ].join('\n')
}

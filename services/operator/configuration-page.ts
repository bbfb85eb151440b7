/**
 * Writes the tables of docs/configuration.md from the declarations of the variables. The text
 * outside of the two markers is written by hand.
 */
import { type Marks, withMarked } from '../../schemas/generate/marked.ts'
import { beginnings, everyRole, type Variable, type Variables } from '../process/environment.ts'

const MARKS: Marks = {
  begin: '<!-- Written by `npm run generate` from the tables of variables. Never edited by hand. -->',
  end: '<!-- End of what is generated. -->'
}

export interface Section {
  title: string
  variables: Variables
}

const code = (text: string): string => `\`${text}\``
/** Ports, which have no unit, are written without commas. */
const figure = (value: number, unit: string | undefined): string => (unit === undefined ? String(value) : value.toLocaleString('en-US'))

function defaultOf(variable: Variable): string {
  if (variable.kind === 'integer') return [figure(variable.fallback, variable.unit), variable.unit].filter(Boolean).join(' ')
  if (variable.fallback === undefined) return 'required'
  return variable.fallback === '' ? 'none' : code(variable.fallback)
}

function bounds(variable: Variable): string {
  if (variable.kind === 'integer') return [variable.min, variable.max].map((value) => figure(value, variable.unit)).join(' to ')
  if (variable.kind === 'choice') return variable.of.map(code).join(', ')
  if (variable.kind === 'url' || variable.kind === 'urls') return beginnings(variable.protocols)
  if (variable.kind === 'brokers') return 'host:port'
  if (variable.rule) return variable.rule.expected
  return variable.kind === 'folder' ? 'folder' : variable.kind === 'list' ? 'list' : 'text'
}

const fromFile = ({ kind }: Variable): string => (kind === 'integer' || kind === 'choice' ? 'no' : 'yes')

function readersOf({ readers }: Variable): string {
  if (everyRole.every((role) => readers.includes(role))) return 'every role'
  return readers
    .map((reader) => code(everyRole.some((role) => role === reader) ? reader : `npm ${reader === 'start' ? '' : 'run '}${reader}`))
    .join(', ')
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function table({ title, variables }: Section): string {
  const head = ['variable', 'default', 'allowed', '`_FILE`', 'read by', 'what it does']
  const rows = Object.values(variables).map((variable) => [
    code(variable.name),
    defaultOf(variable),
    bounds(variable),
    fromFile(variable),
    readersOf(variable),
    variable.says
  ])
  return [`## ${title}`, '', row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

/**
 * Returns the page with the tables of `sections`. Throws when `page` does not have the two markers
 * in this order.
 */
export const withTables = (page: string, sections: readonly Section[]): string =>
  withMarked('docs/configuration.md', page, MARKS, sections.map(table).join('\n\n'))

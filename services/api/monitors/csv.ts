/**
 * Reads a CSV table (RFC 4180) of monitors as bodies that create a monitor. Pure. Values are
 * separated by a comma, or by what spreadsheets of other countries write: a semicolon or a tab,
 * whichever the line of names uses. An empty value means that the field is not given.
 * Source: docs/design/api/monitors.md#mo-14.
 */
import { type CsvColumn, csvColumns } from '../../../schemas/http/many-monitors.ts'
import { invalid } from '../http/errors.ts'

/**
 * Reads a value of a column. A value that cannot be read stays text, and is then refused as text.
 */
type Reader = (text: string) => unknown

const asText: Reader = (text) => text
const asNumber: Reader = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
const flags: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false]
])
const asFlag: Reader = (text) => flags.get(text.toLowerCase()) ?? text

const partsOf = (text: string): string[] =>
  text
    .split(/[;|\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

const asList: Reader = (text) => partsOf(text)
const asNumbers: Reader = (text) => partsOf(text).map(asNumber)

/** `team=web;env=prod`. */
const asPairs: Reader = (text) => {
  const pairs = partsOf(text).map((part): [string, string] => {
    const at = part.indexOf('=')
    return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
  })
  return Object.fromEntries(pairs)
}

const asJson: Reader = (text) => {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}

const readers: Readonly<Partial<Record<CsvColumn, Reader>>> = {
  interval_seconds: asNumber,
  timeout_seconds: asNumber,
  degraded_after_ms: asNumber,
  regions: asList,
  tags: asList,
  labels: asPairs,
  open_on_degraded: asFlag,
  tls_expiry_days: asNumbers,
  config: asJson,
  assertions: asJson,
  confirmation: asJson,
  retry: asJson
}

const columnOf = (name: string): CsvColumn | undefined => csvColumns.find((one) => one === name)

const separators = [',', ';', '\t'] as const

/** Returns the separator that occurs most in the first line, outside quotes. */
function separatorOf(text: string): string {
  const line = (/^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0] ?? '').replace(/"(?:[^"]|"")*"/g, '')
  const counts = separators.map((one) => line.split(one).length)
  return separators[counts.indexOf(Math.max(...counts))] ?? ','
}

/**
 * Returns records of values with the quotes removed. An empty line is no record. Throws
 * VALIDATION_FAILED if a quote is not closed.
 */
export function recordsOf(text: string): string[][] {
  const source = text.replace(/^\ufeff/, '')
  const separator = separatorOf(source)
  const records: string[][] = []
  let record: string[] = []
  let value = ''
  let quoted = false
  const endRecord = (): void => {
    record.push(value)
    if (record.length > 1 || value.trim() !== '') records.push(record)
    record = []
    value = ''
  }
  for (let at = 0; at < source.length; at++) {
    const char = source.charAt(at)
    if (quoted) {
      if (char !== '"') value += char
      else if (source.charAt(at + 1) === '"') {
        value += '"'
        at++
      } else quoted = false
    } else if (char === '"' && value === '') quoted = true
    else if (char === separator) {
      record.push(value)
      value = ''
    } else if (char === '\n') endRecord()
    else if (char !== '\r') value += char
  }
  if (quoted) throw invalid('content', 'pattern', 'has a quotation mark that is not closed')
  endRecord()
  return records
}

/** Throws VALIDATION_FAILED if the line of names has an unknown name. */
export function definitionsOfCsv(text: string): Record<string, unknown>[] {
  const [names = [], ...records] = recordsOf(text)
  const columns = names.map((name) => name.trim().toLowerCase())
  const known = `; there are ${csvColumns.join(', ')}`
  const strange = columns.filter((name) => !columnOf(name))
  if (strange.length > 0)
    throw invalid('content', 'unknown_field', `names columns that are no field: ${strange.slice(0, 10).join(', ')}${known}`)
  if (!columns.includes('name')) throw invalid('content', 'required', `needs a first line with the names of the fields${known}`)
  if (new Set(columns).size < columns.length) throw invalid('content', 'duplicate', 'names a column twice')
  return records.map((record) => {
    const fields = columns.flatMap((name, nth): [string, unknown][] => {
      const value = (record[nth] ?? '').trim()
      const column = columnOf(name)
      return value === '' || !column ? [] : [[column, (readers[column] ?? asText)(value)]]
    })
    return Object.fromEntries(fields)
  })
}

/**
 * Reads the fields of a kind of channel from its JSON Schema and builds the config that a form
 * sends. Pure.
 */
import { MASK } from '../../../../schemas/http/check-words.ts'
import { ownZone } from '../../parts/clock.ts'
import { fieldOf, ofField } from '../../parts/zone-times.ts'

export const fieldTypes = ['text', 'lines', 'secret', 'number', 'choice', 'yes_no', 'time', 'list', 'pairs', 'map'] as const
export type FieldType = (typeof fieldTypes)[number]

export interface ConfigField {
  name: string
  label: string
  hint: string | undefined
  type: FieldType
  choices: readonly string[]
  required: boolean
  /** For pairs: their values are secret and are not shown again. */
  secretValues: boolean
  /** The most entries of a list or of pairs. */
  most: number
}

export interface NamedValue {
  name: string
  value: string
}

export type Config = Readonly<Record<string, unknown>>
type Schema = Readonly<Record<string, unknown>>

const MOST = 50
/**
 * A text field that allows more characters than this gets several lines, for example a certificate.
 */
const ONE_LINE = 10_000

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const schemaOf = (value: unknown): Schema => (isSchema(value) ? value : {})
const wordOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function choicesOf({ enum: words, anyOf }: Schema): string[] {
  const offered = Array.isArray(words) ? words : Array.isArray(anyOf) ? anyOf.map((one) => schemaOf(one).const) : []
  return offered.filter((one): one is string => typeof one === 'string')
}

function typeOf(schema: Schema): FieldType | null {
  if (choicesOf(schema).length > 0) return 'choice'
  // A type list with `null` is a setting that null resets to its default. Only the other type
  // counts.
  switch (Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type) {
    case 'boolean':
      return 'yes_no'
    case 'number':
    case 'integer':
      return 'number'
    case 'string':
      return schema.writeOnly === true
        ? 'secret'
        : schema.format === 'date-time'
          ? 'time'
          : Number(schema.maxLength) <= ONE_LINE || schema.maxLength === undefined
            ? 'text'
            : 'lines'
    case 'array':
      return 'value' in schemaOf(schemaOf(schema.items).properties) ? 'pairs' : schemaOf(schema.items).type === 'string' ? 'list' : null
    case 'object':
      return 'map'
    default:
      return null
  }
}

export function configFields({ properties, required }: Schema): ConfigField[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(schemaOf(properties)).flatMap(([name, found]) => {
    const schema = schemaOf(found)
    const type = typeOf(schema)
    if (type === null) return []
    const values = schemaOf(schemaOf(schemaOf(schema.items).properties).value)
    const most = schema.maxItems ?? schema.maxProperties
    return [
      {
        name,
        label: wordOf(schema.title) ?? name,
        hint: wordOf(schema.description),
        type,
        choices: choicesOf(schema),
        required: needed.includes(name),
        secretValues: values.writeOnly === true,
        most: typeof most === 'number' ? most : MOST
      }
    ]
  })
}

/** True when the value is a stored secret that nobody has replaced. */
export const isKept = (value: unknown): boolean => value === MASK

export const namedValues = (value: unknown): NamedValue[] =>
  Array.isArray(value)
    ? value.flatMap((one) => {
        const { name, value: of } = schemaOf(one)
        return typeof name === 'string' ? [{ name, value: typeof of === 'string' ? of : '' }] : []
      })
    : Object.entries(schemaOf(value)).map(([name, of]) => ({ name, value: String(of) }))

export const wordsIn = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

/**
 * Whether the form shows a field. The time at which an old secret ends is shown only while a secret
 * is being replaced. `before` is null for a new channel.
 */
export function isShown(field: ConfigField, fields: readonly ConfigField[], before: Config | null, config: Config): boolean {
  if (field.type !== 'time') return true
  if (before === null) return false
  const replaces = fields.some(
    ({ type, name }) => type === 'secret' && isKept(before[name]) && !isKept(config[name]) && config[name] !== undefined
  )
  return replaces || typeof before[field.name] === 'string'
}

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/**
 * Returns the config to send. A removed value is null in a change, and is left out of a new
 * channel.
 */
export function sentConfig(fields: readonly ConfigField[], before: Config | null, config: Config): Record<string, unknown> {
  const sent: Record<string, unknown> = {}
  for (const { name, type } of fields) {
    const value = config[name]
    if (type === 'pairs') sent[name] = namedValues(value).filter((pair) => pair.name.trim() !== '')
    else if (type === 'map' && !isEmpty(value)) sent[name] = value
    else if (!isEmpty(value)) sent[name] = value
    else if (before !== null && !isEmpty(before[name])) sent[name] = null
    const none = (type === 'pairs' || type === 'list') && Array.isArray(sent[name]) && sent[name].length === 0
    if (none && (before === null || isEmpty(before[name]))) delete sent[name]
  }
  return sent
}

/**
 * Converts the value of a `datetime-local` field in the person's zone to an instant. Null when
 * there is none.
 */
export function instantOf(local: string): string | null {
  const at = ofField(ownZone(), local)
  return at === null ? null : new Date(at).toISOString()
}

export function localOf(instant: unknown): string {
  if (typeof instant !== 'string' || Number.isNaN(Date.parse(instant))) return ''
  return fieldOf(ownZone(), Date.parse(instant))
}

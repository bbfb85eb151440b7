/**
 * Describes JSON Schema in words, as far as the OpenAPI document uses it: types, limits, and the
 * fields of objects as rows of a table.
 */
import { type Html, html } from './html.ts'
import { renderLine } from './markdown.ts'

export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  required?: string[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  default?: unknown
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  uniqueItems?: boolean
}

/** Follows a reference to the schema that it names. */
export type Resolve = (schema: Schema) => Schema

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : [type].flat())

/** Names a type, such as `string (uuid) or null` or `list of integer`. */
export function typeText(schema: Schema, resolve: Resolve): string {
  const { anyOf, items, format } = schema
  if (anyOf) return [...new Set(anyOf.map((one) => typeText(resolve(one), resolve)))].join(' or ')
  const words = typesOf(schema).map((type) => {
    if (type === 'array') return `list of ${items ? typeText(resolve(items), resolve) : 'anything'}`
    return type === 'string' && format ? `string (${format})` : type
  })
  return words.join(' or ') || 'anything'
}

const span = (least: number | undefined, most: number | undefined, unit: string): string | null => {
  if (least === undefined && most === undefined) return null
  if (most === undefined) return `at least ${least}${unit}`
  return least === undefined ? `at most ${most}${unit}` : least === most ? `${most}${unit}` : `${least} to ${most}${unit}`
}

const code = (value: unknown): Html => html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`
const list = (values: readonly unknown[]): Html => html`${values.map((value, at) => [at === 0 ? null : ', ', code(value)])}`

/** What a value must be beyond its type, and the default for an absent value. */
function limitsOf(schema: Schema, resolve: Resolve): Html[] {
  const { items, exclusiveMinimum, exclusiveMaximum, propertyNames } = schema
  const inner = items && resolve(items)
  const own: (string | Html | null)[] = [
    schema.enum ? html`one of ${list(schema.enum)}` : null,
    span(schema.minLength, schema.maxLength, ' characters'),
    span(schema.minimum, schema.maximum, ''),
    exclusiveMinimum === undefined ? null : `more than ${exclusiveMinimum}`,
    exclusiveMaximum === undefined ? null : `less than ${exclusiveMaximum}`,
    span(schema.minItems, schema.maxItems, ' items'),
    schema.uniqueItems ? 'no item twice' : null,
    span(undefined, schema.maxProperties, ' entries'),
    propertyNames?.pattern ? html`names match ${code(propertyNames.pattern)}` : null,
    schema.pattern ? html`matches ${code(schema.pattern)}` : null,
    schema.default === undefined ? null : html`default ${code(schema.default)}`
  ]
  const ofItems = inner && !inner.properties ? limitsOf(inner, resolve).map((limit) => html`each: ${limit}`) : []
  return [...own.flatMap((limit) => (limit === null ? [] : [limit instanceof Object ? limit : html`${limit}`])), ...ofItems]
}

/** Says what a field is for, with its limits below that. */
export function whatOf(description: string | undefined, schema: Schema, resolve: Resolve): Html {
  const limits = limitsOf(schema, resolve)
  const shown = html`<span class="limits">${limits.map((limit, at) => html`${at === 0 ? '' : '; '}${limit}`)}</span>`
  return html`${description ? renderLine(description) : null}${limits.length > 0 ? shown : null}`
}

/** Deeper levels are not shown: no schema of this API is so deep. */
const DEEPEST = 8

/** Name of the field that stands for entries of any name. */
const ANY_NAME = '<name>'

function fieldsOf(schema: Schema, resolve: Resolve): [name: string, field: Schema, required: boolean][] {
  const { properties = {}, patternProperties = {}, additionalProperties, required = [], anyOf = [] } = schema
  const named = Object.entries(properties).map(([name, field]): [string, Schema, boolean] => [name, field, required.includes(name)])
  const others = [...Object.values(patternProperties), ...(typeof additionalProperties === 'object' ? [additionalProperties] : [])]
  const branches = anyOf.flatMap((one) => fieldsOf(resolve(one), resolve))
  return [
    ...named,
    ...others.filter((one) => Object.keys(one).length > 0).map((one): [string, Schema, boolean] => [ANY_NAME, one, false]),
    ...branches
  ]
}

function rows(schema: Schema, resolve: Resolve, depth: number): Html[] {
  if (depth > DEEPEST) return []
  return fieldsOf(schema, resolve).flatMap(([name, unresolved, required]) => {
    const field = resolve(unresolved)
    const inner = typesOf(field).includes('array') && field.items ? resolve(field.items) : field
    const described = field.description ?? (inner === field ? undefined : inner.description)
    return [
      html`<tr class="depth-${depth}"><th scope="row"><code>${name}</code>${required ? html` <small>required</small>` : null}</th>
<td>${typeText(field, resolve)}</td>
<td>${whatOf(described, field, resolve)}</td></tr>\n`,
      ...rows(inner, resolve, depth + 1)
    ]
  })
}

/**
 * Tables the fields of an object, with those of nested objects indented below them; null where it
 * has no fields. `caption` is for people who do not see the page.
 */
export function fieldTable(schema: Schema, resolve: Resolve, caption: string): Html | null {
  const lines = rows(schema, resolve, 0)
  if (lines.length === 0) return null
  return html`<div class="wide" tabindex="0" role="group" aria-label="${caption}"><table class="fields"><caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What</th></tr></thead>
<tbody>
${lines}</tbody></table></div>`
}

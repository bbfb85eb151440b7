/**
 * Requests against their TypeBox schemas. Bodies are taken as they are: no conversion, no defaults written in, unknown fields refused where the schema
 * closes the object. Query values are text, so they become numbers, booleans and lists by what the schema expects.
 * Details name each fault as {path, rule, message, limit?, actual?}, with the rules of api-design.md 20.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import type { ErrorDetail } from '../../schemas/http/common.ts'

export class RequestInvalid extends Error {
  override readonly name = 'RequestInvalid'
  readonly part: string
  readonly details: ErrorDetail[]

  constructor(part: string, details: ErrorDetail[]) {
    super('The request is not valid')
    this.part = part
    this.details = details
  }
}

/** `/alerts/0/title` → `alerts[0].title`. */
const dotted = (pointer: string, last?: string): string =>
  [...pointer.split('/').slice(1), ...(last === undefined ? [] : [last])]
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')

function valueAt(value: unknown, pointer: string): unknown {
  let at = value
  for (const part of pointer.split('/').slice(1)) {
    if (at === null || typeof at !== 'object') return undefined
    at = Reflect.get(at, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return at
}

const length = (value: unknown): number =>
  typeof value === 'string' ? [...value].length : Array.isArray(value) ? value.length : Object.keys(Object(value)).length

function detailsOf(error: TLocalizedValidationError, value: unknown): ErrorDetail[] {
  const path = dotted(error.instancePath)
  const here = () => valueAt(value, error.instancePath)
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((name) => ({
        path: dotted(error.instancePath, name),
        rule: 'required',
        message: 'is required'
      }))
    case 'boolean':
      // A name that a closed object does not have.
      return [{ path, rule: 'unknown_field', message: 'is not a field here' }]
    case 'additionalProperties':
    case 'propertyNames':
      return [] // The faults of the names and values themselves are told.
    case 'type':
      return [{ path, rule: 'type', message: `has to be ${[error.params.type].flat().join(' or ')}` }]
    case 'enum':
      return [{ path, rule: 'enum', message: `has to be one of ${error.params.allowedValues.map(String).join(', ')}` }]
    case 'minimum':
    case 'exclusiveMinimum':
      return [
        {
          path,
          rule: 'min',
          message: `has to be at least ${error.params.limit}`,
          limit: Number(error.params.limit),
          actual: Number(here())
        }
      ]
    case 'maximum':
    case 'exclusiveMaximum':
      return [
        { path, rule: 'max', message: `has to be at most ${error.params.limit}`, limit: Number(error.params.limit), actual: Number(here()) }
      ]
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return [
        { path, rule: 'length', message: `has to have at least ${error.params.limit}`, limit: error.params.limit, actual: length(here()) }
      ]
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return [
        { path, rule: 'length', message: `has to have at most ${error.params.limit}`, limit: error.params.limit, actual: length(here()) }
      ]
    case 'format':
      return [{ path, rule: 'pattern', message: `has to be a ${error.params.format}` }]
    default:
      return [{ path, rule: 'pattern', message: error.message }]
  }
}

interface Shape {
  type?: string | string[]
  properties?: Record<string, Shape>
  items?: Shape
}

function fromText(text: string, shape: Shape): unknown {
  const types = [shape.type].flat()
  if (types.includes('integer') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (types.includes('number') && /^-?\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** Repeated and comma-separated values of a list come to the same. */
function queryValue(value: unknown, shape: Shape): unknown {
  if (shape.type === 'array') {
    const { items = {} } = shape
    return [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',').map((text) => fromText(text, items)) : [part]))
  }
  return typeof value === 'string' ? fromText(value, shape) : value
}

function convertQuery(query: unknown, shape: Shape): Record<string, unknown> {
  const converted: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(Object(query))) converted[name] = queryValue(value, shape.properties?.[name] ?? {})
  return converted
}

export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const validator = Compile(schema)
  return (given: unknown) => {
    const value = httpPart === 'querystring' ? convertQuery(given, schema as Shape) : given
    if (validator.Check(value)) return { value }
    const details = validator.Errors(value).flatMap((error) => detailsOf(error, value))
    return { error: new RequestInvalid(httpPart, details) }
  }
}

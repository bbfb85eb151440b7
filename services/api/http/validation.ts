/**
 * Validates requests against their TypeBox schemas. Bodies are taken as they are: no conversion, no
 * defaults written in, and unknown fields are refused where the schema closes the object. Query
 * values are text, so they become numbers, booleans and lists as the schema expects. Details name
 * each fault (schemas/http/faults.ts).
 */

import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import type { ErrorDetail } from '../../../schemas/http/common.ts'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { illFormedIn } from './ill-formed.ts'

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

/** Repeated values and comma-separated values of a list mean the same. */
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

// JavaScript knows no leap second: Date.parse gives NaN, with which every comparison is false.
Format.Set('date-time', (value) => Format.IsDateTime(value) && !Number.isNaN(Date.parse(value)))

/**
 * Compiles a schema when the first request needs it. There are hundreds, and a start must not wait
 * for all of them.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  let compiled: ReturnType<typeof Compile<TSchema>> | undefined
  return (given: unknown) => {
    // Bodies are checked in plugins/body.ts, because they may be large.
    const faults = httpPart === 'body' ? [] : illFormedIn(given)
    if (faults.length > 0) return { error: new RequestInvalid(httpPart, faults) }
    const value = httpPart === 'querystring' ? convertQuery(given, schema as Shape) : given
    compiled ??= Compile(schema)
    const validator = compiled
    if (validator.Check(value)) return { value }
    const details = validator.Errors(value).flatMap((error) => faultsOf(error, value))
    return { error: new RequestInvalid(httpPart, details) }
  }
}

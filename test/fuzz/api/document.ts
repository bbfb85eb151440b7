/**
 * The OpenAPI document as the fuzzer reads it: operations with the schemas of their input, and
 * validators of their answers (ajv, which the api does not use).
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** The parts of a JSON schema that the fuzzer uses. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  patternProperties?: Readonly<Record<string, Schema>>
  propertyNames?: Schema
  maxProperties?: number
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  default?: unknown
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Schema
}

interface RawOperation {
  operationId: string
  description?: string
  security?: readonly Record<string, unknown>[]
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, { schema: Schema }>> }
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>>
}

export interface OpenApi {
  paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

export interface Operation {
  id: string
  method: string
  /** The path, with {name} for each parameter. */
  path: string
  /** Names of the path's parameters, in order. */
  params: readonly string[]
  /** Schema of the query, as one object. */
  query: Schema
  /** null: it takes none. */
  body: Schema | null
  /** Kinds of credentials that it accepts; empty: anybody may call it. */
  security: readonly string[]
  /**
   * Scopes that its description names. Any one of them is enough; empty: every accepted credential
   * is.
   */
  scopes: readonly string[]
  /** With a session every role may call it. */
  own: boolean
  /** Returns in one sentence how an answer departs from the document, or null. */
  fault(status: number, contentType: string, body: string): string | null
}

/**
 * Returns the schema with its objects closed: a field in an answer that the schema does not name is
 * a fault, too. An object that is meant to be open says so in the schema.
 */
function closed(schema: Schema): Schema {
  const map = (each?: Readonly<Record<string, Schema>>): Record<string, Schema> =>
    Object.fromEntries(Object.entries(each ?? {}).map(([name, inner]) => [name, closed(inner)]))
  return {
    ...schema,
    ...(schema.properties && { properties: map(schema.properties) }),
    ...(schema.properties && schema.additionalProperties === undefined && !schema.patternProperties && { additionalProperties: false }),
    ...(schema.patternProperties && { patternProperties: map(schema.patternProperties) }),
    ...(typeof schema.additionalProperties === 'object' && { additionalProperties: closed(schema.additionalProperties) }),
    ...(schema.items && { items: closed(schema.items) }),
    ...(schema.anyOf && { anyOf: schema.anyOf.map(closed) })
  }
}

const parsed = (text: string): { value: unknown } | null => {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

export function readDocument(document: OpenApi): Operation[] {
  // Optimising the generated code takes as long as generating it, and each validator runs only a
  // few times.
  const ajv = new Ajv2020({ strict: false, allErrors: false, code: { optimize: false } })
  addFormats.default(ajv)
  for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(schema, `#/components/schemas/${name}`)

  /**
   * Validators are cached by the text of their schema: most operations have the same schemas for
   * refusals.
   */
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (schema: Schema): ValidateFunction => {
    const text = JSON.stringify(schema)
    const validator = compiled.get(text) ?? ajv.compile(closed(schema))
    compiled.set(text, validator)
    return validator
  }

  function faultsOf({ responses }: RawOperation): Operation['fault'] {
    const validators = new Map<string, ValidateFunction>()
    for (const [status, { content }] of Object.entries(responses)) {
      const schema = content?.['application/json']?.schema
      if (schema) validators.set(status, validatorOf(schema))
    }
    return (status, contentType, body) => {
      const response = responses[status]
      if (!response) return `status ${status} is not in the document`
      if (!response.content) return body === '' ? null : `status ${status} has a body, by the document it has none`
      const type = contentType.split(';', 1)[0] ?? ''
      if (!(type in response.content)) return `content type ${type || 'none'} of status ${status} is not in the document`
      const validate = validators.get(String(status))
      if (type !== 'application/json' || !validate) return null
      const value = parsed(body)
      if (!value) return `the body of status ${status} is not JSON`
      if (validate(value.value)) return null
      const [error] = validate.errors ?? []
      return `the body of status ${status} is not that of the document: ${error?.instancePath || '/'} ${error?.message} ${JSON.stringify(error?.params)}`
    }
  }

  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const inQuery = (operation.parameters ?? []).filter((one) => one.in === 'query')
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        query: {
          type: 'object',
          properties: Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
          required: inQuery.filter(({ required }) => required).map(({ name }) => name),
          additionalProperties: false
        },
        body: operation.requestBody?.content['application/json']?.schema ?? null,
        security: (operation.security ?? []).flatMap((one) => Object.keys(one)),
        scopes: [...(/[Ss]cope [^,.]*/.exec(operation.description ?? '')?.[0] ?? '').matchAll(/`([\w:]+)`/g)].map(
          ([, scope = '']) => scope
        ),
        own: /^With a session, everybody/.test(operation.description ?? ''),
        fault: faultsOf(operation)
      }
    })
  )
}

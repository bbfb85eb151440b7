/**
 * Generates TypeScript for clients from the OpenAPI document: one interface `paths` in the form
 * that openapi-fetch reads. It supports the parts of JSON Schema that this project's schemas use.
 * It refuses a keyword that it does not know, so that it never prints a wrong type.
 */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  description?: string
}

interface Content {
  content?: Record<string, { schema: Schema }>
}

export interface Operation {
  operationId: string
  summary?: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

export interface OpenApi {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

/** Keywords that narrow a value without changing its type, or say something about it. */
// biome-ignore format: by family
const silent = new Set([
  'description', 'default', 'format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems',
  'uniqueItems', 'minProperties', 'maxProperties', 'propertyNames', 'title', 'examples', 'patternProperties'
])
const known = new Set(['$ref', 'type', 'enum', 'const', 'anyOf', 'properties', 'required', 'additionalProperties', 'items'])

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))
const name = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key))
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')
const inBrackets = (type: string): string => (type.includes('|') ? `(${type})` : type)

function objectOf({ properties, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties ?? {}).map(
    ([key, schema]) => `${name(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)}`
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  return 'Record<string, unknown>'
}

const names: Readonly<Record<string, (schema: Schema) => string>> = {
  string: () => 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items }) => `${inBrackets(items ? typeOf(items) : 'unknown')}[]`,
  object: objectOf
}

/** Returns the type of values that fit `schema`. */
export function typeOf(schema: Schema): string {
  for (const key of Object.keys(schema)) if (!known.has(key) && !silent.has(key)) throw new TypeError(`no type for the keyword ${key}`)
  if (schema.$ref !== undefined) return schema.$ref.replace(/^#\/components\/schemas\//, '')
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  if (schema.anyOf) return union(schema.anyOf.map(typeOf))
  if (schema.type === undefined) return 'unknown'
  return union(
    [schema.type].flat().map((type) => {
      const print = names[type]
      if (!print) throw new TypeError(`no type for ${type}`)
      return print(schema)
    })
  )
}

const contentOf = ({ content }: Content): string => {
  const types = Object.entries(content ?? {}).map(([media, { schema }]) => `${literal(media)}: ${typeOf(schema)}`)
  return types.length === 0 ? '{ content?: never }' : `{ content: { ${types.join('; ')} } }`
}

function parametersOf(place: string, parameters: NonNullable<Operation['parameters']>): string {
  const here = parameters.filter((parameter) => parameter.in === place)
  if (here.length === 0) return `${place}?: never`
  const optional = here.some(({ required }) => required) ? '' : '?'
  return `${place}${optional}: { ${here.map((one) => `${name(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`).join('; ')} }`
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

function operationOf({ parameters = [], requestBody, responses }: Operation): string {
  const places = ['query', 'path', 'header', 'cookie'].map((place) => parametersOf(place, parameters)).join('; ')
  const answers = Object.entries(responses).map(([status, answer]) => `${status}: ${contentOf(answer)}`)
  // A body may be left out if every field of it is optional.
  const optional = Object.values(requestBody?.content ?? {}).every(({ schema }) => (schema.required ?? []).length === 0)
  const body = requestBody ? `requestBody${optional ? '?' : ''}: ${contentOf(requestBody)}` : 'requestBody?: never'
  return `{\n      parameters: { ${places} }\n      ${body}\n      responses: { ${answers.join('; ')} }\n    }`
}

/** The file's text. */
export function toClientTypes({ components, paths }: OpenApi): string {
  const shared = Object.entries(components.schemas).map(([key, schema]) => `export type ${key} = ${typeOf(schema)}\n`)
  const routes = Object.entries(paths).map(([path, operations]) => {
    const lines = methods.map((method) => {
      const operation = operations[method]
      return operation
        ? `    /** ${operation.summary ?? operation.operationId} */\n    ${method}: ${operationOf(operation)}`
        : `    ${method}?: never`
    })
    return `  ${literal(path)}: {\n    parameters: { query?: never; header?: never; path?: never; cookie?: never }\n${lines.join('\n')}\n  }`
  })
  return [
    '// Generated from the OpenAPI document by npm run client. Never edited.\n',
    ...shared,
    `export interface paths {\n${routes.join('\n')}\n}\n`
  ].join('\n')
}

/** The fields of a kind, read from the JSON Schema of its settings. Lists are no field here. */
export interface ConfigField {
  name: string
  label: string
  hint: string | undefined
  type: 'text' | 'secret' | 'number' | 'choice'
  choices: readonly string[]
  required: boolean
}

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const wordOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function choicesOf({ enum: words, anyOf }: Schema): string[] {
  const offered = Array.isArray(words) ? words : Array.isArray(anyOf) ? anyOf.map((one) => (isSchema(one) ? one.const : undefined)) : []
  return offered.filter((one): one is string => typeof one === 'string')
}

function typeOf(schema: Schema): ConfigField['type'] | null {
  if (choicesOf(schema).length > 0) return 'choice'
  if (schema.writeOnly === true) return 'secret'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  // A time belongs to the change of a secret, which a new channel does not have.
  return schema.type === 'string' && schema.format !== 'date-time' ? 'text' : null
}

export function configFields({ properties, required }: Schema): ConfigField[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, schema]) => {
    const type = isSchema(schema) ? typeOf(schema) : null
    if (!isSchema(schema) || type === null) return []
    const label = wordOf(schema.title) ?? name
    return [{ name, label, hint: wordOf(schema.description), type, choices: choicesOf(schema), required: needed.includes(name) }]
  })
}

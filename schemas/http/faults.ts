/**
 * Describes the faults of a value against its schema in words. The api's answers and the
 * dashboard's forms use the same text.
 */
import type { TLocalizedValidationError } from 'typebox/error'
import type { ErrorDetail } from './common.ts'
import { patternInWords } from './patterns.ts'

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

function lengthFault(path: string, bound: 'at least' | 'at most', limit: number, value: unknown): ErrorDetail {
  const one = typeof value === 'string' ? 'character' : 'entry'
  const many = typeof value === 'string' ? 'characters' : 'entries'
  const message = `must have ${bound} ${limit} ${limit === 1 ? one : many}`
  return { path, rule: 'length', message, limit, actual: length(value) }
}

/**
 * Returns the faults of a validation error as {path, rule, message, limit?, actual?}, with the
 * rules of docs/design/api.md#s20. Returns none when another error already reports the fault.
 */
export function faultsOf(error: TLocalizedValidationError, value: unknown): ErrorDetail[] {
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
      // A field that a closed object does not have.
      return [{ path, rule: 'unknown_field', message: 'is not a field here' }]
    case 'additionalProperties':
    case 'propertyNames':
      return [] // The names and values report their own faults.
    case 'type':
      return [{ path, rule: 'type', message: `must be ${[error.params.type].flat().join(' or ')}` }]
    case 'enum':
      return [{ path, rule: 'enum', message: `must be one of ${error.params.allowedValues.map(String).join(', ')}` }]
    case 'minimum':
    case 'exclusiveMinimum':
      return [
        {
          path,
          rule: 'min',
          message: `must be at least ${error.params.limit}`,
          limit: Number(error.params.limit),
          actual: Number(here())
        }
      ]
    case 'maximum':
    case 'exclusiveMaximum':
      return [
        { path, rule: 'max', message: `must be at most ${error.params.limit}`, limit: Number(error.params.limit), actual: Number(here()) }
      ]
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return [lengthFault(path, 'at least', error.params.limit, here())]
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return [lengthFault(path, 'at most', error.params.limit, here())]
    case 'format':
      return [{ path, rule: 'pattern', message: `must be a ${error.params.format}` }]
    case 'pattern': {
      const wanted = patternInWords(error.params.pattern)
      return [{ path, rule: 'pattern', message: wanted === null ? error.message : `must be ${wanted}` }]
    }
    default:
      return [{ path, rule: 'pattern', message: error.message }]
  }
}

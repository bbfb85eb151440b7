/** Steps of a check as the form holds them, and as they are sent. Pure. */
import type { Step, Variable } from '../../../../schemas/http/api-steps.ts'
import type { Config } from '../channels/config-fields.ts'

export interface TypedStep extends Step {
  key: number
}

export interface TypedVariable extends Variable {
  key: number
}

let keys = 0

export const blankStep = (): TypedStep => ({ key: keys++, url: '/' })
export const blankVariable = (): TypedVariable => ({ key: keys++, name: '', value: '', secret: false })

const withKeys = <T extends object>(list: unknown): (T & { key: number })[] =>
  (Array.isArray(list) ? (list as T[]) : []).map((one) => ({ key: keys++, ...one }))

export const stepsIn = ({ steps }: Config): readonly TypedStep[] => (Array.isArray(steps) ? (steps as TypedStep[]) : [])
export const variablesIn = ({ variables }: Config): readonly TypedVariable[] =>
  Array.isArray(variables) ? (variables as TypedVariable[]) : []

/** Returns the steps in the form in which they are saved. */
export const typedSteps = (config: object = {}): Config => ({
  steps: withKeys<Step>(Reflect.get(config, 'steps')),
  variables: withKeys<Variable>(Reflect.get(config, 'variables'))
})

const withoutKey = <T extends { key: number }>({ key: _key, ...rest }: T): Omit<T, 'key'> => rest

/** Returns what is sent, without the rows that nobody has filled in. */
export const sentSteps = (config: Config): { steps: Step[]; variables: Variable[] } => ({
  steps: stepsIn(config).map((step) => {
    const { headers = [], extract = [], ...rest } = withoutKey(step) as Step
    const named = headers.filter(({ name }) => name.trim() !== '')
    const taken = extract.filter(({ name, property }) => name.trim() !== '' || property.trim() !== '')
    return { ...rest, ...(named.length > 0 && { headers: named }), ...(taken.length > 0 && { extract: taken }) }
  }),
  variables: variablesIn(config)
    .filter(({ name }) => name.trim() !== '')
    .map((variable) => withoutKey(variable) as Variable)
})

type Assertions = NonNullable<Step['assertions']>

/** Returns the statuses that a step expects, as they are typed; empty means 200 to 299. */
export function statusesOf({ assertions = [] }: Step): string {
  const found = assertions.find(({ source, op }) => source === 'status' && (op === 'in' || op === 'eq'))
  return found?.value === undefined ? '' : [found.value].flat().join(', ')
}

/**
 * Sets the expected statuses and keeps the other assertions. A value that is not a number is sent
 * as typed, and is refused at its field.
 */
export function withStatuses({ assertions = [] }: Step, typed: string): Assertions {
  const others = assertions.filter(({ source, op }) => !(source === 'status' && (op === 'in' || op === 'eq')))
  const words = typed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  if (words.length === 0) return others
  return [{ source: 'status', op: 'in', value: words.map((word) => (/^\d+$/.test(word) ? Number(word) : word)) }, ...others]
}

/** `$.token` is a path in JSON; anything else is the name of a header. */
export const extractOf = (name: string, property: string): NonNullable<Step['extract']>[number] => ({
  name,
  source: property.trimStart().startsWith('$') ? 'json' : 'header',
  property
})

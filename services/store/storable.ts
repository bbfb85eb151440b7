/** Cleans what comes from outside, so that every store accepts it. Pure. */
import { storable } from '../../streams/incident/rules.ts'

/**
 * Cleans every text in `value`, also the names of fields. `value` is plain data, as JSON has it.
 */
export function storableDeep<T>(value: T): T
export function storableDeep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map((one) => storableDeep(one))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [storable(key), storableDeep(one)]))
}

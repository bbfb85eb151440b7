/**
 * The compiled schema of a batch of check results (prober.ts). Intake checks every batch against
 * it, and reports where a wrong batch is wrong.
 */
import { Compile } from 'typebox/compile'
import { ResultsBody } from './prober.ts'

const compiled = Compile(ResultsBody)

/** A batch must hold results or captures: with neither it is refused. */
export const isResultsBody = (value: unknown): value is ResultsBody =>
  compiled.Check(value) && (value.results.length > 0 || value.captures !== undefined)

export interface Fault {
  path: string
  rule: 'required' | 'type' | 'enum' | 'max'
  message: string
}

const rules: Readonly<Record<string, Fault['rule']>> = {
  required: 'required',
  enum: 'enum',
  maxItems: 'max',
  maxLength: 'max',
  maximum: 'max'
}

/**
 * Returns the first fault of a batch that failed the check. Its path has the form
 * `results[3].outcome`.
 */
export function faultOf(value: unknown): Fault {
  const [error] = compiled.Errors(value)
  if (!error) return { path: 'results', rule: 'required', message: 'must have at least one result' }
  const missing = error.keyword === 'required' ? error.params.requiredProperties[0] : undefined
  const parts = [...error.instancePath.split('/').slice(1), ...(missing === undefined ? [] : [missing])]
  const path = parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`), '')
  return { path, rule: rules[error.keyword] ?? 'type', message: missing === undefined ? error.message : 'is required' }
}

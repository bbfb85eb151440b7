/**
 * Validates a body against the api's own schema. This code is larger than most forms, so
 * useJudge.ts loads it when needed.
 */
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { type Faults, faultsByPath } from './faults.ts'

/** The schema must not see fields that JSON leaves out. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

/** Returns every fault of `body`. */
export function judge(schema: TSchema, body: unknown): Faults {
  const sent = asSent(body)
  return faultsByPath(Errors(schema, sent).flatMap((error) => faultsOf(error, sent)))
}

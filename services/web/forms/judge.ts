/** Judges a body by the api's own schema. It weighs more than most forms: useJudge.ts loads it. */
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { faultsOf } from '../../../schemas/http/faults.ts'
import { type Faults, faultsByPath } from './faults.ts'

/** What JSON would leave out is not there for the schema either. */
const asSent = (body: unknown): unknown => JSON.parse(JSON.stringify(body))

/** Everything that is wrong with `body`. */
export function judge(schema: TSchema, body: unknown): Faults {
  const sent = asSent(body)
  return faultsByPath(Errors(schema, sent).flatMap((error) => faultsOf(error, sent)))
}

/**
 * Explains why an object is in its state: the steps of the decision, and what each step read.
 * Source: docs/design/api/data.md#s17-2.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, nullable, oneOf } from './common.ts'
import { holdKinds } from './incidents.ts'
import { Outcome, RuleTrace } from './routing.ts'
import { routingChanges } from './routing-words.ts'

export const explainSteps = [
  'rounds',
  'failure_rate',
  'quorum',
  'vote',
  'flap',
  'pause',
  'signal',
  'declaration',
  'promotion_by_hand',
  'reopening',
  'dedup',
  'dependency',
  'mass_outage',
  'routing',
  'grouping',
  'maintenance',
  'promotion',
  'policy',
  'escalation_run',
  'escalation_step'
] as const

const Input = Type.Object({
  topic: Type.String(),
  partition: Type.Integer(),
  offset: Type.String({ description: 'Offset of the record in its partition: a whole number.' }),
  summary: Type.String()
})

export const ExplainStep = Type.Object({
  n: Type.Integer({ description: 'Number of the step, from 1.' }),
  rule: oneOf(explainSteps),
  inputs: Type.Array(Input, { description: 'Log records that the step read.' }),
  config_refs: Type.Array(Type.Object({ type: Type.String(), id: nullable(Type.String()), version: Type.Integer() }), {
    description: 'Versions of the configuration that decided the step.'
  }),
  values: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  verdict: Type.String({ description: 'Result of the step, in words for people.' }),
  trace: Type.Optional(RuleTrace),
  shadow: Type.Optional(
    Type.Object(
      { matched: Type.Array(Id), changes: Type.Array(oneOf(routingChanges)), outcome: Outcome },
      { description: 'What would differ if the rules in shadow mode that the caller may see were live; absent when there are none.' }
    )
  )
})
export type ExplainStep = Static<typeof ExplainStep>

export const Explanation = Type.Object({
  question: Type.String(),
  answer: Type.String(),
  at: Type.Unsafe<string>({ ...Instant, description: 'When the decision was made.' }),
  steps: Type.Array(ExplainStep),
  suppressions: Type.Array(
    Type.Object({ kind: oneOf(holdKinds), id: nullable(Type.String()), until: nullable(Instant), effect: Type.String() }),
    { description: 'What keeps people from being notified now.' }
  ),
  engine_version: Type.Integer({ description: 'Version of the engine of the routing rules.' }),
  tzdb_version: nullable(
    Type.String({
      description: 'Version of the time zone database that judged the time windows; null when no enabled rule had a time window.'
    })
  ),
  trace_hash: Type.String({ description: 'SHA-256 of the steps; equal steps have equal hashes.' })
})
export type Explanation = Static<typeof Explanation>

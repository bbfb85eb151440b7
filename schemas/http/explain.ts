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
  offset: Type.String({ description: 'A whole number.' }),
  summary: Type.String()
})

export const ExplainStep = Type.Object({
  n: Type.Integer({ description: 'From 1.' }),
  rule: oneOf(explainSteps),
  inputs: Type.Array(Input, { description: 'Records of the log that it read.' }),
  config_refs: Type.Array(Type.Object({ type: Type.String(), id: nullable(Type.String()), version: Type.Integer() }), {
    description: 'Versions of the configuration that decided.'
  }),
  values: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  verdict: Type.String({ description: 'For people.' }),
  trace: Type.Optional(RuleTrace),
  shadow: Type.Optional(
    Type.Object(
      { matched: Type.Array(Id), changes: Type.Array(oneOf(routingChanges)), outcome: Outcome },
      { description: 'If the rules in shadow mode that the caller sees were live; missing where there are none.' }
    )
  )
})
export type ExplainStep = Static<typeof ExplainStep>

export const Explanation = Type.Object({
  question: Type.String(),
  answer: Type.String(),
  at: Type.Unsafe<string>({ ...Instant, description: 'When it was decided.' }),
  steps: Type.Array(ExplainStep),
  suppressions: Type.Array(
    Type.Object({ kind: oneOf(holdKinds), id: nullable(Type.String()), until: nullable(Instant), effect: Type.String() }),
    { description: 'What keeps people from being told now.' }
  ),
  engine_version: Type.Integer({ description: 'Of the routing rules.' }),
  tzdb_version: nullable(Type.String({ description: 'That time windows were judged by; null: no enabled rule had one.' })),
  trace_hash: Type.String({ description: 'SHA-256 of the steps: equal steps have equal ones.' })
})
export type Explanation = Static<typeof Explanation>

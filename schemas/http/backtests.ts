/**
 * Back-tests of routing rules. A back-test shows what a set of rules would have done with alerts
 * that were already decided.
 * Source: docs/design/api/alerts-and-routing.md#rt-8.
 */
import { type Static, Type } from 'typebox'
import { Id, Instant, nullable, oneOf } from './common.ts'
import { Draft, Outcome } from './routing.ts'
import { routingChanges, ruleModes } from './routing-words.ts'

/** Most alerts that one back-test examines. It examines fewer when the rules are costly. */
export const MAX_BACKTEST_ALERTS = 20_000
export const MAX_BACKTEST_DAYS = 31
/** Most alerts that the answer shows out of those that the rules would change. */
export const MAX_BACKTEST_SAMPLES = 50

export const BacktestBody = Type.Object(
  {
    rules: Type.Optional(Type.Array(Draft, { maxItems: 5000, description: 'A draft of the whole set, in place of those that are saved.' })),
    mode: Type.Optional(
      oneOf(ruleModes, { default: 'live', description: 'shadow: as if rules in shadow mode were live. Without `rules`: those saved.' })
    ),
    from: Type.Unsafe<string>({ ...Instant, description: 'When the first alert started.' }),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'Default: now.' }))
  },
  { additionalProperties: false }
)
export type BacktestBody = Static<typeof BacktestBody>

export const BacktestParams = Type.Object({ id: Id })

const Decision = Type.Object({
  matched: Type.Array(Id, { description: 'Rules that applied, in their order, as far as the caller sees them.' }),
  outcome: Outcome
})

const Sample = Type.Object({
  alert_id: Id,
  incident_id: nullable(Id),
  title: Type.String(),
  started_at: Instant,
  changes: Type.Array(oneOf(routingChanges), { description: 'In what the two differ.' }),
  was: Decision,
  would: Decision
})

export const BacktestResult = Type.Object({
  routing_version: Type.Integer({ description: 'Of the set that is saved; of a draft: that of the set it would replace.' }),
  engine_version: Type.Integer(),
  complete: Type.Boolean({ description: 'false: there are more alerts in the span than were looked at; these are the latest.' }),
  passed_over: Type.Integer({ description: 'Alerts whose cause is not stored.' }),
  changed: Type.Integer({ description: 'Alerts that would have become something else.' }),
  by_default: Type.Integer({ description: 'Alerts that no rule would have matched.' }),
  changes: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Kind of change to alerts; one alert may have several.'
  }),
  rules: Type.Array(
    Type.Object({
      rule_id: Id,
      name: Type.String(),
      mode: oneOf(ruleModes),
      matched: Type.Integer(),
      not_matched: Type.Integer(),
      skipped: Type.Integer({ description: 'Disabled, expired, outside its time, or a rule before it ended the evaluation.' })
    })
  ),
  samples: Type.Array(Sample, { description: `At most ${MAX_BACKTEST_SAMPLES} of those that would have changed, the latest first.` })
})
export type BacktestResult = Static<typeof BacktestResult>

export const BacktestDetail = Type.Object({
  id: Id,
  state: oneOf(['running', 'done', 'failed', 'cancelled']),
  failure: nullable(Type.String({ description: 'For people.' })),
  mode: oneOf(ruleModes),
  from: Instant,
  to: Instant,
  created_at: Instant,
  ended_at: nullable(Instant),
  looked_at: Type.Integer({ description: 'Alerts so far.' }),
  result: nullable(BacktestResult)
})
export type BacktestDetail = Static<typeof BacktestDetail>

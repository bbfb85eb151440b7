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
    rules: Type.Optional(
      Type.Array(Draft, { maxItems: 5000, description: 'Draft of the whole set of rules, tested in place of the saved rules.' })
    ),
    mode: Type.Optional(
      oneOf(ruleModes, {
        default: 'live',
        description: 'shadow: rules in shadow mode are treated as live. Without `rules`, the saved rules are tested.'
      })
    ),
    from: Type.Unsafe<string>({ ...Instant, description: 'Start of the span in which the alerts started.' }),
    to: Type.Optional(Type.Unsafe<string>({ ...Instant, description: 'End of the span in which the alerts started. Default: now.' }))
  },
  { additionalProperties: false }
)
export type BacktestBody = Static<typeof BacktestBody>

export const BacktestParams = Type.Object({ id: Id })

const Decision = Type.Object({
  matched: Type.Array(Id, { description: 'Ids of the rules that applied, in their order, as far as the caller may see them.' }),
  outcome: Outcome
})

const Sample = Type.Object({
  alert_id: Id,
  incident_id: nullable(Id),
  title: Type.String(),
  started_at: Instant,
  changes: Type.Array(oneOf(routingChanges), { description: 'What differs between the two decisions.' }),
  was: Decision,
  would: Decision
})

export const BacktestResult = Type.Object({
  routing_version: Type.Integer({ description: 'Version of the saved set of rules; for a draft, of the set that it would replace.' }),
  engine_version: Type.Integer(),
  complete: Type.Boolean({ description: 'False when the span has more alerts than were examined; only the latest were examined.' }),
  passed_over: Type.Integer({ description: 'Alerts that were left out because their cause is not stored.' }),
  changed: Type.Integer({ description: 'Alerts that would have been decided differently.' }),
  by_default: Type.Integer({ description: 'Alerts that no rule would have matched.' }),
  changes: Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Number of alerts by kind of change; one alert may have several kinds.'
  }),
  rules: Type.Array(
    Type.Object({
      rule_id: Id,
      name: Type.String(),
      mode: oneOf(ruleModes),
      matched: Type.Integer(),
      not_matched: Type.Integer(),
      skipped: Type.Integer({
        description: 'Alerts for which the rule was disabled, expired or outside its time window, or an earlier rule ended the evaluation.'
      })
    })
  ),
  samples: Type.Array(Sample, { description: `At most ${MAX_BACKTEST_SAMPLES} of those that would have changed, the latest first.` })
})
export type BacktestResult = Static<typeof BacktestResult>

export const BacktestDetail = Type.Object({
  id: Id,
  state: oneOf(['running', 'done', 'failed', 'cancelled']),
  failure: nullable(Type.String({ description: 'Why the back-test failed, in words for people.' })),
  mode: oneOf(ruleModes),
  from: Instant,
  to: Instant,
  created_at: Instant,
  ended_at: nullable(Instant),
  looked_at: Type.Integer({ description: 'Number of alerts examined so far.' }),
  result: nullable(BacktestResult)
})
export type BacktestDetail = Static<typeof BacktestDetail>

/** Queries and actions for routing rules: the set, one rule, versions and trials. */
import { queryOptions } from '@tanstack/react-query'
import { client, isGone, take } from './client.ts'
import type { Backtest, BacktestRules, NewRule, Rule, RuleChange, RuleList, TrialAnswer } from './shapes.ts'

const AGAIN_MS = 30_000

/** Rules in their order, with the default rule last. */
export const rulesQuery = queryOptions({
  queryKey: ['routing', 'list'],
  queryFn: ({ signal }) => take(client.GET('/api/v1/routing-rules', { signal })),
  refetchInterval: AGAIN_MS
})

export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: ['routing', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/routing-rules/{id}', { params: { path: { id } }, signal }))
  })

export const VERSIONS_PER_PAGE = 50
export const ruleVersionsQuery = (page: number) =>
  queryOptions({
    queryKey: ['routing', 'versions', page],
    queryFn: ({ signal }) =>
      take(client.GET('/api/v1/routing-rules/versions', { params: { query: { page, per_page: VERSIONS_PER_PAGE } }, signal }))
  })

/** A change applies only if the version is still the one that its author saw. */
const seen = (version: number) => ({ headers: { 'if-match': `"${version}"` } })
const of = (id: string) => ({ params: { path: { id } } })

export const createRule = (body: NewRule): Promise<Rule> => take(client.POST('/api/v1/routing-rules', { body }))
export const changeRule = ({ id, version }: Pick<Rule, 'id' | 'version'>, body: RuleChange): Promise<Rule> =>
  take(client.PATCH('/api/v1/routing-rules/{id}', { ...of(id), body, ...seen(version) }))
export const deleteRule = ({ id, version }: Pick<Rule, 'id' | 'version'>) =>
  take(client.DELETE('/api/v1/routing-rules/{id}', { ...of(id), ...seen(version) }))
/** `version`: the version of the rule set. */
export const orderRules = (ids: string[], version: number): Promise<RuleList> =>
  take(client.PUT('/api/v1/routing-rules/order', { body: { ids }, ...seen(version) }))
export const rollbackRules = (to: number, version: number): Promise<RuleList> =>
  take(client.POST('/api/v1/routing-rules/rollback', { body: { version: to }, ...seen(version) }))
/** `body` has already been validated by its schema. */
export const tryRules = (body: unknown): Promise<TrialAnswer> => take(client.POST('/api/v1/routing-rules/test', { body: body as never }))

/**
 * Runs a backtest of a draft or of saved rules. `mode` shadow: treats shadow rules, which only
 * report, as live.
 */
export const startBacktest = (body: { mode: 'live' | 'shadow'; from: string; rules?: BacktestRules }): Promise<Backtest> =>
  take(client.POST('/api/v1/routing-rules/backtest', { body }))
export const cancelBacktest = (id: string) => take(client.DELETE('/api/v1/routing-rules/backtests/{id}', of(id)))

const BACKTEST_AGAIN_MS = 500
/** Polled until the backtest has ended or is deleted. */
export const backtestQuery = (id: string) =>
  queryOptions({
    queryKey: ['backtests', 'one', id],
    queryFn: ({ signal }) => take(client.GET('/api/v1/routing-rules/backtests/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data, error } }) => (isGone(error) || (data && data.state !== 'running') ? false : BACKTEST_AGAIN_MS)
  })

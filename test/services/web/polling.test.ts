/** Tests that a page stops asking often for what will not come. */
import t from 'tap'
import { Buckets } from '../../../services/api/plugins/buckets.ts'
import { isBehind, lacksChange } from '../../../services/web/api/behind.ts'
import { figuresAgain, Refusal } from '../../../services/web/api/client.ts'
import { backtestQuery } from '../../../services/web/api/routing.ts'
import type { Backtest } from '../../../services/web/api/shapes.ts'

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString()
const DAY_MS = 86_400_000

t.test('a log is waited for only while its last entry is new', async (t) => {
  const [now, early, old] = [ago(0), ago(3_600_000), ago(31 * DAY_MS)]
  const changes: [string, string | undefined, string | null, boolean][] = [
    ['nothing is awaited', undefined, null, false],
    ['the change is there', now, now, false],
    ['a new change is missing', early, now, true],
    ['a new change is missing in an empty log', undefined, now, true],
    ['an old change is no longer in the log', undefined, old, false],
    ['a change is missing for an hour', old, early, false]
  ]
  for (const [what, newest, last, wanted] of changes) t.equal(lacksChange(newest, last), wanted, what)
  t.equal(isBehind({ complete_until: null }, now), true)
  t.equal(isBehind({ complete_until: null }, early), false)
})

t.test('a back-test is asked for until it has ended or is gone', async (t) => {
  const gone = new Refusal(404, { code: 'NOT_FOUND' })
  const running = { state: 'running' } as Backtest
  const cases: [string, Backtest | undefined, Error | null, boolean][] = [
    ['not read yet', undefined, null, true],
    ['running', running, null, true],
    ['running, and one reading failed', running, new Refusal(503, { code: 'UNAVAILABLE' }), true],
    ['ended', { ...running, state: 'done' }, null, false],
    ['gone at once', undefined, gone, false],
    ['gone while it was running', running, gone, false]
  ]
  const { refetchInterval } = backtestQuery('a')
  if (typeof refetchInterval !== 'function') return t.fail('the interval depends on the state')
  for (const [what, data, error, asks] of cases) {
    const query = { state: { data, error } } as Parameters<typeof refetchInterval>[0]
    t.equal(refetchInterval(query) !== false, asks, what)
  }
})

t.test('figures that were refused for too many requests are asked for again, after Retry-After', async (t) => {
  const full = new Refusal(429, { code: 'RATE_LIMITED' }, '3')
  const [broken, refused] = [new Refusal(503, {}), new Refusal(403, {})]
  const asksAgain = (error: Error): number => [0, 1, 2, 3, 4, 5, 6].filter((failures) => figuresAgain.retry(failures, error)).length
  t.same([full, broken, new TypeError('no network'), refused].map(asksAgain), [5, 2, 2, 0])
  const pauses = [0, 1, 4].map((failures) => figuresAgain.retryDelay(failures, full))
  t.same(pauses, [3_000, 6_000, 15_000])
  t.equal(figuresAgain.retryDelay(1, broken), 2_000)
})

t.test('three spans of Analytics in a row fit into the requests of the smallest plan', async (t) => {
  const buckets = new Buckets(() => 0)
  const refused = Array.from({ length: 3 * 6 }, () => buckets.take('analytics', 'workspace', 'free').admitted).filter((one) => !one)
  t.same(refused, [])
})

/**
 * Tests of the uptime shown with monitors: it is there when analytics answers, and the api never
 * waits long for it.
 */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { type Analytics, Unreachable } from '../../../services/api/analytics/client.ts'
import { ApiError } from '../../../services/api/http/errors.ts'
import { createUptimes } from '../../../services/api/monitors/uptimes.ts'

const id = '0190a000-0000-7000-8000-000000000001'
const entities = [{ kind: 'monitor' as const, id, created_at: 0, open: true }]
const answering = (work: () => Promise<object>) => {
  let asked = 0
  const analytics = {
    ask: (name: string) => {
      asked++
      t.equal(name, 'uptime_summary')
      return work()
    }
  } as Pick<Analytics, 'ask'>
  return { analytics, asked: () => asked }
}

t.test('an uptime that analytics returns is shown', async (t) => {
  const { analytics } = answering(async () => ({ rows: [{ kind: 'monitor', id, h24: 99.5, d7: null, d30: 100 }], complete_until: null }))
  const found = await createUptimes(analytics)('tenant', entities)
  t.same([...found], [[id, { h24: 99.5, d7: null, d30: 100 }]])
  t.equal((await createUptimes(analytics)('tenant', [])).size, 0)
})

t.test('after a timeout or an error, analytics is not asked again for a while', async (t) => {
  for (const work of [() => new Promise<object>(() => undefined), () => Promise.reject(new Error('away'))]) {
    const { analytics, asked } = answering(work)
    const uptimes = createUptimes(analytics, { patienceMs: 5 })
    for (let n = 0; n < 3; n++) t.equal((await uptimes('tenant', entities)).size, 0)
    t.equal(asked(), 1)
    const again = createUptimes(analytics, { patienceMs: 5, pauseMs: 0 })
    await again('tenant', entities)
    await again('tenant', entities)
    t.equal(asked(), 3)
  }
})

t.test('only the workspace whose answer is late pauses, unless analytics cannot be reached', async (t) => {
  const cases: [what: string, work: () => Promise<object>, asked: number][] = [
    ['a late answer', () => new Promise<object>(() => undefined), 2],
    ['too many questions', () => Promise.reject(new ApiError('UNAVAILABLE', 'Too many questions to analytics at once')), 2],
    ['nobody there', () => Promise.reject(new Unreachable()), 1]
  ]
  for (const [what, work, expected] of cases) {
    const { analytics, asked } = answering(work)
    const uptimes = createUptimes(analytics, { patienceMs: 5 })
    for (const tenant of ['slow', 'slow', 'other', 'other']) await uptimes(tenant, entities)
    t.equal(asked(), expected, what)
  }
})

t.test('a known uptime is shown at once and refreshed in the background', async (t) => {
  let [clock, figure] = [0, 99]
  let answer: () => Promise<object> = async () => ({ rows: [{ kind: 'monitor', id, h24: figure, d7: null, d30: null }] })
  const { analytics, asked } = answering(() => answer())
  const uptimes = createUptimes(analytics, { patienceMs: 5, pauseMs: 0 }, () => clock)
  const shown = async (tenant = 'tenant') => (await uptimes(tenant, entities)).get(id)?.h24
  const away = (): Promise<object> => Promise.reject(new Error('away'))

  t.equal(await shown(), 99)
  figure = 98
  clock = 14_999
  t.equal(await shown(), 99)
  t.equal(asked(), 1, 'a fresh figure is not asked for')
  clock = 15_000
  t.equal(await shown(), 99, 'nobody waits for the next one')
  t.equal(asked(), 2)
  await setImmediate()
  t.equal(await shown(), 98, 'which is there for the next reader')
  t.equal(asked(), 2)

  figure = 97
  clock = 75_000
  t.equal(await shown(), 97, 'an old one is waited for')
  answer = away
  clock = 374_999
  t.equal(await shown(), 97, 'and stands in while there is no answer')
  clock = 375_000
  t.equal(await shown(), undefined, 'for five minutes')
  t.equal(await shown('another workspace'), undefined, 'a figure belongs to its workspace')
})

t.test('a missing uptime is requested again after one second', async (t) => {
  let clock = 0
  let rows: object[] = []
  const { analytics, asked } = answering(async () => ({ rows }))
  const uptimes = createUptimes(analytics, {}, () => clock)
  t.equal((await uptimes('tenant', entities)).get(id), undefined)
  await uptimes('tenant', entities)
  t.equal(asked(), 1)
  clock = 1000
  rows = [{ kind: 'monitor', id, h24: 100, d7: null, d30: null }]
  t.equal((await uptimes('tenant', entities)).get(id)?.h24, 100)
})

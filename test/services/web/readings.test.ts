/** Tests of what the page says about data that it could not read again. */
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import t from 'tap'
import { Refusal } from '../../../services/web/api/client.ts'
import { Readings } from '../../../services/web/live/readings.ts'
import { until } from '../../harness/until.ts'

function stage(t: { teardown(work: () => void): void }, againMs = 3_600_000) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const readings = new Readings({ againMs })
  const stop = readings.start(queries)
  t.teardown(() => {
    stop()
    queries.clear()
  })
  const failing = new Map<string, number>()
  const show = (name: string): (() => void) =>
    new QueryObserver(queries, {
      queryKey: [name],
      queryFn: async () => {
        const status = failing.get(name)
        if (status) throw new Refusal(status, status === 404 ? { code: 'NOT_FOUND' } : {})
        return { name }
      }
    }).subscribe(() => undefined)
  const read = (...names: string[]) => Promise.all(names.map((name) => queries.refetchQueries({ queryKey: [name] })))
  const readAt = (name: string): number => queries.getQueryState([name])?.dataUpdatedAt ?? 0
  return { queries, readings, failing, show, read, readAt }
}

t.test('a failed reading counts from the last good one until the next good one', async (t) => {
  const { readings, failing, show, read, readAt } = stage(t)
  show('a')
  show('b')
  await read('a', 'b')
  t.equal(readings.since(), null)
  for (const status of [429, 503, 403]) {
    const at = readAt('a')
    failing.set('a', status)
    await read('a', 'b')
    t.equal(readings.since(), at, `${status}`)
    await read('a', 'b')
    t.equal(readings.since(), at, 'no later, when it fails again')
    failing.clear()
    await read('a')
    t.equal(readings.since(), null)
  }
})

t.test('what a frame changes in the data does not count as a reading', async (t) => {
  const { queries, readings, failing, show, read } = stage(t)
  show('a')
  await read('a')
  failing.set('a', 503)
  await read('a')
  queries.setQueryData(['a'], { name: 'changed' })
  t.not(readings.since(), null)
})

t.test('only what is shown counts, and neither what is gone nor what never came', async (t) => {
  const { readings, failing, show, read } = stage(t)
  const hide = show('a')
  show('gone')
  await read('a', 'gone')
  failing.set('gone', 404).set('a', 503).set('never', 503)
  show('never')
  await read('gone', 'never')
  t.equal(readings.since(), null)
  await read('a')
  t.not(readings.since(), null)
  hide()
  t.equal(readings.since(), null, 'the person went elsewhere')
  show('a')
  t.not(readings.since(), null, 'and came back')
})

t.test('what failed is read again until it could be read', async (t) => {
  const { readings, failing, show, read } = stage(t, 20)
  show('a')
  await read('a')
  failing.set('a', 429)
  await read('a')
  t.not(readings.since(), null)
  failing.clear()
  await until('it is read', () => readings.since() === null)
})

t.test('listeners hear of each change', async (t) => {
  const { readings, failing, show, read } = stage(t)
  show('a')
  await read('a')
  let heard = 0
  readings.subscribe(() => heard++)
  await read('a')
  t.equal(heard, 0)
  failing.set('a', 503)
  await read('a')
  await read('a')
  t.equal(heard, 1)
  failing.clear()
  await read('a')
  t.equal(heard, 2)
})

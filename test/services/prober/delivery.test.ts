/**
 * Tests of the delivery of results to the service: no result waits for another one to come, and a
 * full buffer loses its oldest results.
 */
import t, { type Test } from 'tap'
import type { Result } from '../../../schemas/http/prober.ts'
import { createDelivery } from '../../../services/prober/delivery.ts'
import type { Reply } from '../../../services/prober/service.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'

const resultOf = (check_id: string) => ({ check_id }) as Result

/**
 * Starts a delivery to a service that keeps what it takes, or does not answer. It decides after
 * `answered`.
 */
function started(t: Test, count: number) {
  const service = { taken: [] as string[], isAway: false, refused: 0, asked: 0, answered: Promise.resolve() }
  const results = async (text: string): Promise<Reply<unknown>> => {
    service.asked++
    await service.answered
    if (service.isAway) {
      service.refused++
      throw new Error('no answer')
    }
    service.taken.push(...(JSON.parse(text) as { results: Result[] }).results.map(({ check_id }) => check_id))
    return { status: 202, body: null, retryAfter: null }
  }
  const metrics = createMetrics()
  const bounds = { count, bytes: 10_000 }
  const delivery = createDelivery({ service: { results }, instance: 'prober-1', bounds, log: createLog('test', 'silent'), metrics })
  t.teardown(() => delivery.close(0))
  return { service, metrics, delivery }
}

t.test('a full buffer drops the oldest results, and the newest arrive when the service is back', async (t) => {
  const { service, metrics, delivery } = started(t, 3)
  delivery.add(resultOf('1'))
  await until('the first', () => service.taken.length === 1)
  service.isAway = true
  delivery.add(resultOf('2'))
  await until('a try', () => service.refused > 0)
  for (const one of ['3', '4', '5', '6']) delivery.add(resultOf(one))
  t.equal(delivery.pending, 3)
  service.isAway = false
  await until('the rest', () => delivery.pending === 0)
  t.same(service.taken, ['1', '4', '5', '6'])
  t.match(await metrics.registry.getSingleMetric('service_prober_results_dropped_total')?.get(), { values: [{ value: 2 }] })
})

t.test('a result that leaves the full buffer while the service takes it is not counted as lost', async (t) => {
  for (const isTaken of [true, false]) {
    const { service, metrics, delivery } = started(t, 2)
    const dropped = async (): Promise<number> =>
      (await metrics.registry.getSingleMetric('service_prober_results_dropped_total')?.get())?.values[0]?.value ?? 0
    let answer = (): void => undefined
    service.answered = new Promise((resolve) => {
      answer = resolve
    })
    delivery.add(resultOf('1'))
    await until('the first is under way', () => service.asked === 1)
    delivery.add(resultOf('2'))
    delivery.add(resultOf('3'))
    t.equal(await dropped(), 0, 'the first has left the buffer and may yet be taken')
    service.isAway = !isTaken
    answer()
    await until('an answer', () => service.taken.length + service.refused > 0)
    service.isAway = false
    await until('the rest', () => delivery.pending === 0)
    t.same(service.taken, isTaken ? ['1', '2', '3'] : ['2', '3'])
    t.equal(await dropped(), isTaken ? 0 : 1)
  }
})

t.test('a result added just after the buffer was found empty is sent, too', async (t) => {
  const { service, metrics, delivery } = started(t, 100)
  const size = metrics.registry.getSingleMetric('service_prober_results_buffered') as unknown as { set(value: number): void }
  const set = size.set.bind(size)
  let late = 0
  Object.assign(size, {
    set(value: number) {
      set(value)
      // The next turn finds the buffer empty and ends. This result is added while it still counts
      // as sending.
      if (value === 0 && late++ === 0) queueMicrotask(() => delivery.add(resultOf('late')))
    }
  })
  delivery.add(resultOf('first'))
  await until('both', () => service.taken.length === 2, 10_000)
  t.same(service.taken, ['first', 'late'])
})

t.test('results of a wrong shape are dropped alone, and cost few requests', async (t) => {
  const service = { taken: [] as string[], asked: 0 }
  const results = async (text: string): Promise<Reply<unknown>> => {
    service.asked++
    const ids = (JSON.parse(text) as { results: Result[] }).results.map(({ check_id }) => check_id)
    if (ids.some((id) => id.startsWith('bad'))) return { status: 422, body: null, retryAfter: null }
    service.taken.push(...ids)
    return { status: 202, body: null, retryAfter: null }
  }
  const bounds = { count: 10_000, bytes: 10_000_000 }
  const metrics = createMetrics()
  const delivery = createDelivery({ service: { results }, instance: 'prober-1', bounds, log: createLog('test', 'silent'), metrics })
  t.teardown(() => delivery.close(0))
  const ids = Array.from({ length: 2000 }, (_, nth) => `${nth % 100 === 42 ? 'bad' : 'good'}-${nth}`)
  for (const id of ids) delivery.add(resultOf(id))
  await until('all are sent', () => delivery.pending === 0)
  t.same(
    service.taken,
    ids.filter((id) => id.startsWith('good'))
  )
  t.match(await metrics.registry.getSingleMetric('service_prober_results_refused_total')?.get(), { values: [{ value: 20 }] })
  t.ok(service.asked < 20 * 18, `${service.asked} requests for 20 faulty results of 2,000`)
})

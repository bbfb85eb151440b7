/** Tests of the delivery of results to the service: no result waits for another one to come. */
import t from 'tap'
import type { Result } from '../../../schemas/http/prober.ts'
import { createDelivery } from '../../../services/prober/delivery.ts'
import type { Reply, Service } from '../../../services/prober/service.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'

const resultOf = (check_id: string) => ({ check_id }) as Result
const never = (): Promise<never> => Promise.reject(new Error('not asked for here'))

t.test('a result added just after the buffer was found empty is sent, too', async (t) => {
  const taken: string[] = []
  const service: Service = {
    hello: never,
    config: never,
    trial: never,
    close: () => undefined,
    async results(text): Promise<Reply<unknown>> {
      taken.push(...(JSON.parse(text) as { results: Result[] }).results.map(({ check_id }) => check_id))
      return { status: 202, body: null, retryAfter: null }
    }
  }
  const metrics = createMetrics()
  const delivery = createDelivery({
    service,
    instance: 'prober-1',
    bounds: { count: 100, bytes: 10_000 },
    log: createLog('test', 'silent'),
    metrics
  })
  t.teardown(() => delivery.close(0))
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
  await until('both', () => taken.length === 2, 10_000)
  t.same(taken, ['first', 'late'])
})

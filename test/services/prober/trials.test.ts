/** Tests of sending what trials came to: tries, and the end of the prober. */
import t from 'tap'
import type { Result } from '../../../schemas/http/prober.ts'
import { createTrials } from '../../../services/prober/trials.ts'
import { createLog } from '../../../services/process/log.ts'
import { until } from '../../harness/until.ts'

const log = createLog('test', 'silent')
const result = { check_id: '1' } as Result

t.test('a trial is sent again after 503, and not after a refusal', async (t) => {
  const statuses = [503, 200, 422]
  let calls = 0
  const trials = createTrials({
    service: { trial: async () => ({ status: statuses[calls++] ?? 200, body: null, retryAfter: null }) },
    instance: 'prober-1',
    log
  })
  trials.send(result)
  await until('the second try', () => calls === 2)
  trials.send(result)
  await until('the refusal', () => calls === 3)
  await trials.close(performance.now() + 60_000)
  t.equal(calls, 3)
})

t.test('the end of the prober tries once more, at once', async (t) => {
  let calls = 0
  const trials = createTrials({
    service: {
      async trial() {
        calls++
        throw new Error('nobody is there')
      }
    },
    instance: 'prober-1',
    log
  })
  trials.send(result)
  await until('the first try', () => calls === 1)
  await trials.close(performance.now() + 60_000)
  t.equal(calls, 2)
})

t.test('the end of the prober waits for a request under way until its deadline', async (t) => {
  const trials = createTrials({
    service: { trial: (_text, signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) },
    instance: 'prober-1',
    log
  })
  trials.send(result)
  await trials.close(performance.now() + 10)
  t.pass('a request that is never answered is cut off')
})

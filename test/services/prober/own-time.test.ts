/**
 * Tests that what a prober itself does or gives up neither counts as the target's time nor ends the
 * prober.
 */
import t from 'tap'
import type { Step } from '../../../schemas/http/api-steps.ts'
import type { Edge } from '../../../services/prober/attempt.ts'
import { unlessAborted } from '../../../services/prober/connection.ts'
import { planOf } from '../../../services/prober/plans.ts'
import { assignment, facts, http, networkOf, pool } from './stand.ts'

t.teardown(() => pool.close())

t.test('a promise that is given up before it is waited for rejects unheard', async (t) => {
  const unheard: unknown[] = []
  const listen = (reason: unknown): void => void unheard.push(reason)
  process.on('unhandledRejection', listen)
  t.teardown(() => process.off('unhandledRejection', listen))
  let fail = (_error: Error): void => undefined
  const promise = new Promise<never>((_resolve, reject) => {
    fail = reject
  })
  const waiting = unlessAborted(promise, AbortSignal.abort(new Error('over')))
  await t.rejects(waiting, { message: 'over' })
  fail(new Error('no such name'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(unheard, [])
})

t.test('a step whose assertions wait for the prober leaves the next step its time', async (t) => {
  const base = await http(t, (_request, response) => void response.writeHead(200, { 'x-state': 'well' }).end('{}'))
  const steps: Step[] = [
    { url: '/', assertions: [{ source: 'header', property: 'x-state', op: 'matches', value: '^well$' }] },
    { url: '/next' }
  ]
  const monitor = assignment(base, { type: 'api', timeout_seconds: 1, degraded_after_ms: 1000, config: { steps } })
  const busy: Edge['pool'] = {
    async evaluate(job, signal) {
      await new Promise((resolve) => setTimeout(resolve, 1200))
      return pool.evaluate(job, signal)
    }
  }
  const edge = { network: networkOf(), pool: busy, now: Date.now, abort: new AbortController().signal }
  t.match(await planOf(monitor, facts).attempt(edge), { outcome: 'success', message: null })
})

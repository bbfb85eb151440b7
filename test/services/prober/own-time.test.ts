/**
 * Tests that what a prober itself does or gives up neither counts as the target's time nor ends the
 * prober.
 */
import t from 'tap'
import { unlessAborted } from '../../../services/prober/connection.ts'

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

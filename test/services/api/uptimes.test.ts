/** Uptime beside monitors: shown where analytics answers, and never waited for long. */
import t from 'tap'
import type { Analytics } from '../../../services/api/analytics/client.ts'
import { createUptimes } from '../../../services/api/monitors/uptimes.ts'

const id = '0190a000-0000-7000-8000-000000000001'
const entities = [{ kind: 'monitor' as const, id, created_at: 0 }]
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

t.test('an answer is shown', async (t) => {
  const { analytics } = answering(async () => ({ rows: [{ kind: 'monitor', id, h24: 99.5, d7: null, d30: 100 }], complete_until: null }))
  const found = await createUptimes(analytics)('tenant', entities)
  t.same([...found], [[id, { h24: 99.5, d7: null, d30: 100 }]])
  t.equal((await createUptimes(analytics)('tenant', [])).size, 0)
})

t.test('whoever does not answer, or refuses, is not asked for a while', async (t) => {
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

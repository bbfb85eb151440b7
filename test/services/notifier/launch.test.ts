/** Tests of claimed deliveries whose targets cannot be read. */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { stand } from '../api/stand.ts'
import { channel, isQuiet, ledger, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

t.test('a delivery whose target could not be read is put back as if never claimed', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  let failures = 0
  const pool = new Proxy(s.systemPool, {
    get(own, key) {
      const value: unknown = Reflect.get(own, key)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (key === 'query' && failures < 2 && JSON.stringify(args[0]).includes('deliveries-load-sending')) {
          failures += 1
          return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNRESET' }))
        }
        return Reflect.apply(value, own, args)
      }
    }
  })
  notifier(t, { ...s, systemPool: pool })
  await s.incident(s.acme)
  await until('it to be sent', () => isQuiet(s))
  t.equal(failures, 2)
  t.match(await ledger(s), [{ state: 'delivered', attempts: 1, ambiguous: 0, attempt_log: [{ n: 1, outcome: 'accepted' }] }])
  t.equal(target.received.length, 1)
})

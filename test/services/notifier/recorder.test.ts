/**
 * Tests of how outcomes get into the ledger while Postgres is away or refuses one of them, on a
 * real Postgres behind a proxy.
 */
import t, { type Test } from 'tap'
import { createLog } from '../../../services/process/log.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import { startProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, hurry, isQuiet, ledger, notifier } from './channels.ts'
import { type Receiver, receiver } from './receiver.ts'

/** A log that counts its lines with a text. */
function lines() {
  const all: string[] = []
  const log = createLog('test', 'warn', { write: (line: string) => void all.push(line) })
  return { log, count: (text: string): number => all.filter((line) => line.includes(text)).length }
}

const WAITS = 'outcomes cannot be recorded'
const GIVEN_UP = 'could not be recorded'

/** A default channel whose receiver answers when the test says so. */
async function asked(t: Test, s: Stand): Promise<Receiver & { answer(): void }> {
  const target = await receiver(t)
  let answer = (): void => undefined
  target.answers.set('/hook', (response) => {
    answer = () => void response.writeHead(204).end()
  })
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  return { ...target, answer: () => answer() }
}

t.test('an outcome is written after an outage of Postgres, however long, and nothing is sent twice', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await asked(t, s)
  const url = new URL(s.systemUrl)
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) }, {})
  url.port = String(proxy.port)
  url.hostname = '127.0.0.1'
  const pool = createPool(url.href, { application_name: 'cut off', max: 6 })
  t.teardown(async () => {
    await pool.end()
    await proxy.close()
  })
  const { log, count } = lines()
  const one = notifier(t, { ...s, systemPool: pool }, { log })
  t.teardown(() => one.close())
  await s.incident(s.acme)
  await until('the request', () => target.received.length === 1)

  proxy.refuse(true)
  proxy.cutAll()
  target.answer()
  await until('it to be tried many times', () => count(WAITS) > 5)
  proxy.refuse(false)
  await until('the outcome', () => isQuiet(s))
  t.match(await ledger(s), [{ state: 'delivered', attempts: 1, ambiguous: 0, attempt_log: [{ outcome: 'accepted', http_status: 204 }] }])
  t.equal(target.received.length, 1)
  t.equal(count(GIVEN_UP), 0)
})

/** A pool that gives no connection while it is away. Single statements still run. */
function withoutTransactions(pool: Pool): { pool: Pool; away(now: boolean): void; looks(): number } {
  let isAway = false
  let looks = 0
  return {
    away: (now) => {
      isAway = now
    },
    looks: () => looks,
    pool: new Proxy(pool, {
      get(own, key) {
        const value: unknown = Reflect.get(own, key)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (key === 'connect' && isAway) return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
          if (key === 'query' && JSON.stringify(args[0]).includes('deliveries-next')) looks += 1
          return Reflect.apply(value, own, args)
        }
      }
    })
  }
}

t.test('a delivery whose outcome waits for Postgres is not claimed when its lease runs out', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await asked(t, s)
  const { pool, away, looks } = withoutTransactions(s.systemPool)
  const { log, count } = lines()
  notifier(t, { ...s, systemPool: pool }, { log })
  await s.incident(s.acme)
  await until('the request', () => target.received.length === 1)

  away(true)
  target.answer()
  await until('the outcome to wait for more than five seconds', () => count(WAITS) > 11)
  await hurry(s, 'sending')
  const enough = looks() + 5
  await until('five looks at the queue', () => looks() > enough)
  t.match(await ledger(s), [{ state: 'sending', attempts: 1 }])
  away(false)
  await until('the outcome', () => isQuiet(s))
  t.match(await ledger(s), [{ state: 'delivered', attempts: 1, ambiguous: 0 }])
  t.equal(target.received.length, 1)
})

t.test('an outcome that Postgres refuses does not hold up others', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  const refused = await channel(s, s.acme, { config: { url: `${target.url}/refused` } })
  const other = await channel(s, s.acme, { config: { url: `${target.url}/other` } })
  await s.ownerPool.query(`
    CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
    CREATE TRIGGER test_refuse BEFORE UPDATE ON deliveries FOR EACH ROW
      WHEN (NEW.channel_id = '${refused}' AND NEW.state = 'delivered') EXECUTE FUNCTION test_refuse()`)
  const { log, count } = lines()
  notifier(t, s, { log })
  await s.incident(s.acme)
  await until('the one to be given up', () => count(GIVEN_UP) === 1)
  const states = new Map((await ledger(s)).map(({ channel_id, state }) => [channel_id, state]))
  t.equal(states.get(refused), 'sending')
  await until('the other', async () => (await ledger(s)).some(({ channel_id, state }) => channel_id === other && state === 'delivered'))
  t.equal(target.received.length, 2)
})

t.test('an outcome whose texts Postgres refuses is recorded without them', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/odd', (response) => void response.writeHead(500).end('an odd answer'))
  await channel(s, s.acme, { config: { url: `${target.url}/odd` } })
  await s.ownerPool.query(`
    CREATE FUNCTION test_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not these words'; END $$;
    CREATE TRIGGER test_refuse BEFORE UPDATE ON deliveries FOR EACH ROW
      WHEN (NEW.attempt_log::text LIKE '%odd answer%') EXECUTE FUNCTION test_refuse()`)
  const { log, count } = lines()
  notifier(t, s, { log })
  await s.incident(s.acme)
  await until('the outcome', async () => (await ledger(s))[0]?.state === 'retrying')
  t.match(await ledger(s), [
    {
      attempts: 1,
      ambiguous: 0,
      attempt_log: [{ n: 1, outcome: 'retryable', http_status: 500, error: /could not be stored/, reply: null }]
    }
  ])
  t.equal(count(GIVEN_UP), 0)
})

t.test('an absurd wait that one server asks for holds up no outcome', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/absurd', (response) => void response.writeHead(503, { 'retry-after': '99999999999999' }).end())
  const absurd = await channel(s, s.acme, { config: { url: `${target.url}/absurd` } })
  await channel(s, s.globex, { config: { url: `${target.url}/other` } })
  const { log, count } = lines()
  notifier(t, s, { log })
  await s.incident(s.acme)
  await s.incident(s.globex)
  await until('both outcomes', async () => (await ledger(s)).filter(({ attempt_log }) => attempt_log.length === 1).length === 2)
  const rows = await ledger(s)
  t.match(rows.map(({ channel_id, state }) => [channel_id === absurd, state]).sort(), [
    [false, 'delivered'],
    [true, 'retrying']
  ])
  t.equal(count(WAITS) + count(GIVEN_UP), 0)
})

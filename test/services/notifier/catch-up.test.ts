/**
 * Tests of what the notifier does after an outage, on a real Postgres behind a proxy and a real
 * Kafka: nobody is paged about an incident whose end is on the log.
 */
import t, { type Test } from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { type CatchUp, type CatchUpOptions, createCatchUp } from '../../../services/notifier/catch-up.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { createPool, type Pool } from '../../../services/store/pool.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { readLogState } from '../../../streams/runtime/connect.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { partitionOf } from '../../../streams/runtime/record-batch.ts'
import { bindKey } from '../../../streams/runtime/run.ts'
import { incidentProcessor } from '../../../streams/topology.ts'
import { localCodec } from '../../harness/codec.ts'
import { startProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { start } from '../../streams/runtime/demo.ts'
import { ownTopics, type TestLog, testLog } from '../../streams/runtime/support.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, isQuiet, ledger, notifier } from './channels.ts'
import { asDefault, intents, jobsOf, pass, policy, step, stepped, steps, user, worker } from './escalating.ts'
import { receiver } from './receiver.ts'

const codec = localCodec()
const OUTAGE_MS = 400
/** A start takes work that is this late for the work of an outage. A machine may stall for less. */
const LATE_START_MS = 20_000
const CHECKS: TopicName = 'checks.results.v1'
const ALERTS: TopicName = 'alerts.inbound.v1'
const read: readonly TopicName[] = [CHECKS, 'heartbeat.pings.v1', ...incidentProcessor.reads]

interface Held extends CatchUp {
  log: TestLog
  /** How often a wait has ended in this way. */
  ended(how: 'caught_up' | 'gave_up'): Promise<number>
}

function catchUpOf(t: Test, pool: Pool, over: Partial<CatchUpOptions> = {}): Held {
  const log = testLog()
  const metrics = createMetrics()
  const endsOf = () => Promise.resolve(new Map<string, bigint>())
  const one = createCatchUp({ pool, kinds: Object.keys(runs), endsOf, log, metrics, outageMs: OUTAGE_MS, ...over })
  t.teardown(() => one.close())
  return {
    ...one,
    log,
    async ended(how) {
      const { values } = await metrics.counter('service_notifier_waits_total', '').get()
      return values.find(({ labels }) => labels.ended === how)?.value ?? 0
    }
  }
}

/** A policy whose only step comes after ten minutes. */
const pagesLater = async (s: Stand): Promise<unknown> =>
  asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([user(s.acme.user_id)], { delay_seconds: 600 })] }))

/** A pool whose connections to Postgres can be held up. */
async function heldUp(t: Test, s: Stand): Promise<{ pool: Pool; hold(): void; goOn(): void }> {
  const url = new URL(s.systemUrl)
  let held: (() => void)[] | null = null
  const proxy = await startProxy(
    { host: url.hostname, port: Number(url.port) },
    { fromServer: (bytes, link) => (held ? void held.push(() => link.toClient(bytes)) : link.toClient(bytes)) }
  )
  url.port = String(proxy.port)
  url.hostname = '127.0.0.1'
  const pool = createPool(url.href, { application_name: 'held up', max: 6 })
  t.teardown(async () => {
    await pool.end()
    await proxy.close()
  })
  return {
    pool,
    hold: () => {
      held = []
    },
    goOn() {
      const waiting = held ?? []
      held = null
      for (const send of waiting) send()
    }
  }
}

t.test('the end of an incident that is only on the log is read before its next page', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  const over = await s.signal(s.acme)
  const { rows } = await s.systemPool.query<{ incident_id: string }>('SELECT incident_id FROM incidents')
  const ended = rows[0]?.incident_id ?? ''
  const { incident_id: ongoing } = await s.incident(s.acme)

  const topics = await ownTopics(t, read)
  const { pool, hold, goOn } = await heldUp(t, s)
  const held = catchUpOf(t, pool, { endsOf: async (names) => (await readLogState(topics.client(), names)).ends })
  worker(t, s, { pool, catchUp: held })
  const waits = async (id: string): Promise<boolean> => (await jobsOf(s, id)).some(({ wait }) => wait > 500)
  await until('both to wait for their step', async () => (await waits(ended)) && (await waits(ongoing)))

  hold()
  const log = createBatcher(new Producer(topics.client()))
  const key = `${s.acme.tenant_id}|${over.dedup_key}`
  const at = Date.now()
  const value = codec.encode('InboundAlert', { ...over, event_id: uuidv4(), action: 'resolve', occurred_at: at, received_at: at })
  await log.append([{ topic: topics.real(ALERTS), partition: partitionOf(key, 12), key, value, timestamp: at }])
  await log.close()
  await pass(s, 600)
  await new Promise((resolve) => setTimeout(resolve, 2 * OUTAGE_MS))
  goOn()
  await until('the worker to wait', () => held.log.said('info', 'work waits').length > 0)
  t.same(await steps(s, ended), [])
  t.same(await steps(s, ongoing), [], 'nobody is paged while it waits')

  const { clusterId } = await readLogState(topics.client())
  const fold = await start(bindKey(incidentProcessor, incidentStore), {
    pool: s.systemPool,
    brokers: topics.brokers,
    topicPrefix: topics.prefix,
    clusterId
  })
  t.teardown(() => fold.close())
  t.match(await stepped(s, ongoing, 1), [{ outcome: 'fired', asked: [s.acme.user_id] }], 'then it goes on')
  t.ok((await held.ended('caught_up')) > 0, 'once, and again after each time that the machine stalled')
  await until('the job of the other to be gone', async () => (await jobsOf(s, ended)).length === 0)
  t.same(await steps(s, ended), [])
  t.same(await intents(s, ended), [], 'nobody was paged about the one that is over')
})

/** Stores how far a fold has read partition 0 of a topic. */
const stored = (s: Stand, processor: string, topic: string, next: number) =>
  s.systemPool.query(
    `INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ($1, $2, 0, $3, 'test')
     ON CONFLICT (processor, topic, partition) DO UPDATE SET next_offset = excluded.next_offset, updated_at = now()`,
    [processor, topic, next]
  )

/** The log of alerts ends at 5 in partition 0; those of the other topics are empty. */
const alertsEnd = (topics: readonly TopicName[]) => new Map(topics.includes(ALERTS) ? [[`${ALERTS}:0`, 5n]] : [])

/** Makes each session of a pool read-only, or writable again. */
async function readOnly(pool: Pool, value: 'on' | 'off'): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  for (const client of clients) {
    await client.query(`SET default_transaction_read_only = ${value}`)
    client.release()
  }
}

t.test('a Postgres that answers and takes no writes is an outage: jobs wait for the folds', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  const { incident_id } = await s.incident(s.acme)
  const pool = createPool(s.systemUrl, { application_name: 'no writes', max: 4 })
  t.teardown(() => pool.end())
  await stored(s, 'incident', ALERTS, 4)
  const held = catchUpOf(t, pool, { endsOf: async (topics) => alertsEnd(topics) })
  worker(t, s, { pool, catchUp: held })
  await until('the step to wait', async () => (await jobsOf(s, incident_id)).some(({ wait }) => wait > 500))

  await readOnly(pool, 'on')
  await pass(s, 660)
  await new Promise((resolve) => setTimeout(resolve, 3 * OUTAGE_MS))
  const waits = held.log.said('info', 'work waits').length
  await readOnly(pool, 'off')
  await until('it to wait', () => held.log.said('info', 'work waits').length > waits)
  await new Promise((resolve) => setTimeout(resolve, 600))
  t.same(await steps(s, incident_id), [], 'nobody is paged while the folds are behind')
  await stored(s, 'incident', ALERTS, 5)
  t.match(await stepped(s, incident_id, 1), [{ outcome: 'fired' }])
  t.ok((await held.ended('caught_up')) > 0)
})

t.test('a Postgres that answers and takes no writes is an outage: deliveries wait for the folds', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  const idle = notifier(t, s, { maxInFlight: 0 })
  await s.incident(s.acme)
  await until('the delivery to wait', async () => (await ledger(s)).length === 1)
  await idle.close()
  const due = (seconds: number) => s.systemPool.query("UPDATE deliveries SET next_at = now() + $1 * interval '1 second'", [seconds])
  await due(600)
  const pool = createPool(s.systemUrl, { application_name: 'no writes', max: 4 })
  t.teardown(() => pool.end())
  await stored(s, 'incident', ALERTS, 4)
  const held = catchUpOf(t, pool, { endsOf: async (topics) => alertsEnd(topics) })
  const one = notifier(t, s, { pool, catchUp: held })
  await until('a first look', () => one.deliverer.ready())

  await readOnly(pool, 'on')
  await due(0)
  await new Promise((resolve) => setTimeout(resolve, 3 * OUTAGE_MS))
  const waits = held.log.said('info', 'work waits').length
  await readOnly(pool, 'off')
  await until('it to wait', () => held.log.said('info', 'work waits').length > waits)
  await new Promise((resolve) => setTimeout(resolve, 600))
  t.equal(target.received.length, 0, 'nothing is sent while the folds are behind')
  await stored(s, 'incident', ALERTS, 5)
  await until('everything to be sent', () => isQuiet(s))
  t.equal(target.received.length, 1)
  t.ok((await held.ended('caught_up')) > 0)
})

t.test('a wait does not end while Postgres takes no writes', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  const { incident_id } = await s.incident(s.acme)
  await pass(s, 660)
  const pool = createPool(s.systemUrl, { application_name: 'no writes', max: 4 })
  t.teardown(() => pool.end())
  await readOnly(pool, 'on')
  const held = catchUpOf(t, pool, { outageMs: LATE_START_MS, maxWaitMs: 300, endsOf: async () => new Map([[`${CHECKS}:0`, 9n]]) })
  worker(t, s, { pool, catchUp: held })
  await until('it to wait', () => held.log.said('info', 'work waits').length > 0)
  await new Promise((resolve) => setTimeout(resolve, 1200))
  t.equal(await held.ended('gave_up'), 0)
  await readOnly(pool, 'off')
  t.match(await stepped(s, incident_id, 1), [{ outcome: 'fired' }])
  t.equal(await held.ended('gave_up'), 1)
})

t.test('a write that failed once, and works again at once, makes nothing wait', async (t) => {
  const s = await stand(t)
  const held = catchUpOf(t, s.systemPool, { outageMs: 10_000 })
  t.equal(await held.mayAct(), true)
  const failed = (code: string) => held.failed(Object.assign(new Error('no'), { code }), performance.now() - 20_000)
  for (const code of ['40P01', '57014', '42501']) {
    failed(code)
    t.equal(held.answered(), true, `${code}: Postgres works`)
  }
  held.failed(Object.assign(new Error('no'), { code: '25006' }), performance.now())
  t.equal(held.answered(), false, 'what was found meanwhile is left')
  t.equal(await held.mayAct(), true, 'a write on trial has worked')
  t.equal(held.answered(), true)
  failed('25006')
  t.equal(await held.mayAct(), true, 'another write has worked since')

  const other = catchUpOf(t, s.systemPool, { outageMs: 10_000 })
  t.equal(await other.mayAct(), true)
  other.failed(Object.assign(new Error('no'), { code: '25006' }), performance.now() - 20_000)
  t.equal(await other.mayAct(), false, 'the first one failed 20 s ago')
  await until('it to go on', () => other.mayAct())
})

t.test('it waits for the folds, for the relay between them, and then for the last fold', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  await s.incident(s.acme)
  await s.systemPool.query('DELETE FROM outbox')
  const position = (processor: string, topic: string, next: number) =>
    s.systemPool.query(
      `INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ($1, $2, 0, $3, 'test')
       ON CONFLICT (processor, topic, partition) DO UPDATE SET next_offset = excluded.next_offset`,
      [processor, topic, next]
    )
  await position('status', CHECKS, 9)
  await position('incident', ALERTS, 4)
  const outgoing = await s.systemPool.query<{ id: number }>(
    `INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers, payload)
     VALUES ($1, 'monitor:x', 1, 'monitor.transitions.v1', 'k', '{}', 'v') RETURNING id`,
    [s.acme.tenant_id]
  )
  await pass(s, 660)
  const asked: string[][] = []
  const held = catchUpOf(t, s.systemPool, {
    outageMs: LATE_START_MS,
    endsOf: async (topics) => {
      asked.push([...topics])
      return new Map(topics.includes(CHECKS) ? [[`${CHECKS}:0`, 10n]] : [[`${ALERTS}:0`, 5n]])
    }
  })
  const some = () => new Promise((resolve) => setTimeout(resolve, 600))
  t.equal(await held.mayAct(), false, 'a step is late at the start')
  t.equal(held.answered(), false)
  await some()
  t.same(asked, [[CHECKS, 'heartbeat.pings.v1']], 'the fold of checks is not there yet')
  await position('status', CHECKS, 10)
  await some()
  t.equal(asked.length, 1, 'its transition is not on the log yet')
  await s.systemPool.query('DELETE FROM outbox WHERE id = $1', [outgoing.rows[0]?.id])
  await until('the next to be asked', () => asked.length === 2)
  t.same(asked[1], incidentProcessor.reads)
  t.equal(await held.mayAct(), false, 'the incident fold has one record to read')
  await position('incident', ALERTS, 5)
  await until('it to go on', () => held.mayAct())
  t.equal(await held.ended('caught_up'), 1)
})

t.test('a late page is better than none: the wait has a bound', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  const { incident_id } = await s.incident(s.acme)
  await pass(s, 660)
  const held = catchUpOf(t, s.systemPool, {
    outageMs: LATE_START_MS,
    maxWaitMs: 700,
    endsOf: async () => {
      throw new Error('no broker')
    }
  })
  worker(t, s, { catchUp: held })
  t.match(await stepped(s, incident_id, 1), [{ outcome: 'fired' }])
  t.equal(await held.ended('gave_up'), 1)
  t.equal(held.log.said('warn', 'how far the folds are').length, 1, 'the broker is complained of once')
  t.equal(held.log.said('warn', 'have not moved').length, 1)
})

t.test('the bound counts from the last progress of a fold', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  await s.incident(s.acme)
  await stored(s, 'status', CHECKS, 0)
  await stored(s, 'incident', ALERTS, 4)
  await pass(s, 660)
  const held = catchUpOf(t, s.systemPool, {
    outageMs: LATE_START_MS,
    maxWaitMs: 4000,
    endsOf: async (topics) =>
      topics.includes(CHECKS)
        ? new Map([
            [`${CHECKS}:0`, 100n],
            [`${CHECKS}:1`, 9n]
          ])
        : alertsEnd(topics)
  })
  t.equal(await held.mayAct(), false)
  for (let next = 1; next <= 12; next++) {
    await stored(s, 'status', CHECKS, next)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  t.equal(await held.mayAct(), false, 'six seconds, and the folds went on')
  await until('a stopped partition to hold nothing for ever', () => held.mayAct())
  t.equal(await held.ended('gave_up'), 1)
})

t.test('a fold that goes on for ever does not hold pages for longer than the longest wait', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  await s.incident(s.acme)
  await stored(s, 'status', CHECKS, 0)
  await pass(s, 660)
  const held = catchUpOf(t, s.systemPool, {
    outageMs: LATE_START_MS,
    longestMs: 2000,
    endsOf: async (topics) => (topics.includes(CHECKS) ? new Map([[`${CHECKS}:0`, 1_000_000n]]) : alertsEnd(topics))
  })
  t.equal(await held.mayAct(), false)
  let next = 0
  await until('it to go on', async () => {
    await stored(s, 'status', CHECKS, ++next)
    return held.mayAct()
  })
  t.equal(await held.ended('gave_up'), 1)
})

t.test('what comes during a long wait is waited for in another round', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  await s.incident(s.acme)
  await stored(s, 'incident', ALERTS, 4)
  await stored(s, 'status', CHECKS, 0)
  await pass(s, 660)
  let asked = 0
  const held = catchUpOf(t, s.systemPool, {
    outageMs: 500,
    endsOf: async (topics) => {
      if (!topics.includes(CHECKS)) return new Map([[`${ALERTS}:0`, 4n]])
      asked += 1
      return new Map([[`${CHECKS}:0`, asked === 1 ? 10n : 11n]])
    }
  })
  t.equal(await held.mayAct(), false)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  await stored(s, 'status', CHECKS, 10)
  await until('the ends to be asked for again', () => asked === 2)
  t.equal(await held.mayAct(), false, 'a record came meanwhile')
  await stored(s, 'status', CHECKS, 11)
  await until('it to go on', () => held.mayAct())
  t.equal(await held.ended('caught_up'), 1)
})

t.test('a write that fails beside others that work shows no outage', async (t) => {
  const s = await stand(t)
  await stored(s, 'status', CHECKS, 0)
  const held = catchUpOf(t, s.systemPool, { outageMs: 1000, endsOf: async () => new Map([[`${CHECKS}:0`, 9n]]) })
  t.equal(await held.mayAct(), true)
  held.wrote()
  held.failed(Object.assign(new Error('the connection was lost'), { code: '08006' }), performance.now() - 60_000)
  t.equal(await held.mayAct(), true)
})

t.test('a start waits only if work is late, or the folds have stored nothing for a while', async (t) => {
  const s = await stand(t)
  const begun = async (): Promise<boolean> =>
    catchUpOf(t, s.systemPool, { outageMs: 10_000, endsOf: async () => new Map([[`${CHECKS}:0`, 9n]]) }).mayAct()
  t.equal(await begun(), true, 'a new workspace has no job and no position')
  const due = (seconds: number) => s.systemPool.query("UPDATE jobs SET run_at = now() + $1 * interval '1 second'", [seconds])
  await pagesLater(s)
  await s.incident(s.acme)
  await due(600)
  t.equal(await begun(), true, 'the step comes later')
  await due(-4)
  t.equal(await begun(), true, 'four seconds late is not an outage')
  await due(-20)
  t.equal(await begun(), false, 'twenty are')
  await s.systemPool.query("UPDATE jobs SET lease_until = now() + interval '1 minute'")
  t.equal(await begun(), true, 'somebody is at it')
  await s.systemPool.query(
    "INSERT INTO stream_offsets (processor, topic, partition, next_offset, cluster_id) VALUES ('status', $1, 0, 1, 'test')",
    [CHECKS]
  )
  t.equal(await begun(), true, 'the folds are at work')
  await s.systemPool.query("UPDATE stream_offsets SET updated_at = now() - interval '1 minute'")
  t.equal(await begun(), false, 'they were not for a minute')
})

/** Says once that Postgres had not answered for a while. */
function oneOutage(): CatchUp & { looks(): number } {
  let looks = 0
  return {
    mayAct: () => Promise.resolve(true),
    answered() {
      looks += 1
      return looks > 1
    },
    wrote: () => undefined,
    failed: () => undefined,
    close: () => Promise.resolve(),
    looks: () => looks
  }
}

t.test('jobs that were leased when the outage ended are due again at once', async (t) => {
  const s = await stand(t)
  await pagesLater(s)
  const { incident_id } = await s.incident(s.acme)
  await pass(s, 660)
  const catchUp = oneOutage()
  worker(t, s, { catchUp, leaseMs: 900_000 })
  t.match(await stepped(s, incident_id, 1), [{ outcome: 'fired' }], 'long before the first lease ends')
  t.ok(catchUp.looks() > 1)
})

t.test('deliveries that were claimed when the outage ended go back into the queue', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  const idle = notifier(t, s, { maxInFlight: 0 })
  await s.incident(s.acme)
  await until('the delivery to wait', async () => (await ledger(s)).length === 1)
  await idle.close()
  const catchUp = oneOutage()
  notifier(t, s, { catchUp })
  await until('everything to be sent', () => isQuiet(s))
  t.match(await ledger(s), [{ state: 'delivered', attempts: 1, ver: 3 }])
  t.equal(target.received.length, 1)
  t.ok(catchUp.looks() > 1)
})

t.test('after an outage, no delivery is claimed with an outcome, or with the job that decided it', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  let held = false
  const waiting: (() => void)[] = []
  target.answers.set('/hook', (response) => {
    const answer = (): void => void response.writeHead(204).end()
    if (waiting.length < 4) waiting.push(answer)
    else answer()
  })
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  let refused = 0
  const mayAct = (): Promise<boolean> => {
    if (held) refused++
    return Promise.resolve(!held)
  }
  notifier(t, s, {
    catchUp: { mayAct, answered: () => !held, wrote: () => undefined, failed: () => undefined, close: () => Promise.resolve() }
  })
  for (let nth = 0; nth < 4; nth++) await s.incident(s.acme, { dedup_key: `int:x:${nth}` })
  await until('four to be under way', () => waiting.length === 4)

  held = true
  for (const nth of [4, 5]) await s.incident(s.acme, { dedup_key: `int:x:${nth}` })
  // A look that began before may still claim what it finds.
  await until('a look that may not act', async () => refused > 0 && (await ledger(s)).length === 6)
  for (const answer of waiting) answer()
  const states = async () => (await ledger(s)).map(({ state }) => state).sort()
  await until('their outcomes', async () => (await states()).filter((state) => state === 'delivered').length >= 4)
  t.same(await states(), ['delivered', 'delivered', 'delivered', 'delivered', 'queued', 'queued'])
  await s.incident(s.acme, { dedup_key: 'int:x:later' })
  await until('its delivery', async () => (await ledger(s)).length === 7)
  t.equal((await states()).filter((state) => state === 'queued').length, 3)
  held = false
  await until('the others', () => isQuiet(s))
  t.equal(target.received.length, 7)
})

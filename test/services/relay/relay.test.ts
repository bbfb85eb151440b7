/**
 * The relay between a real outbox and a real broker: order, completeness, refused rows, and the
 * marks of compacted topics.
 */

import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { refused } from '../../../services/operator/refused.ts'
import { nameOfMark } from '../../../services/relay/read.ts'
import { markedIncidents } from '../../../services/store/incident-reads.ts'
import { deleteOutgoing, insertOutgoing, OutgoingTooLarge } from '../../../services/store/outbox.ts'
import { type Tx, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { SHARDS } from '../../../services/store/relay-shards.ts'
import type { Append } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { codec, frame, insertIncident, mark, relayStack, tenant_id, versions } from './stack.ts'

t.setTimeout(300_000)

t.test('rows of an aggregate reach the log in order and leave the outbox', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  const { relay, metric } = start()
  await until('shards', () => relay.shards().length === 8)
  const aggregates = Array.from({ length: 20 }, (_, index) => `incident:${index}`)
  // Writes to one aggregate take turns. Writes to different aggregates run in parallel.
  await Promise.all(
    aggregates.map(async (aggregate) => {
      for (let ver = 1; ver <= 10; ver++) await write(frame(aggregate, ver))
    })
  )
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until('all records', () => records.length >= 200)
  t.same(versions(records), Object.fromEntries(aggregates.map((aggregate) => [aggregate, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])))
  t.equal(await metric('service_relay_sent_total'), 200)
  t.equal(await metric('service_relay_refused_total'), 0)
})

t.test('a record carries the headers of its row', async (t) => {
  const { write, start, records } = await relayStack(t)
  start()
  const row = frame('incident:a', 7, { event_type: 'incident.resolved', src: 'user:b', audience: 'team:c' } as never)
  await write(row)
  const record = await until('the record', () => records[0])
  t.same(record.headers, {
    event_id: row.event_id,
    event_type: 'incident.resolved',
    tenant_id,
    aggregate: 'incident:a',
    ver: '7',
    src: 'user:b',
    audience: 'team:c'
  })
  t.equal(record.key, tenant_id)
  t.equal(record.value?.toString(), '{"aggregate":"incident:a","ver":7}')
})

t.test('a row that becomes visible late, with a lower id, is sent too', async (t) => {
  const { pool, write, start, records } = await relayStack(t)
  const { relay } = start()
  // Wait for the shards first: a transaction that does nothing is ended after ten seconds.
  await until('shards', () => relay.shards().length === 8)
  const late = await pool.connect()
  t.teardown(() => late.release())
  await late.query('BEGIN')
  await insertOutgoing(late, [frame('incident:late', 1)], codec)
  await write(frame('incident:early', 1))
  await until('the row with the higher id', () => records.length === 1)
  await late.query('COMMIT')
  await until('the row with the lower id', () => records.length === 2)
  t.same(
    records.map(({ headers }) => headers.aggregate),
    ['incident:early', 'incident:late']
  )
})

t.test('rows of one transaction are sent in one append', async (t) => {
  const { write, start, records, log } = await relayStack(t)
  const appends: string[][] = []
  const watched: Append = {
    ...log,
    append: (batch) => {
      appends.push(batch.map(({ topic }) => topic))
      return log.append(batch)
    }
  }
  start({ log: watched })
  await write(frame('incident:a', 1, { topic: 'incident.events.v1', key: 'a' }), frame('incident:a', 1))
  await until('both', () => records.length === 2)
  t.same(appends, [['incident.events.v1', 'realtime.frames.v1']])
})

t.test('the relay reads once per write, and misses no row written during a read', async (t) => {
  const { pool, write, start, records, waiting, log } = await relayStack(t)
  const NEVER_MS = 600_000
  let reads = 0
  let whileReading: (() => Promise<void>) | null = null
  let whileSending: (() => Promise<void>) | null = null
  const { relay } = start({
    pollMs: NEVER_MS,
    balanceMs: NEVER_MS,
    log: {
      ...log,
      async append(batch) {
        await whileSending?.()
        await log.append(batch)
      }
    },
    async readCurrent(tx) {
      reads += 1
      const act = whileReading
      whileReading = null
      await act?.()
      // The answer to this statement also brings the notification of rows written meanwhile.
      if (act) await tx.query('SELECT 1')
      return new Map()
    }
  })
  await until('shards', () => relay.shards().length === SHARDS)
  await until('the first read', () => reads === 1)
  for (let ver = 1; ver <= 5; ver++) {
    await write(frame('incident:a', ver))
    await until('an empty outbox', async () => (await waiting()) === 0)
  }
  t.equal(reads, 6, 'nothing woke it between a send and the next write')

  whileReading = null
  whileSending = async () => {
    whileSending = null
    // This notification has no new row behind it. It makes the relay read again after this send.
    await pool.query("SELECT pg_notify('outbox', '0')")
    whileReading = () => write(frame('incident:b', 1))
  }
  await write(frame('incident:a', 6))
  await until('what was written while it read and found nothing', () => records.some(({ headers }) => headers.aggregate === 'incident:b'))
  t.same(versions(records), { 'incident:a': [1, 2, 3, 4, 5, 6], 'incident:b': [1] })
})

t.test('more rows than fit in one read are all sent, in order', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  for (let ver = 0; ver < 3; ver++) await write(...Array.from({ length: 450 }, (_, index) => frame('incident:a', ver * 450 + index + 1)))
  start()
  await until('all records', () => records.length >= 1350)
  await until('an empty outbox', async () => (await waiting()) === 0)
  t.same(
    versions(records)['incident:a'],
    Array.from({ length: 1350 }, (_, index) => index + 1)
  )
})

t.test('rows that the log refuses leave the outbox and hold up no other row', async (t) => {
  const { pool, write, start, records, waiting } = await relayStack(t)
  await write(...Array.from({ length: 40 }, (_, index) => frame(`incident:${index}`, 1)))
  // Only a bug could leave such rows, because insertOutgoing refuses rows that are too large.
  await pool.query(
    "UPDATE outbox SET headers = headers || jsonb_build_object('event_type', repeat('x', 1000000)) WHERE aggregate IN ('incident:7', 'incident:27')"
  )
  const { metric } = start()
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until('the others', () => Object.keys(versions(records)).length === 38)
  const { rows } = await pool.query('SELECT aggregate, ver, reason FROM outbox_refused ORDER BY aggregate')
  t.match(rows, [
    { aggregate: 'incident:27', ver: 1, reason: /bytes/ },
    { aggregate: 'incident:7', ver: 1, reason: /bytes/ }
  ])
  t.equal(await metric('service_relay_refused_total'), 2)
  await write(frame('incident:7', 2))
  await until('what comes after', () => versions(records)['incident:7'])
})

t.test('a row for a topic that the broker does not have is refused, and others are sent', async (t) => {
  const { pool, write, start, records, waiting } = await relayStack(t)
  await write(frame('incident:a', 1), frame('incident:b', 1, { topic: 'no.such.topic.v1' as never }), frame('incident:a', 2))
  start()
  await until('an empty outbox', async () => (await waiting()) === 0)
  t.same([...new Set(versions(records)['incident:a'])], [1, 2])
  const { rows } = await pool.query('SELECT aggregate, reason FROM outbox_refused')
  t.match(rows, [{ aggregate: 'incident:b', reason: /topic/ }])
})

t.test('rows for a topic of ours that is missing stay and hold up no others, and are sent once it is there', async (t) => {
  const { pool, write, start, records, waiting, createTopic } = await relayStack(t)
  const LATE = 600 // More than one read takes.
  const late = (ver: number) => frame('incident:late', ver, { topic: 'monitor.transitions.v1' as never })
  await write(...Array.from({ length: LATE }, (_, index) => late(index + 1)), frame('incident:late', 1))
  const { relay, metric } = start()
  await until('a try', async () => (await metric('service_relay_retries_total')) >= 1)
  await until('rows behind the others', () => versions(records)['incident:late'])
  await write(frame('incident:b', 1), late(LATE + 1))
  await until('new rows of others', () => versions(records)['incident:b'])
  await until('another try', async () => (await metric('service_relay_retries_total')) >= 2)
  t.equal(await waiting(), LATE + 1)
  t.ok(relay.ready())
  t.ok((await metric('service_outbox_oldest_seconds')) > 0, 'an operator sees that they wait')
  t.equal((await pool.query('SELECT FROM outbox_refused')).rowCount, 0)
  await createTopic('monitor.transitions.v1')
  await until('an empty outbox', async () => (await waiting()) === 0, 60_000)
  const sent = await until('all records', () => {
    // A send without an answer is repeated, so a row can be there twice.
    const found = new Set(records.filter(({ topic }) => topic === 'monitor.transitions.v1').map(({ headers }) => Number(headers.ver)))
    return found.size >= LATE + 1 && [...found]
  })
  t.same(
    sent,
    Array.from({ length: LATE + 1 }, (_, index) => index + 1),
    'in order'
  )
})

t.test('refused rows are listed, and are sent after they were put back', async (t) => {
  const { pool, write, start, records, waiting } = await relayStack(t)
  t.same(await refused(pool, null), ['no row was refused'])
  const other = { topic: 'no.such.topic.v1' as never }
  await write(frame('incident:a', 1, other), frame('incident:a', 2, other), frame('incident:b', 1, other))
  start()
  await until('an empty outbox', async () => (await waiting()) === 0)
  const lines = await refused(pool, null)
  t.equal(lines.length, 3)
  t.match(lines[2], /^\d+ no\.such\.topic\.v1: incident:a ver 1 of workspace 0190aaaa-[-\w]+: refused 20\S+Z: .*no topic/)
  const id = Number(lines[0]?.split(' ')[0])
  t.same(await refused(pool, { verb: 'drop', id }), ['1 dropped'])
  t.same(await refused(pool, { verb: 'drop', id }), ['0 dropped'])
  t.same(await refused(pool, { verb: 'retry', id }), ['0 put back'])
  await pool.query("UPDATE outbox_refused SET topic = 'incident.events.v1'") // The cause is gone.
  t.same(await refused(pool, { verb: 'retry', id: null }), ['2 put back'])
  await until('an empty outbox', async () => (await waiting()) === 0)
  await until('both records', () => versions(records)['incident:a']?.length === 2)
  t.same(versions(records), { 'incident:a': [1, 2] })
  t.same(await refused(pool, null), ['no row was refused'])
})

t.test('the marks of one read send the current row once, or a tombstone for a deleted row', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  await write(mark('incident:a', 1), frame('incident:a', 1), mark('incident:a', 2), mark('incident:gone', 4), mark('incident:a', 3))
  const asked: string[][] = []
  start({
    loaders: () => ({
      'incident.state.v1': async (aggregates) => {
        asked.push([...aggregates])
        return new Map([
          ['incident:a', { ver: 5, encode: () => Buffer.from('the row') }],
          ['incident:gone', null]
        ])
      }
    })
  })
  await until('an empty outbox', async () => (await waiting()) === 0)
  const states = await until('both states', () => {
    const found = records.filter(({ topic }) => topic === 'incident.state.v1')
    return found.length === 2 && found
  })
  t.same(
    asked.map((aggregates) => aggregates.sort()),
    [['incident:a', 'incident:gone']]
  )
  const [a, gone] = ['a', 'gone'].map((key) => states.find((record) => record.key === key))
  t.equal(a?.value?.toString(), 'the row')
  t.equal(a?.headers.ver, '5', 'the version of the row, not of the mark')
  t.equal(gone?.value, null)
  t.equal(gone?.headers.ver, '4')
})

t.test('a row that is read with its mark is not loaded again, unless it is older than the mark', async (t) => {
  const { write, start, records, waiting } = await relayStack(t)
  const row = (ver: number, value: string) => ({ ver, encode: () => Buffer.from(value) })
  await write(mark('incident:a', 2), mark('incident:b', 2), mark('incident:c', 2))
  const asked: string[] = []
  const name = (id: string): string => nameOfMark({ topic: 'incident.state.v1', aggregate: `incident:${id}` })
  start({
    readCurrent: async () =>
      new Map([
        [name('a'), row(3, 'read along')],
        [name('b'), row(1, 'too old')],
        [name('d'), row(1, 'nobody asked')]
      ]),
    loaders: () => ({
      'incident.state.v1': async (aggregates) => {
        asked.push(...aggregates)
        return new Map(aggregates.map((aggregate) => [aggregate, row(2, 'loaded')]))
      }
    })
  })
  await until('an empty outbox', async () => (await waiting()) === 0)
  const states = await until('the states', () => {
    const found = records.filter(({ topic }) => topic === 'incident.state.v1')
    return found.length === 3 && found
  })
  t.same(asked.sort(), ['incident:b', 'incident:c'])
  const sent = states.map(({ key, value, headers }) => `${key} ${headers.ver} ${value}`)
  t.same(sent.sort(), ['a 3 read along', 'b 2 loaded', 'c 2 loaded'])
})

t.test('incidents are read together with their marks', async (t) => {
  const { pool, write } = await relayStack(t)
  const [one, two] = [uuidv7(), uuidv7()]
  await insertIncident(pool, one, 1)
  await insertIncident(pool, two, 2)
  const marked = async (shards: number[]): Promise<string[]> => [...(await markedIncidents(pool, shards)).keys()].sort()
  const all = Array.from({ length: SHARDS }, (_, shard) => shard)
  t.same(await marked(all), [], 'nothing asks for them')
  await write(
    mark(`incident:${one}`, 1),
    mark(`incident:${one}`, 2),
    mark('incident:none', 1),
    mark(`incident:${uuidv7()}`, 1),
    frame(`incident:${two}`, 1)
  )
  t.same(await marked(all), [one], 'a frame asks for none, and what is no incident has none')
  const { rows } = await pool.query<{ shard: number }>('SELECT DISTINCT shard FROM outbox WHERE aggregate = $1', [`incident:${one}`])
  t.same(await marked(all.filter((shard) => shard !== rows[0]?.shard)), [], 'of other shards')
})

t.test('a mark is refused if its row is missing or cannot be encoded', async (t) => {
  const { pool, write, start, waiting } = await relayStack(t)
  await write(mark('incident:bad', 1), mark('incident:none', 1), mark('incident:none', 2), frame('incident:good', 1))
  const bad = {
    ver: 1,
    encode: () => {
      throw new TypeError('Incident.title is not a string')
    }
  }
  const { metric } = start({ loaders: () => ({ 'incident.state.v1': async () => new Map([['incident:bad', bad]]) }) })
  await until('an empty outbox', async () => (await waiting()) === 0)
  const { rows } = await pool.query('SELECT aggregate, ver, reason FROM outbox_refused ORDER BY aggregate')
  t.match(rows, [
    { aggregate: 'incident:bad', ver: 1, reason: 'Incident.title is not a string' },
    { aggregate: 'incident:none', ver: 2, reason: /no current row/ }
  ])
  t.equal(await metric('service_relay_sent_total'), 1)
})

t.test('a row that is too large fails its writer, and the error names only the aggregate', async (t) => {
  const { pool, waiting } = await relayStack(t)
  const large = frame('incident:large', 3, { json: `"secret${'x'.repeat(900_000)}"` } as never)
  const failure = await transaction(pool, (tx) => insertOutgoing(tx, [frame('incident:a', 1), large], codec)).catch(
    (error: unknown) => error
  )
  t.ok(failure instanceof OutgoingTooLarge)
  t.match(String(failure), /incident:large ver 3/)
  t.notMatch(String(failure), /secret/)
  t.equal(await waiting(), 0)
  await insertOutgoing(pool, [], codec)
})

t.test('with row-level security a workspace can write only its own rows', async (t) => {
  const { pool, tenantPool, waiting } = await relayStack(t)
  await tenantTransaction(tenantPool, wholeWorkspace(tenant_id), (tx) => insertOutgoing(tx, [frame('incident:a', 1)], codec))
  await t.rejects(
    tenantTransaction(tenantPool, wholeWorkspace('0190aaaa-0000-7000-8000-000000000002'), (tx) =>
      insertOutgoing(tx, [frame('incident:a', 2)], codec)
    ),
    /row-level security/
  )
  t.equal(await waiting(), 1)
  const { rows } = await pool.query('SELECT ver FROM outbox')
  t.same(rows, [{ ver: 1 }])
})

t.test('the deletion of sent rows does not wait for the disk, but other writes do', async (t) => {
  const { pool, write, waiting } = await relayStack(t)
  await write(frame('incident:a', 1), frame('incident:b', 1))
  const waits = async (tx: Tx): Promise<unknown> =>
    (await tx.query<{ synchronous_commit: string }>('SHOW synchronous_commit')).rows[0]?.synchronous_commit
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: number }>('SELECT id FROM outbox')
    t.equal(await waits(tx), 'on')
    await deleteOutgoing(
      tx,
      rows.map(({ id }) => id)
    )
    t.equal(await waits(tx), 'off')
  })
  t.equal(await waiting(), 0)
  await transaction(pool, async (tx) => t.equal(await waits(tx), 'on', 'it holds for its own transaction alone'))
})

/**
 * Each fact on the log becomes one row, whatever happens between two steps. At each named point the
 * sink is ended in process and another takes over. Each run shows that its point was reached, and a
 * control shows what would happen without the token.
 */
import t from 'tap'
import type { Codec } from '../../../schemas/codec.ts'
import { loadRecords } from '../../../schemas/load.ts'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { columnsOf } from '../../../services/analytics/columns.ts'
import { excludedBy, type VersionRow } from '../../../services/analytics/exclusions.ts'
import { formBatch, learn } from '../../../services/analytics/forming.ts'
import { statementOf } from '../../../services/analytics/queries.ts'
import { armCrashPoint, Crash, type CrashPointName, crashPointArmed, crashPoints } from '../../../streams/runtime/crash-point.ts'
import type { SinkOptions } from '../../../streams/runtime/sink.ts'
import { localCodec } from '../../harness/codec.ts'
import { record } from '../../harness/records.ts'
import { until } from '../../harness/until.ts'
import { codec, content, exactlyOnce, type Ledger, scene } from './scene.ts'
import { ownEngine, read } from './stand.ts'

t.setTimeout(280_000)

/** One topic with rollups and one with two tables; the others work the same way. */
const few: readonly TopicName[] = ['checks.results.v1', 'incident.events.v1']
const points = crashPoints.filter((name): name is CrashPointName & `sink.${string}` => name.startsWith('sink.'))

/** The same record, as written with the schema `id`. */
function under(id: number, value: Buffer | null): Buffer {
  const bytes = Buffer.from(value ?? [])
  bytes.writeInt32BE(id, 1)
  return bytes
}

t.test('the analytics sink', async (t) => {
  const engine = await ownEngine(t)

  t.test('every record on the log becomes one row', async (t) => {
    const at = await scene(t)
    const ledger = content()
    await at.append(ledger.records)
    const sink = await at.run(engine)
    await at.drained(sink)
    await exactlyOnce(t, engine, ledger)
    t.equal(await at.announced(), 0, 'no batch is left announced')
    t.ok(sink.sink.ready())
    const more = content()
    await at.append(more.records)
    await at.drained(sink)
    await exactlyOnce(t, engine, more)
    t.equal(sink.metrics.sum('service_sink_gaps_total'), 0)
  })

  for (const point of points) {
    t.test(point, async (t) => {
      const at = await scene(t, few)
      t.teardown(() => armCrashPoint(null))
      const ledger = content(few)
      await at.append(ledger.records)
      armCrashPoint(point)
      const dying = await at.run(engine)
      await until('the crash', () => dying.fatals.length > 0)
      t.notOk(crashPointArmed(), 'the point was reached')
      t.match(dying.fatals, [{ error: Crash }])
      await dying.close()
      const announced = await at.announced()
      // After the commit no batch of that topic is left announced; other topics may be at any
      // point.
      if (point !== 'sink.after-commit') t.ok(announced > 0, 'a batch is left announced')
      await at.append(content(few).records)
      const next = await at.run(engine)
      await at.drained(next)
      t.equal(next.metrics.sum('service_sink_recovered_total') > 0, announced > 0, 'an announced batch was finished')
      await exactlyOnce(t, engine, ledger)
    })
  }

  t.test('control: without its token, a repeated batch stores rows twice', async (t) => {
    const at = await scene(t, few)
    t.teardown(() => armCrashPoint(null))
    const ledger = content(few)
    await at.append(ledger.records)
    armCrashPoint('sink.before-commit')
    const untold = { insert: ({ table, body }: { table: string; body: Buffer }) => engine.insert(table, columnsOf(table), body, uuidv4()) }
    const dying = await at.run(engine, untold)
    await until('the crash', () => dying.fatals.length > 0)
    await dying.close()
    await at.drained(await at.run(engine, untold))
    const { tenant_id } = ledger
    let doubled = 0
    for (const [table, count] of Object.entries(ledger.rows)) {
      const [found] = await read(engine, 'SELECT count() AS plain FROM {table:Identifier} WHERE tenant_id = {tenant_id:UUID}', {
        table,
        tenant_id
      })
      if (Number(found?.plain) > count) doubled += 1
    }
    t.ok(doubled > 0, 'a table has rows twice')
  })

  t.test('while the engine is down, the sink waits and loses nothing', async (t) => {
    const at = await scene(t, few)
    const ledger = content(few)
    let away = true
    const sink = await at.run(engine, {
      insert: async ({ table, body }, token) => {
        if (away) throw new Error('no engine')
        await engine.insert(table, columnsOf(table), body, token)
      }
    })
    await at.append(ledger.records)
    await until('inserts to fail', () => sink.metrics.sum('service_sink_retries_total') > 5 && !sink.sink.ready())
    away = false
    await at.drained(sink)
    t.ok(sink.sink.ready())
    await exactlyOnce(t, engine, ledger)
  })

  t.test('an insert whose answer is lost is repeated without doubling rows', async (t) => {
    const at = await scene(t, few)
    const ledger = content(few)
    const seen = new Set<string>()
    const sink = await at.run(engine, {
      insert: async ({ table, body }, token) => {
        await engine.insert(table, columnsOf(table), body, token)
        if (seen.has(token)) return
        seen.add(token)
        throw new Error('the connection broke after the insert')
      }
    })
    await at.append(ledger.records)
    await at.drained(sink)
    t.ok(seen.size > 0)
    await exactlyOnce(t, engine, ledger)
  })

  t.test('each row is stored once when sinks join and leave', async (t) => {
    const at = await scene(t, few)
    const [one, two, three] = [content(few), content(few), content(few)]
    const first = await at.run(engine)
    await at.append(one.records)
    const second = await at.run(engine)
    await at.append(two.records)
    await until('both to be ready', () => first.sink.ready() && second.sink.ready(), 30_000)
    const owned = (sink: typeof first): boolean => sink.sink.completeUntil('checks.results.v1') !== null
    await until('one to own the checks', () => owned(first) !== owned(second), 30_000)
    await first.close()
    await at.append(three.records)
    await at.drained(second)
    for (const ledger of [one, two, three]) await exactlyOnce(t, engine, ledger)
    t.same([...first.fatals, ...second.fatals], [])
  })

  t.test('an unreadable record becomes one row of the rejected table', async (t) => {
    const at = await scene(t, few)
    const ledger = content(few)
    const tenant = uuidv4()
    const place = { topic: 'checks.results.v1', key: 'k' } as const
    await at.append([
      ...ledger.records,
      { ...place, value: Buffer.from('no magic') },
      { ...place, value: codec.encode('CheckResult', record('CheckResult')).subarray(0, 40) },
      { ...place, value: codec.encode('CheckResult', record('CheckResult', { tenant_id: tenant, retention_days: 1e6 })) },
      {
        ...place,
        value: codec.encode('Budget', record('Budget', { event_id: tenant, tenant_id: tenant }))
      }
    ])
    const before = await read(engine, 'SELECT reason, count() AS n FROM rejected GROUP BY reason ORDER BY reason')
    t.same(before, [])
    await at.drained(await at.run(engine))
    t.same(await read(engine, 'SELECT reason, count() AS n FROM rejected GROUP BY reason ORDER BY reason'), [
      { reason: 'decode', n: 2 },
      { reason: 'unfit', n: 2 }
    ])
    await exactlyOnce(t, engine, ledger)
  })

  t.test('records wait for a schema that the registry does not know, and none is dropped', async (t) => {
    const checks: readonly TopicName[] = ['checks.results.v1']
    const at = await scene(t, checks)
    t.teardown(() => armCrashPoint(null))
    const schema = JSON.stringify(loadRecords().get('CheckResult')?.schema)
    const appendUnder = async (id: number): Promise<Ledger> => {
      const ledger = content(checks)
      await at.append(ledger.records.map((one) => (one.headers ? one : { ...one, value: under(id, one.value) })))
      return ledger
    }
    const reading = (own: Codec): Partial<SinkOptions> => ({
      begin: () => formBatch(own, () => undefined),
      prepare: (records) => learn(own, records)
    })
    const rejected = () => read(engine, 'SELECT count() AS n FROM rejected')
    const before = await rejected()

    const announced = await appendUnder(777)
    armCrashPoint('sink.after-insert')
    const dying = await at.run(engine, reading(localCodec(new Map([[777, schema]]))))
    await until('the crash', () => dying.fatals.length > 0)
    await dying.close()
    t.ok((await at.announced()) > 0, 'a batch is left announced')
    const later = await appendUnder(778)

    const restored = new Map<number, string>()
    const { sink, metrics, ...started } = await at.run(engine, reading(localCodec(restored)))
    const asked = (): number => metrics.sum('service_sink_retries_total')
    await until('it to ask for the schema of the announced batch', () => asked() > 3)
    t.notOk(sink.ready())
    restored.set(777, schema)
    await until('the announced batch', () => metrics.sum('service_sink_recovered_total') > 0)
    const soFar = asked()
    await until('it to ask for the schema of the next records', () => asked() > soFar + 3)
    t.notOk(sink.ready())
    restored.set(778, schema)
    await at.drained({ sink, metrics, ...started })
    t.ok(sink.ready())
    t.same(await rejected(), before)
    for (const ledger of [announced, later]) await exactlyOnce(t, engine, ledger)
  })

  t.test('a maintenance window leaves time out of uptime until its tombstone is stored', async (t) => {
    const at = await scene(t, ['maintenance.windows.v1'])
    const [tenant_id, window_id] = [uuidv4(), uuidv4()]
    const [from, until] = [1_800_000_000_000, 1_800_003_600_000]
    const { scope } = record('MaintenanceWindow')
    const window = record('MaintenanceWindow', {
      tenant_id,
      window_id,
      ver: 3,
      updated_at: Date.now(),
      starts_at: from,
      ends_at: until,
      scope: { ...scope, all: true }
    })
    const stored = () =>
      read(engine, 'SELECT ver, deleted FROM maintenance_windows FINAL WHERE tenant_id = {tenant_id:UUID}', { tenant_id })
    const exclusions = async () => excludedBy(await read<VersionRow>(engine, statementOf('exclusions'), { tenant_id, from, until }))
    await at.append([{ topic: 'maintenance.windows.v1', key: window_id, value: codec.encode('MaintenanceWindow', window) }])
    const sink = await at.run(engine)
    await at.drained(sink)
    t.same(await stored(), [{ ver: 3, deleted: false }])
    t.match(await exclusions(), [{ covers_all: true, spans: [[from, until]] }])
    await at.append([{ topic: 'maintenance.windows.v1', key: window_id, value: null, headers: { tenant_id, ver: '4' } }])
    await at.drained(sink)
    t.same(await stored(), [{ ver: 4, deleted: true }])
    t.same(await exclusions(), [])
  })
})

/**
 * Tests dead letters that are put back on the log: each is folded once, only by its own processor,
 * with the offset at which it was first on the log. The fold of these tests keeps, by key, every
 * record with the offset it was given, and takes an amount only when its offset is the highest so
 * far.
 */
import t, { type Test } from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { type RedriveWords, redrive } from '../../../services/operator/redrive.ts'
import type { Input, PartitionProcessor } from '../../../streams/define.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { follow } from '../../../streams/runtime/follow.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { isRedriven } from '../../../streams/runtime/redriven.ts'
import { bindPartition } from '../../../streams/runtime/run.ts'
import type { Append, InRecord, OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { codec, order, REFUSED, TOPIC } from './demo.ts'
import { CALM, type Scene, scene } from './scene.ts'
import { CATCH_UP_MS } from './support.ts'

t.setTimeout(300_000)
t.jobs = 3

const NAME = 'demo-ordered'

interface Row {
  /** The amount at the highest offset. */
  amount: number
  offset: string
  seen: { offset: string; amount: number; at: number; redriven: boolean }[]
}

/** `mended`: the fold accepts what it refused before. */
const processor = (mended: boolean, name = NAME): PartitionProcessor<Row> => ({
  kind: 'byPartition',
  name,
  reads: [TOPIC],
  keeps: 'what it has seen, by key',
  emits: [],
  fold(state, inputs) {
    const changed = new Map<string, Row>()
    const refused: { input: Input; reason: string }[] = []
    for (const input of inputs) {
      if (input.record !== 'BudgetConfig') throw new Error(`unexpected ${input.record}`)
      const { tenant_id: key, ceiling: amount } = input.value
      if (amount === REFUSED && !mended) {
        refused.push({ input, reason: 'not yet' })
        continue
      }
      const before = changed.get(key) ?? state.get(key) ?? { amount: 0, offset: '-1', seen: [] }
      const isNewest = input.offset > BigInt(before.offset)
      const seen = [...before.seen, { offset: String(input.offset), amount, at: input.timestamp, redriven: input.redriven === true }]
      changed.set(key, { ...(isNewest ? { amount, offset: String(input.offset) } : before), seen })
    }
    return { changed, kept: new Map(), outgoing: [], jobs: [], refused, notices: [], hints: [] }
  }
})

const row = async (at: Scene, name = NAME): Promise<Row | undefined> =>
  (await at.pool.query<{ state: Row }>('SELECT state FROM partition_state WHERE processor = $1', [name])).rows[0]?.state

const everything: RedriveWords = {
  processor: NAME,
  topic: null,
  workspace: null,
  reason: null,
  since: null,
  until: null,
  limit: 1000,
  accounted: { by: 'ada', why: 'a test' }
}

interface Desk {
  log: Append
  /** Does the relay's work: moves letters from the outbox to dlq.v1. */
  relay(): Promise<void>
  /**
   * Runs the command with `wanted` instead of everything. Resolves with the last line that it
   * prints.
   */
  redrive(wanted?: Partial<RedriveWords>): Promise<string[]>
}

function desk(t: Test, at: Scene): Desk {
  const plain = createBatcher(new Producer(at.topics.client()))
  t.teardown(() => plain.close())
  const log: Append = {
    ...plain,
    append: (records) => plain.append(records.map((record) => ({ ...record, topic: at.topics.real(record.topic) })))
  }
  return {
    log,
    async relay() {
      const { rows } = await at.pool.query("DELETE FROM outbox WHERE topic = 'dlq.v1' RETURNING key, payload, ver")
      const letters = rows.sort((a, b) => a.ver - b.ver)
      await log.append(letters.map(({ key, payload }): OutRecord => ({ topic: 'dlq.v1', key, value: payload })))
    },
    async redrive(wanted = {}) {
      const lines: string[] = []
      const { brokers, prefix: topicPrefix } = at.topics
      await redrive({ pool: at.pool, codec, brokers, topicPrefix, log, tell: (line) => lines.push(line) }, { ...everything, ...wanted })
      return lines
    }
  }
}

/** A record that was refused (at offset 1, of `AT`), with one before it and one after it. */
async function refusedBetween(t: Test): Promise<{ at: Scene; desk: Desk }> {
  const at = await scene(t, { ...CALM, topics: [TOPIC, 'dlq.v1'] })
  const some = desk(t, at)
  await at.append([order(uuidv4(), 1, 100, 0), order(uuidv4(), 1, REFUSED, 0), order(uuidv4(), 1, 200, 0)])
  const run = await at.run(bindPartition(processor(false)))
  await at.drained(run, NAME)
  await run.close()
  await some.relay()
  return { at, desk: some }
}

t.test('a redriven letter is folded once, with its original offset', { buffered: true }, async (t) => {
  const { at, desk } = await refusedBetween(t)
  t.same((await desk.redrive({ accounted: null })).slice(-1), ['1 letter(s) would be put back, 0 not'])
  t.same((await at.pool.query('SELECT FROM redriven_letters')).rows, [], 'a dry run does nothing')
  t.match(await desk.redrive(), [/ingest\.usage\.v1 0 1: letter /, '1 letter(s) put back, 0 not'])
  t.same(await desk.redrive(), ['0 letter(s) put back, 0 not'], 'put back already')

  const run = await at.run(bindPartition(processor(true)))
  await at.drained(run, NAME)
  const after = await row(at)
  t.match(after, { amount: 200, offset: '2' }, 'what came after it still comes after it')
  t.match(after?.seen, [
    { offset: '0', amount: 100, redriven: false },
    { offset: '2', amount: 200, redriven: false },
    { offset: '1', amount: REFUSED, redriven: true }
  ])
  t.equal(new Set(after?.seen.map(({ at }) => at)).size, 1, 'its time is that of the record')
  t.match((await at.pool.query('SELECT sent_by, sent_why, folded_offset FROM redriven_letters')).rows, [
    { sent_by: 'ada', sent_why: 'a test', folded_offset: 3 }
  ])

  // Puts the same letter on the log again, as when a command is interrupted and run again.
  await at.pool.query('UPDATE redriven_letters SET sent_at = NULL')
  const copies = (await everyRecord(at)).filter(({ headers }) => isRedriven(headers))
  t.equal(copies.length, 1)
  await at.append(
    copies.flatMap((copy) => [copy, copy]).map(({ topic, partition, key, value, headers }) => ({ topic, partition, key, value, headers }))
  )
  await at.drained(run, NAME)
  t.same(await row(at), after, 'folded once')
  await run.close()

  // Reads again from there, as after any restart: the letter is remembered by its id.
  await at.pool.query('UPDATE stream_offsets SET next_offset = 3')
  const again = await at.run(bindPartition(processor(true)))
  await at.drained(again, NAME)
  t.same(await row(at), after, 'folded once')
  t.same(again.fatals, [])
})

/** All records of the topic, including those that were put back. */
async function everyRecord(at: Scene): Promise<InRecord[]> {
  const { readRanges } = await import('../../../streams/runtime/read-range.ts')
  const { readLogState } = await import('../../../streams/runtime/connect.ts')
  const { ends } = await readLogState(at.topics.client(), [TOPIC])
  const records: InRecord[] = []
  const ranges = new Map([[0, { first: 0n, last: (ends.get(`${TOPIC}:0`) ?? 0n) - 1n }]])
  await readRanges(at.topics.client(), TOPIC, ranges, (some) => void records.push(...some))
  return records
}

t.test('a letter that has two ids is put back once', { buffered: true }, async (t) => {
  const { at, desk } = await refusedBetween(t)
  const letters: InRecord[] = []
  const follower = await follow(
    { ...at.topics.client(), maxWaitMs: 100, catchUpMs: CATCH_UP_MS },
    { topics: ['dlq.v1'], from: 'beginning', onRecords: (some) => void letters.push(...some) }
  )
  const [first] = await until('the letter', () => letters.length > 0 && letters)
  await follower.close()
  // As a version made it that did not put the log into the id.
  const letter = { ...codec.decode('DeadLetter', first?.value as Buffer), event_id: uuidv4() }
  await desk.log.append([{ topic: 'dlq.v1', key: TOPIC, value: codec.encode('DeadLetter', letter) }])
  t.same((await desk.redrive()).slice(-1), ['1 letter(s) put back, 0 not'])
  t.same(await desk.redrive(), ['0 letter(s) put back, 0 not'])
})

t.test('only its own processor reads a redriven letter', { buffered: true }, async (t) => {
  const { at, desk } = await refusedBetween(t)
  t.match((await desk.redrive()).slice(-1), ['1 letter(s) put back, 0 not'])
  const other = await at.run(bindPartition(processor(true, 'demo-other')))
  await at.drained(other, 'demo-other')
  t.same(
    (await row(at, 'demo-other'))?.seen.map(({ amount }) => amount),
    [100, REFUSED, 200]
  )
  const followed: InRecord[] = []
  const follower = await follow(
    { ...at.topics.client(), maxWaitMs: 50, catchUpMs: CATCH_UP_MS },
    { topics: [TOPIC], from: 'beginning', onRecords: (some) => void followed.push(...some) }
  )
  t.teardown(() => follower.close())
  t.ok(await follower.caughtUp)
  t.same(
    followed.map(({ offset }) => offset),
    [0n, 1n, 2n]
  )
  t.equal((await everyRecord(at)).length, 4, 'it is on the log')
})

t.test('a redriven letter that is refused again keeps its original offset', { buffered: true }, async (t) => {
  const { at, desk } = await refusedBetween(t)
  await desk.redrive()
  const still = await at.run(bindPartition(processor(false)))
  await at.drained(still, NAME)
  await still.close()
  await desk.relay()
  t.match(await desk.redrive(), [/ingest\.usage\.v1 0 1: letter /, '1 letter(s) put back, 0 not'])
  const run = await at.run(bindPartition(processor(true)))
  await at.drained(run, NAME)
  t.match(await row(at), { amount: 200, seen: [{ offset: '0' }, { offset: '2' }, { offset: '1', amount: REFUSED }] })
  t.equal((await row(at))?.seen.length, 3)
})

t.test('a redriven record with wrong headers becomes a dead letter and is not folded', { buffered: true }, async (t) => {
  const { at, desk } = await refusedBetween(t)
  await desk.redrive()
  const [record] = (await everyRecord(at)).filter(({ headers }) => isRedriven(headers))
  const { topic, partition, key, value, headers = {} } = record ?? { topic: TOPIC as TopicName, partition: 0, key: '', value: null }
  const wrong: Record<string, string>[] = [
    { redrive_offset: 'x' },
    { redrive_letter: 'y' },
    { redrive_log: 'another', redrive_letter: uuidv4() },
    { redrive_partition: '1', redrive_letter: uuidv4() },
    { redrive_offset: '400', redrive_letter: uuidv4() }
  ]
  await at.append(wrong.map((more) => ({ topic, partition, key, value, headers: { ...headers, ...more } })))
  const run = await at.run(bindPartition(processor(true)))
  await at.drained(run, NAME)
  t.equal((await row(at))?.seen.length, 3)
  const { rows } = await at.pool.query("SELECT reason FROM dead_letters WHERE reason <> 'refused'")
  t.same(
    rows.map(({ reason }) => reason),
    wrong.map(() => 'redrive')
  )
})

t.test('truncated letters are listed and not sent, and filters select letters', { buffered: true }, async (t) => {
  const at = await scene(t, { ...CALM, topics: [TOPIC, 'dlq.v1'] })
  const office = desk(t, at)
  const tenant = (number: number): string => uuidv5('0f6d4bd0-6f31-5b3e-8d44-3e0f4a3b1a77', `tenant ${number}`)
  const large: OutRecord = { topic: TOPIC, partition: 0, key: 'large', value: Buffer.alloc(600_000, 'x') }
  const early = { ...order(uuidv4(), 3, REFUSED, 0), timestamp: Date.now() - 3_600_000 }
  await at.append([order(uuidv4(), 1, REFUSED, 0), large, order(uuidv4(), 2, REFUSED, 0), early])
  const run = await at.run(bindPartition(processor(false)))
  await at.drained(run, NAME)
  await run.close()
  await office.relay()
  await at.pool.query("INSERT INTO tenants (tenant_id, slug, name) VALUES ($1, 'acme', 'Acme')", [tenant(2)])
  const dry = async (wanted: Partial<RedriveWords>): Promise<string[]> => office.redrive({ ...wanted, accounted: null })
  const places = (lines: readonly string[]): string[] => lines.flatMap((line) => /v1 0 (\d+): letter/.exec(line)?.[1] ?? [])
  const all = await dry({})
  t.same(places(all), ['0', '2', '3'])
  t.match(all[0], /ingest\.usage\.v1 0 1: not sent: cut at 524288 of its 600000 bytes/)
  t.equal(all.at(-1), '3 letter(s) would be put back, 1 not')
  t.same(places(await dry({ workspace: 'acme' })), ['2'])
  t.same(places(await dry({ reason: 'decode' })), [])
  t.same(places(await dry({ since: Date.now() - 1_800_000 })), ['0', '2'])
  t.same(places(await dry({ until: Date.now() - 1_800_000 })), ['3'])
  t.same(places(await dry({ topic: 'alerts.inbound.v1' })), [])
  t.same(places(await dry({ processor: 'status' })), [])
  t.same((await dry({ limit: 2 })).slice(-2), ['2 letter(s) would be put back, 1 not', 'there are more: run it again for the next'])
  await t.rejects(dry({ workspace: 'nobody' }), { message: 'there is no workspace nobody' })
  await office.redrive({ limit: 2 })
  t.same(places(await dry({})), ['3'], 'the next run goes on')
  await office.redrive()
  const mended = await at.run(bindPartition(processor(true)))
  await at.drained(mended, NAME)
  const { rows } = await at.pool.query<{ state: Row }>('SELECT state FROM partition_state')
  t.same(rows.map(({ state }) => state.offset).sort(), ['0', '2', '3'])
  await until('nothing more', async () => (await office.redrive()).at(-1) === '0 letter(s) put back, 1 not')
})

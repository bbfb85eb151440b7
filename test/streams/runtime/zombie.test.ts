/**
 * Tests two owners of one partition, as two processes. One is frozen (SIGSTOP) with an unfinished
 * batch until the group has given its partitions to the other, which finishes them; then the first
 * wakes up (SIGCONT) and continues where it was. It must write nothing. The group cannot ensure
 * that: the compare-and-set of the position does, and without it (control) records count twice.
 */
import t, { type Test } from 'tap'
import { uuidv4 } from '../../../schemas/uuid.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { folded, type Kind, nameOf, order, orders, stored, sums } from './demo.ts'
import { launch, type Process } from './processes.ts'
import { exactlyOnce, outboxCount, type Scene, scene } from './scene.ts'

t.setTimeout(300_000)
t.jobs = 4

const FREEZE = 7777
const PARTITIONS = 6

/** Records on every partition. The first process freezes at the last record of each. */
const load = (): OutRecord[] => [
  ...orders(120, PARTITIONS),
  ...Array.from({ length: PARTITIONS }, (_, partition) => order(uuidv4(), partition, FREEZE, partition)),
  ...orders(30, PARTITIONS)
]

/**
 * Runs from the first record to the end of both processes. Returns what the zombie printed; what
 * was written meanwhile is in the scene's tables.
 */
async function story(
  t: Test,
  kind: Kind,
  freezeAt: 'before' | 'inside',
  unfenced = false
): Promise<{ at: Scene; records: OutRecord[]; zombie: Process }> {
  const at = await scene(t)
  const records: OutRecord[] = []
  const append = async (some: OutRecord[]): Promise<void> => {
    await at.append(some)
    records.push(...some)
  }
  const written = (who: string) => until(`${who} to write all`, async () => (await outboxCount(at)) >= folded(records))
  const zombie = launch(t, at, { kind, freeze: { amount: FREEZE, at: freezeAt }, unfenced })
  const heir = launch(t, at, { kind, freeze: null, unfenced })
  const holds = (one: Process, partitions: number) => one.said('assigned').at(-1)?.partitions === partitions
  const frozen = () => zombie.said('frozen').length > 0
  const both = () => until('both to have partitions', () => holds(zombie, 3) && holds(heir, 3))
  await both()
  await append(orders(60, PARTITIONS))
  await written('both')
  // The group can give every partition to the heir meanwhile, which never freezes: then again.
  while (!frozen()) {
    await both()
    await append(load())
    await until('the zombie to freeze, or all to be written', async () => frozen() || (await outboxCount(at)) >= folded(records))
  }
  await until('the other to have all partitions', () => holds(heir, PARTITIONS))
  await written('the heir')
  // Makes the batch that the zombie fetched end before the position that it will find.
  await append(orders(60, PARTITIONS))
  await written('the heir')
  const assigned = zombie.said('assigned').length
  zombie.child.kill('SIGCONT')
  await until('the zombie to be a member again', () => zombie.said('assigned').length > assigned && holds(zombie, 3))
  await append(orders(60, PARTITIONS))
  await written('both')
  t.same(await Promise.all([zombie.stop(), heir.stop()]), [0, 0], 'both end well')
  t.same(
    [zombie, heir].flatMap((one) => [...one.said('fatal'), ...one.said('error')]),
    []
  )
  return { at, records, zombie }
}

for (const kind of ['byPartition', 'byKey'] as const) {
  t.test(`${kind}: an owner frozen with an unfinished batch is fenced`, { buffered: true }, async (t) => {
    const { at, records, zombie } = await story(t, kind, 'before')
    t.ok(zombie.said('fenced').length > 0, 'it tried, and found another owner')
    await exactlyOnce(t, at, kind, records)
    const { rows } = await at.pool.query('SELECT sum(next_offset)::int AS sum FROM stream_offsets WHERE processor = $1', [nameOf(kind)])
    t.equal(rows[0].sum, records.length, 'the positions are those of one run')
  })
}

t.test('byKey: an owner frozen inside its transaction loses it, and records count once', { buffered: true }, async (t) => {
  const { at, records, zombie } = await story(t, 'byKey', 'inside')
  t.ok(zombie.said('warn').length > 0, 'its transaction was gone')
  await exactlyOnce(t, at, 'byKey', records)
})

t.test('control: without the position check, records count twice', { buffered: true }, async (t) => {
  const { at, records } = await story(t, 'byKey', 'before', true)
  t.ok((await outboxCount(at)) > folded(records), 'outbox rows')
  t.notSame(await stored(at.pool, 'byKey'), sums(records, 'byKey'), 'sums')
})

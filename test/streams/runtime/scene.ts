/**
 * The scene in which the loop is tested: a database with the demo's tables, its topic, and a way to
 * append.
 */
import type { Pool } from 'pg'
import type { Test } from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { createPool } from '../../../services/store/pool.ts'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { readLogState } from '../../../streams/runtime/connect.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import type { Work } from '../../../streams/runtime/run.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { database, type Teardown } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { createTables, folded, type Kind, type Started, type StartOptions, start, stored, sums, TOPIC } from './demo.ts'
import { ownTopics, type TestTopics } from './support.ts'

export interface Scene {
  topics: TestTopics
  pool: Pool
  systemUrl: string
  ownerUrl: string
  clusterId: string
  /** Appends in order; resolves when all are on the log. */
  append(records: readonly OutRecord[]): Promise<void>
  /** Starts a processor on this scene; it is closed at teardown. */
  run(work: Work, options?: Partial<StartOptions>): Promise<Started>
  /**
   * Resolves when the stored positions of the processor are at the end of the log (positions in
   * memory are stored first), or when something fatal happens.
   */
  drained(started: Started, name: string): Promise<void>
}

/**
 * For tests that count what is folded. With a short session timeout the group takes a busy machine
 * for a dead one, and records are folded again. Closing takes longer with this setting.
 */
export const CALM = { sessionTimeoutMs: 6000 }

export async function scene(
  t: Teardown,
  options: { brokers?: string[]; poolMax?: number; sessionTimeoutMs?: number; topics?: readonly TopicName[] } = {}
): Promise<Scene> {
  const { sessionTimeoutMs = 2000 } = options
  const { ownerUrl, systemUrl } = await database(t)
  await createTables(ownerUrl)
  const pool = createPool(systemUrl, { application_name: 'runtime test', max: options.poolMax ?? 8 })
  const topics = await ownTopics(t, options.topics ?? [TOPIC], options.brokers)
  const log = createBatcher(new Producer(topics.client()))
  const { clusterId } = await readLogState(topics.client())
  const started: Started[] = []
  // Ends things in the reverse order of their creation: processors before the pool, the pool before
  // its database.
  t.teardown(async () => {
    await Promise.all(started.map((one) => one.close()))
    await log.close()
    await pool.end()
  })
  return {
    topics,
    pool,
    systemUrl,
    ownerUrl,
    clusterId,
    append: (records) => log.append(records.map((record) => ({ ...record, topic: topics.real(record.topic) }))),
    async run(work, more = {}) {
      const one = await start(work, { pool, brokers: topics.brokers, topicPrefix: topics.prefix, clusterId, sessionTimeoutMs, ...more })
      started.push(one)
      return one
    },
    async drained(one, name) {
      const { ends } = await readLogState(topics.client(), [TOPIC as TopicName])
      await until(
        `${name} to be at the end`,
        async () => {
          if (one.fatals[0]) throw new Error(`fatal: ${one.fatals[0].reason}`, { cause: one.fatals[0].error })
          await one.flush()
          const { rows } = await pool.query('SELECT topic, partition, next_offset FROM stream_offsets WHERE processor = $1', [name])
          const at = new Map(rows.map((row) => [`${row.topic}:${row.partition}`, BigInt(row.next_offset)]))
          return [...ends].every(([place, end]) => (at.get(place) ?? 0n) === end)
        },
        60_000
      )
    }
  }
}

/** The number of rows that the fold put into the outbox, without dead letters. */
export const outboxCount = async (at: Scene): Promise<number> =>
  (await at.pool.query("SELECT count(*) AS rows FROM outbox WHERE topic <> 'dlq.v1'")).rows[0].rows

/**
 * Checks the sums, and that each record that counts has one outbox row and one trace: none is lost
 * and none is doubled.
 */
export async function exactlyOnce(t: Test, at: Scene, kind: Kind, records: readonly OutRecord[]): Promise<void> {
  t.same(await stored(at.pool, kind), sums(records, kind), 'sums')
  t.equal(await outboxCount(at), folded(records), 'outbox rows')
  if (kind === 'byKey') t.equal((await at.pool.query('SELECT count(*) AS rows FROM demo_seen')).rows[0].rows, folded(records), 'traces')
}

/**
 * NOTIFY: the cost of waking the relay at commit when a row is inserted into the outbox. It runs
 * transactions of one outbox row with 1, 4 and 16 concurrent writers, with the trigger and without
 * it, while a session listens. Postgres writes commits that notify one after the other (it holds
 * the lock of its queue), so the cost shows where many write at once. The pairs run in ABBA order;
 * the result is the median of the ratios.
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { holdSession } from '../../services/store/held-session.ts'
import { createPool, type Pool, transaction } from '../../services/store/pool.ts'
import { figure, median, printMachine } from './figures.ts'
import { stand } from './stand.ts'

const WRITERS = [1, 4, 16]
const TARGET = 0.95

/** Commits a second by `writers` over `ms`. */
async function commits(pool: Pool, writers: number, ms: number): Promise<number> {
  const end = performance.now() + ms
  const tenant_id = randomUUID()
  let count = 0
  const write = async (): Promise<void> => {
    const aggregate = `incident:${randomUUID()}`
    while (performance.now() < end) {
      await transaction(pool, (tx) =>
        tx.query({
          name: 'bench-outbox',
          text: "INSERT INTO outbox (tenant_id, aggregate, ver, topic, key, headers, payload) VALUES ($1, $2, $3, 'incident.events.v1', 'key', '{}', $4)",
          values: [tenant_id, aggregate, count, Buffer.alloc(1000)]
        })
      )
      count += 1
    }
  }
  const from = performance.now()
  await Promise.all(Array.from({ length: writers }, write))
  return (count * 1000) / (performance.now() - from)
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { pairs: { type: 'string', default: '5' }, secs: { type: 'string', default: '3' } } })
  const [pairs, ms] = [Number(values.pairs), Number(values.secs) * 1000]
  printMachine(`transactions of one row of 1,000 bytes, ${WRITERS.join(', ')} writers; ${pairs} pairs of ${values.secs} s, order ABBA`)
  const bench = await stand([])
  const owner = createPool(bench.ownerUrl, { application_name: 'bench owner', max: 1 })
  const pool = createPool(bench.systemUrl, { application_name: 'bench writers', max: Math.max(...WRITERS) })
  const session = await holdSession(bench.pool)
  try {
    let heard = 0
    await session.listen('outbox', () => {
      heard += 1
    })
    const measured = async (writers: number, notifies: boolean): Promise<number> => {
      await owner.query('TRUNCATE outbox')
      await owner.query(`ALTER TABLE outbox ${notifies ? 'ENABLE' : 'DISABLE'} TRIGGER outbox_inserted`)
      return commits(pool, writers, ms)
    }
    for (const writers of WRITERS) {
      await measured(writers, true)
      const [withNotify, without, ratios]: [number[], number[], number[]] = [[], [], []]
      for (let nth = 0; nth < pairs; nth++) {
        const first = await measured(writers, nth % 2 === 0)
        const second = await measured(writers, nth % 2 !== 0)
        const [notifying, silent] = nth % 2 === 0 ? [first, second] : [second, first]
        withNotify.push(notifying)
        without.push(silent)
        ratios.push(notifying / silent)
      }
      console.log(`${writers} writers: ${median(withNotify).toFixed(0)} commits/s with NOTIFY, ${median(without).toFixed(0)} without`)
      figure({ id: `NOTIFY_${writers}`, value: median(ratios), unit: 'with/without', target: { op: '>=', value: TARGET } })
    }
    console.log(`${heard} notices heard`)
  } finally {
    session.close()
    await Promise.all([owner.end(), pool.end()])
    await bench.stop()
  }
}

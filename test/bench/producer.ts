/**
 * B8: CPU of the product's producer per record at 20, 100 and 500 records a batch, compared with
 * kafkajs's own idempotent producer in the same run, against the real broker. Records are like
 * those the door sends: 160 bytes of value, a key of 140, no headers, 5,000 keys over 12
 * partitions.
 */
import kafkajs from 'kafkajs'
import { specOf } from '../../schemas/topics.ts'
import { Producer } from '../../streams/runtime/producer.ts'
import type { OutRecord } from '../../streams/runtime/stream.ts'
import { figure, median, printMachine } from './figures.ts'
import { cpuSeconds } from './processes.ts'
import { quiet, stand } from './stand.ts'

const TOPIC = 'alerts.inbound.v1'
const SIZES = [20, 100, 500]
const ROUNDS = 9
const RECORDS = { ours: 40_000, kafkajs: 10_000 }
const TARGET_US = 12

const value = Buffer.alloc(160, 'x')
let made = 0
const record = (): OutRecord => ({
  topic: TOPIC,
  key: `0192f0c1-5e5a-7b1c-9d55-${String(made++ % 5000).padStart(12, '0')}|int:0b7e6c1a-8f1d-4b7e-9d55-1c2b3a4d5e6f:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
  value
})

export async function run(): Promise<void> {
  printMachine(
    `in-process CPU (user + system) per acknowledged record, acks=all, idempotent; ${ROUNDS} rounds in ABBA order after one of warm-up; medians`
  )
  const bench = await stand([TOPIC])
  const ours = new Producer({ brokers: bench.brokers, clientId: 'bench', log: quiet })
  const theirs = new kafkajs.Kafka({ brokers: bench.brokers, clientId: 'bench-kafkajs', logLevel: kafkajs.logLevel.NOTHING }).producer({
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner
  })
  try {
    await theirs.connect()
    const send = {
      ours: (records: OutRecord[]) => ours.produce(records, Date.now() + 5000),
      kafkajs: async (records: OutRecord[]) => {
        await theirs.sendBatch({ acks: -1, topicMessages: [{ topic: TOPIC, messages: records.map(({ key, value }) => ({ key, value })) }] })
      }
    }
    /** CPU microseconds per record, of this process and of the broker. */
    async function measure(who: 'ours' | 'kafkajs', size: number): Promise<{ own: number; broker: number }> {
      const batches = Math.ceil(RECORDS[who] / size)
      const broker = cpuSeconds(bench.brokerPid)
      const own = process.cpuUsage()
      for (let index = 0; index < batches; index++) await send[who](Array.from({ length: size }, record))
      const spent = process.cpuUsage(own)
      const records = batches * size
      return { own: (spent.user + spent.system) / records, broker: ((cpuSeconds(bench.brokerPid) - broker) * 1e6) / records }
    }
    console.log(`partitions: ${specOf(TOPIC).partitions}; records a round: ours ${RECORDS.ours}, kafkajs ${RECORDS.kafkajs}`)
    for (const size of SIZES) {
      const results = { ours: [] as { own: number; broker: number }[], kafkajs: [] as { own: number; broker: number }[] }
      for (let round = 0; round <= ROUNDS; round++) {
        for (const who of round % 2 ? (['ours', 'kafkajs'] as const) : (['kafkajs', 'ours'] as const)) {
          const result = await measure(who, size)
          if (round > 0) results[who].push(result)
        }
      }
      const of = (who: 'ours' | 'kafkajs', what: 'own' | 'broker') => median(results[who].map((result) => result[what]))
      console.log(
        `batch ${size}: ours ${of('ours', 'own').toFixed(2)} us (broker ${of('ours', 'broker').toFixed(1)}), kafkajs ${of('kafkajs', 'own').toFixed(2)} us (broker ${of('kafkajs', 'broker').toFixed(1)})`
      )
      figure({
        id: size === 100 ? 'B8' : `B8_${size}`,
        value: of('ours', 'own'),
        unit: 'us',
        peer: { name: 'kafkajs', value: of('kafkajs', 'own') },
        target: size === 100 ? { op: '<=', value: TARGET_US, of: 'value' } : { op: '<=', value: 1 }
      })
    }
  } finally {
    await theirs.disconnect()
    await ours.close()
    await bench.stop()
  }
}

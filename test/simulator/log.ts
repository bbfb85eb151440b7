/**
 * The log in memory: partitions in order, append times of the broker for topics that have them
 * (schemas/topics.ts), and ids derived from their cause.
 */
import type { RecordName, Records } from '../../schemas/generated/events.ts'
import type { Input } from '../../streams/define.ts'

/**
 * Number of partitions of every topic. The real ones have 12; two are enough to lag behind each
 * other.
 */
export const PARTITIONS = 2

export type SimulatedTopic =
  | 'checks.results.v1'
  | 'heartbeat.pings.v1'
  | 'alerts.inbound.v1'
  | 'monitor.transitions.v1'
  | 'heartbeat.transitions.v1'

const appendTimed: ReadonlySet<SimulatedTopic> = new Set(['checks.results.v1', 'heartbeat.pings.v1'])

/** One partition. */
export interface Lane {
  topic: SimulatedTopic
  partition: number
  records: Input[]
  /** True time of each append, parallel to `records`. No record contains it. */
  appendedAt: number[]
}

export class Log {
  readonly lanes: Lane[] = []
  /** How far the broker's clock is ahead, in ms. */
  brokerAhead = 0
  count = 0

  constructor() {
    const topics: SimulatedTopic[] = [
      'checks.results.v1',
      'heartbeat.pings.v1',
      'alerts.inbound.v1',
      'monitor.transitions.v1',
      'heartbeat.transitions.v1'
    ]
    for (const topic of topics) {
      for (let partition = 0; partition < PARTITIONS; partition++) this.lanes.push({ topic, partition, records: [], appendedAt: [] })
    }
  }

  lane(topic: SimulatedTopic, partition: number): Lane {
    const lane = this.lanes.find((one) => one.topic === topic && one.partition === partition)
    if (!lane) throw new Error(`no partition ${topic}:${partition}`)
    return lane
  }

  /**
   * `now` is true time. `producer` is the producer's clock, which stamps records where the broker
   * does not.
   */
  append<N extends RecordName>(lane: Lane, record: N, value: Records[N], key: string, now: number, producer: number): Input {
    const { topic, partition, records, appendedAt } = lane
    const timestamp = appendTimed.has(topic) ? now + this.brokerAhead : producer
    const input = { record, value, topic, partition, offset: BigInt(records.length), timestamp, key } as Input
    records.push(input)
    appendedAt.push(now)
    this.count += 1
    return input
  }
}

const hex = (value: number): string => (value >>> 0).toString(16).padStart(8, '0')

/**
 * Returns an id that follows from namespace and name, as uuidv5 does, but without SHA-1, which
 * would take most of a simulation's time.
 */
export function idOf(namespace: string, name: string): string {
  let [one, two, three, four] = [1779033703, 3144134277, 1013904242, 2773480762]
  const text = namespace + name
  for (let nth = 0; nth < text.length; nth++) {
    const unit = text.charCodeAt(nth)
    one = two ^ Math.imul(one ^ unit, 597399067)
    two = three ^ Math.imul(two ^ unit, 2869860233)
    three = four ^ Math.imul(three ^ unit, 951274213)
    four = one ^ Math.imul(four ^ unit, 2716044179)
  }
  one = Math.imul(three ^ (one >>> 18), 597399067)
  two = Math.imul(four ^ (two >>> 22), 2869860233)
  three = Math.imul(one ^ (three >>> 17), 951274213)
  four = Math.imul(two ^ (four >>> 19), 2716044179)
  const [a, b, c] = [hex(one), hex(two), hex(three)]
  return `${a}-${b.slice(0, 4)}-5${b.slice(5)}-8${c.slice(1, 4)}-${c.slice(4)}${hex(four)}`
}

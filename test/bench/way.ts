/**
 * How long an alert spends in each stage, from the times of its records on the log: when a door
 * handed it to its producer, when the relay did the same with the frame, and when a socket received
 * the frame.
 */
import { createMetrics } from '../../services/process/metrics.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import type { Product } from '../harness/product.ts'
import { percentile } from './figures.ts'
import { quiet } from './stand.ts'

const CREATED = '"incident.created"'
const ID = '"incident_id":"'
const ID_LENGTH = 36

/** Returns the id of the incident whose creation the frame announces; null for other frames. */
export function createdIncident(frame: string): string | null {
  const at = frame.indexOf(ID) + ID.length
  return frame.includes(CREATED) ? frame.slice(at, at + ID_LENGTH) : null
}

/** Ends an alert's title, so that it can be found in the bytes of its record. */
export const TITLE_END = '.'

const SHARES = [0.5, 0.9, 0.99]

export interface Passed {
  /** Instants of performance.now(). */
  intended: number
  title: string
  incident_id: string
  arrived: number
}

/** Records are read after the run: a reader during the run would take CPU from what is measured. */
async function readTimes(
  product: Product,
  prefix: string,
  since: number
): Promise<{ accepted: Map<string, number>; framed: Map<string, number> }> {
  const options = { brokers: [`127.0.0.1:${product.port('kafka')}`], clientId: 'bench-way', topicPrefix: '', log: quiet }
  const stream = await connectStream({ ...options, metrics: createMetrics() })
  const accepted = new Map<string, number>()
  const framed = new Map<string, number>()
  try {
    const follower = await stream.follow({
      topics: ['alerts.inbound.v1', 'realtime.frames.v1'],
      from: { at: since },
      onRecords: (records) => {
        for (const { topic, value, timestamp } of records) {
          const text = value?.toString('latin1') ?? ''
          if (topic === 'realtime.frames.v1') {
            const incident = createdIncident(text)
            if (incident !== null) framed.set(incident, timestamp)
            continue
          }
          const from = text.indexOf(prefix)
          const title = text.slice(from, text.indexOf(TITLE_END, from) + TITLE_END.length)
          // The alert's resolve has the same title, so the first record counts.
          if (from >= 0 && !accepted.has(title)) accepted.set(title, timestamp)
        }
      }
    })
    if (!(await follower.caughtUp)) throw new Error('the log of the run was not read within 5 s')
    await follower.close()
  } finally {
    await stream.close()
  }
  return { accepted, framed }
}

/**
 * Returns one line per stage with the time that `passed` spent in it. Their titles begin with
 * `prefix`, which appears nowhere else in them. The run began at `since`, epoch ms.
 */
export async function stagesOf(product: Product, prefix: string, since: number, passed: readonly Passed[]): Promise<string> {
  const { accepted, framed } = await readTimes(product, prefix, since)
  const taken = passed.flatMap(({ intended, title, incident_id, arrived }) => {
    const [door, frame] = [accepted.get(title), framed.get(incident_id)]
    if (door === undefined || frame === undefined) return []
    return [[door - performance.timeOrigin - intended, frame - door, performance.timeOrigin + arrived - frame]]
  })
  const names = ['to the log', 'to its frame', 'to the last socket']
  const written = names.map((name, nth) => {
    const times = taken.map((stages) => stages[nth] ?? 0)
    return `${name} ${SHARES.map((share) => percentile(times, share).toFixed(0)).join('/')}`
  })
  return `p50/p90/p99 of ${taken.length}, ms: ${written.join(', ')}`
}

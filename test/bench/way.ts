/**
 * The way of an alert, stage by stage, by the times of its records on the log: when a door handed
 * it to its producer, when the relay did so with the frame, and when a socket had that. Beside it,
 * how busy the machine was: on a busy one every stage waits for a processor.
 */
import { cpus } from 'node:os'
import { createMetrics } from '../../services/process/metrics.ts'
import { connectStream } from '../../streams/runtime/connect.ts'
import type { Product } from '../harness/product.ts'
import { percentile } from './figures.ts'
import { quiet } from './stand.ts'

/** Ends an alert's title, so that it can be found in the bytes of its record. */
export const TITLE_END = '.'

const ID = '"incident_id":"'
const ID_LENGTH = 36
const SHARES = [0.5, 0.9, 0.99]

export interface Passed {
  /** Instants of performance.now(). */
  intended: number
  title: string
  incident_id: string
  arrived: number
}

export interface Way {
  /** What each stage took of these, a line. */
  stages(passed: readonly Passed[]): string
  close(): Promise<void>
}

/** Watches alerts whose titles begin with `prefix`. */
export async function watchWay(product: Product, prefix: string): Promise<Way> {
  const options = { brokers: [`127.0.0.1:${product.port('kafka')}`], clientId: 'bench-way', topicPrefix: '', log: quiet }
  const stream = await connectStream({ ...options, metrics: createMetrics() })
  const accepted = new Map<string, number>()
  const framed = new Map<string, number>()
  const follower = await stream.follow({
    topics: ['alerts.inbound.v1', 'realtime.frames.v1'],
    from: 'end',
    onRecords: (records) => {
      for (const { topic, value, timestamp } of records) {
        const text = value?.toString('latin1') ?? ''
        const isFrame = topic === 'realtime.frames.v1'
        const from = text.indexOf(isFrame ? ID : prefix)
        if (from < 0 || (isFrame && !text.includes('"incident.created"'))) continue
        const id = from + ID.length
        if (isFrame) framed.set(text.slice(id, id + ID_LENGTH), timestamp)
        else accepted.set(text.slice(from, text.indexOf(TITLE_END, from)), timestamp)
      }
    }
  })
  await follower.caughtUp
  return {
    stages(passed) {
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
    },
    async close() {
      await follower.close()
      await stream.close()
    }
  }
}

/** Starts counting; the returned function says what share of all processors was in use since. */
export function machineBusy(): () => number {
  const now = () =>
    cpus().reduce(
      (sum, { times: { idle, ...busy } }) => {
        const used = Object.values(busy).reduce((total, ms) => total + ms, 0)
        return { used: sum.used + used, all: sum.all + used + idle }
      },
      { used: 0, all: 0 }
    )
  const before = now()
  return () => {
    const { used, all } = now()
    return (used - before.used) / Math.max(all - before.all, 1)
  }
}

/**
 * Sends payloads of one source through its door, one after the other. It reports how many and how
 * fast, the slowest, and the failures.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { SourceType } from '../../schemas/generated/source-types.ts'
import { corpusOf } from './corpus.ts'
import { createDoor, type Door, type Outcome, type Payload } from './door.ts'
import { createMaker } from './mutate.ts'

/** One payload in this many is checked closely. */
const CLOSELY = 16
const MAX_FAILURES = 10
/**
 * How often a slow payload is tried again, measured in CPU time, so that other programs on the
 * machine do not count against the parser.
 */
const AGAIN = 5

export interface Failure {
  /** Its number. Seed and number make it again. */
  n: number
  what: string
  payload: Payload
}

export interface Run {
  kind: SourceType
  executions: number
  outcomes: Readonly<Record<Outcome, number>>
  failures: readonly Failure[]
  slowest: { n: number; ms: number; bytes: number }
}

export interface RunOptions {
  kind: SourceType
  executions: number
  seed: number
  codec: Pick<Codec, 'encode'>
  /** A payload that takes longer in every try is a failure. null: time is not checked. */
  mostMs: number | null
}

export async function fuzz({ kind, executions, seed, codec, mostMs }: RunOptions): Promise<Run> {
  const corpus = corpusOf(kind)
  const door = createDoor(corpus.source, codec)
  const maker = createMaker(corpus, seed)
  const outcomes: Record<Outcome, number> = { accepted: 0, ignored: 0, refused: 0 }
  const failures: Failure[] = []
  let slowest = { n: 0, ms: 0, bytes: 0 }
  for (let n = 0; n < executions && failures.length < MAX_FAILURES; n++) {
    const payload = maker.make(n)
    try {
      const from = performance.now()
      const outcome = door.take(payload)
      let ms = performance.now() - from
      if (n % CLOSELY === 0) await door.takeClosely(payload)
      outcomes[outcome]++
      if (ms > 1 && (ms > slowest.ms || (mostMs !== null && ms > mostMs))) ms = Math.min(ms, quickest(door, payload))
      if (ms > slowest.ms) slowest = { n, ms, bytes: payload.bytes.length }
      if (mostMs !== null && ms > mostMs) failures.push({ n, what: `took ${ms.toFixed(1)} ms`, payload })
    } catch (error) {
      failures.push({ n, what: error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error), payload })
    }
  }
  return { kind, executions, outcomes, failures, slowest }
}

/** The smallest CPU time of some more tries, ms. */
function quickest(door: Door, payload: Payload): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < AGAIN; i++) {
    const from = process.cpuUsage()
    door.take(payload)
    const { user, system } = process.cpuUsage(from)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

/** The parts of a failure that help to find it, in a few lines. */
export function told({ n, what, payload }: Failure, kind: string, seed: number): string {
  const { bytes, headers, options, settings } = payload
  const body = bytes.length > 1500 ? `${bytes.subarray(0, 1500).toString()} … (${bytes.length} bytes)` : bytes.toString()
  return `${kind}, payload ${n} of seed ${seed}: ${what}\n  body: ${JSON.stringify(body)}\n  beside it: ${JSON.stringify({ headers, options, settings })}`
}

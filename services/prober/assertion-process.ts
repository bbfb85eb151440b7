/**
 * The entry file of a process that evaluates assertions for a prober, one answer after the other.
 * It takes what people write as a program (expressions, paths that search) and large bodies. The
 * prober ends the process when it takes too long. The memory for a body belongs to this process,
 * and the system reclaims it first when memory runs out.
 *
 * In: frames on stdin. Out: an Outcome on the IPC channel to the parent (assertion-frames.ts). The
 * process ends when that channel closes, and it holds no credential.
 */
import { getHeapStatistics } from 'node:v8'
import type { Assertion } from '../../schemas/http/check-config.ts'
import { BoundedMap } from '../process/bounded-map.ts'
import { serveParent } from '../process/child.ts'
import { FrameReader, type Outcome, type Question } from './assertion-frames.ts'
import { AssertionFault, type AssertionResult, type CompiledAssertion, compileAssertions, resultsOf } from './assertions.ts'
import { textOf } from './http-body.ts'

/** Lists of compiled assertions that are kept, keyed by their JSON. */
const MAX_KEPT = 500
/**
 * A compiled expression remembers what the engine learns about texts. When the used heap exceeds
 * this limit, all compiled assertions are dropped.
 */
const MAX_KEPT_BYTES = 64 * 1_048_576

const kept = new BoundedMap<string, CompiledAssertion[]>(MAX_KEPT)

function compiledOf(assertions: readonly Assertion[]): CompiledAssertion[] {
  const key = JSON.stringify(assertions)
  const compiled = kept.get(key) ?? compileAssertions(assertions)
  // Set again at each use, so that the least recently used entry is dropped first.
  kept.set(key, compiled)
  return compiled
}

type Said = { ready: true } | { results: AssertionResult[] } | { fault: string }

function answer({ assertions, asked, facts, contentType }: Question, body: Buffer): Said {
  try {
    const compiled = compiledOf(assertions).filter(({ index }) => asked.includes(index))
    return { results: resultsOf(compiled, { ...facts, body: textOf(body, contentType ?? undefined) }) }
  } catch (error) {
    if (error instanceof AssertionFault) return { fault: error.message }
    throw error
  }
}

function say(said: Said): void {
  const { user, system } = process.cpuUsage()
  const outcome: Outcome = { ...said, usedMs: (user + system) / 1000 }
  process.send?.(outcome)
}

serveParent('prober assertions')
const frames = new FrameReader()
process.stdin.on('data', (chunk: Buffer) => {
  const frame = frames.take(chunk)
  if (!frame) return
  say(answer(frame.question, frame.body))
  if (getHeapStatistics().used_heap_size > MAX_KEPT_BYTES) kept.clear()
})
say({ ready: true })

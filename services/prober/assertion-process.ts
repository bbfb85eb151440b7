/**
 * The entry of a process that evaluates assertions for a prober, one answer after the other: what
 * people write as a program (expressions, paths that search) and large bodies. The prober ends it
 * when it takes too long; the memory that a body needs is this process's own, and the first that
 * the system takes back.
 *
 * In: frames on stdin; out: an Outcome by the channel of its parent (assertion-frames.ts). It ends
 * with that channel, and knows no credential.
 */
import { writeFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { Assertion } from '../../schemas/http/check-config.ts'
import { BoundedMap } from '../process/bounded-map.ts'
import { FrameReader, type Outcome, type Question } from './assertion-frames.ts'
import { AssertionFault, type AssertionResult, type CompiledAssertion, compileAssertions, resultsOf } from './assertions.ts'
import { textOf } from './http-body.ts'

/** Compiled assertions that are kept, by their JSON. */
const MAX_KEPT = 500
/** What the engine learns of texts stays with what is compiled; above this everything is let go. */
const MAX_KEPT_BYTES = 64 * 1_048_576

const kept = new BoundedMap<string, CompiledAssertion[]>(MAX_KEPT)

function compiledOf(assertions: readonly Assertion[]): CompiledAssertion[] {
  const key = JSON.stringify(assertions)
  const compiled = kept.get(key) ?? compileAssertions(assertions)
  // Written anew at each use: the one that was not used for longest goes first.
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

/** Asks Linux to end this process first when memory runs out. */
function offerMemory(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Another system has no such file, and its own way to choose.
  }
}

function say(said: Said): void {
  const { user, system } = process.cpuUsage()
  const outcome: Outcome = { ...said, usedMs: (user + system) / 1000 }
  process.send?.(outcome)
}

process.title = 'prober assertions'
// A signal to the group is for the prober: it says when this process is no longer needed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
offerMemory()
const frames = new FrameReader()
process.stdin.on('data', (chunk: Buffer) => {
  const frame = frames.take(chunk)
  if (!frame) return
  say(answer(frame.question, frame.body))
  if (getHeapStatistics().used_heap_size > MAX_KEPT_BYTES) kept.clear()
})
say({ ready: true })

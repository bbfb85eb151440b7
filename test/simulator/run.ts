/** Runs one history from beginning to end, or until something differs. */
import type { Code } from './code.ts'
import { Difference } from './difference.ts'
import type { Operation } from './operations.ts'
import { historyOf } from './schedule.ts'
import { Service } from './service.ts'
import { settle } from './settle.ts'

export interface Finding {
  rule: string
  what: string
  /** Index in the history. Its length means: found after everything had settled. */
  at: number
}

export interface Ran {
  operations: Operation[]
  events: number
  counts: Readonly<Record<string, number>>
  finding: Finding | null
}

function findingOf(error: unknown, at: number): Finding {
  if (error instanceof Difference) return { rule: error.rule, what: error.message, at }
  // The code under test threw, which a fold must not do.
  if (error instanceof Error) return { rule: `threw ${error.name}`, what: `${error.message}\n${error.stack ?? ''}`, at }
  throw error
}

/** Runs operations until `events` events have happened, and then until everything has settled. */
export function run(code: Code, history: Iterable<Operation>, events = Number.POSITIVE_INFINITY): Ran {
  const operations: Operation[] = []
  const service = new Service(code)
  let finding: Finding | null = null
  try {
    for (const operation of history) {
      if (service.events >= events) break
      operations.push(operation)
      service.apply(operation)
    }
  } catch (error) {
    finding = findingOf(error, operations.length - 1)
  }
  if (!finding) {
    try {
      settle(service)
    } catch (error) {
      finding = findingOf(error, operations.length)
    }
  }
  return { operations, events: service.events, counts: service.counts(), finding }
}

export const runSeed = (code: Code, seed: number, events: number): Ran => run(code, historyOf(seed), events)

/** Limit of runs for shrinking one history. */
const MOST_RUNS = 3000

/**
 * Returns the smallest part of a history that still fails by the same rule. It leaves out chunks,
 * ever smaller ones, until none can be left out.
 */
export function shrink(code: Code, { operations, finding }: Ran): { operations: Operation[]; finding: Finding } {
  if (!finding) throw new Error('nothing to shrink')
  let best = { operations: operations.slice(0, finding.at + 1), finding }
  let runs = 0
  for (let size = best.operations.length >> 1; size >= 1; size = size > 1 ? size >> 1 : 0) {
    let again = true
    while (again && runs < MOST_RUNS) {
      again = false
      for (let from = best.operations.length - size; from >= 0 && runs < MOST_RUNS; from -= size) {
        const left = [...best.operations.slice(0, from), ...best.operations.slice(from + size)]
        runs += 1
        const tried = run(code, left)
        if (tried.finding?.rule !== finding.rule) continue
        best = { operations: left.slice(0, tried.finding.at + 1), finding: tried.finding }
        again = size === 1
        from = Math.min(from, best.operations.length)
      }
    }
  }
  return merged(code, best, finding.rule)
}

/** Merges consecutive passes of time into one if that changes nothing. */
function merged(
  code: Code,
  least: { operations: Operation[]; finding: Finding },
  rule: string
): { operations: Operation[]; finding: Finding } {
  let best = least
  for (let at = best.operations.length - 2; at >= 0; at--) {
    const [one, next] = [best.operations[at], best.operations[at + 1]]
    if (one?.op !== 'pass' || next?.op !== 'pass') continue
    const both: Operation = { op: 'pass', ms: one.ms + next.ms, every: Math.min(one.every, next.every) }
    const operations = [...best.operations.slice(0, at), both, ...best.operations.slice(at + 2)]
    const tried = run(code, operations)
    if (tried.finding?.rule === rule) best = { operations: operations.slice(0, tried.finding.at + 1), finding: tried.finding }
  }
  return best
}

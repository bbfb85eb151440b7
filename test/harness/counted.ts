/** Runs test files in lanes, reports each file when it ends, and counts the assertions of all. */
import { type LaneOptions, runFiles } from './lanes.ts'
import { type Ended, mostOf, reportOf } from './report.ts'
import { sourcePlaces } from './source-places.ts'

/** Limit for one file, in seconds. */
const FILE_SECONDS = 1800
/**
 * How many of the slowest and the most CPU-intensive files are listed, if more than this many ran.
 */
const NAMED = 10

export interface CountedRun {
  /** Assertions of all files, and the CPU seconds that the files used. */
  done: Promise<{ passed: number; failed: number; cpuSeconds: number }>
  stop(): void
}

export function runCounted(
  files: readonly string[],
  options: Pick<LaneOptions, 'lanes' | 'env' | 'envOf' | 'together'>,
  tell: (line: string) => void
): CountedRun {
  const counts = { passed: 0, failed: 0, cpuSeconds: 0 }
  const took: Ended[] = []
  const run = runFiles(files, {
    ...options,
    limitSeconds: FILE_SECONDS,
    onEnd(ended) {
      const { passed, failed, shown } = reportOf(ended)
      counts.passed += passed
      counts.failed += failed
      counts.cpuSeconds += ended.cpuSeconds
      sourcePlaces(shown).forEach(tell)
      took.push({ ...ended, lines: [] })
    }
  })
  const done = run.done.then(() => {
    if (took.length > NAMED) {
      tell('the slowest files, with their time of a processor:')
      mostOf('seconds', took, NAMED).forEach(tell)
      tell('the files with most time of a processor:')
      mostOf('cpuSeconds', took, NAMED).forEach(tell)
    }
    return counts
  })
  return { done, stop: run.stop }
}

/** Test files in lanes, each told as it ends, with the counts of all. */
import { type LaneOptions, runFiles } from './lanes.ts'
import { type Ended, reportOf, slowestOf } from './report.ts'

/** A file may take so long. */
const FILE_SECONDS = 1800
/** After a run of more files than that, the slowest are named. */
const SLOWEST = 10

export interface CountedRun {
  /** Assertions of all files. */
  done: Promise<{ passed: number; failed: number }>
  stop(): void
}

export function runCounted(
  files: readonly string[],
  options: Pick<LaneOptions, 'lanes' | 'env'>,
  tell: (line: string) => void
): CountedRun {
  const counts = { passed: 0, failed: 0 }
  const took: Ended[] = []
  const run = runFiles(files, {
    ...options,
    limitSeconds: FILE_SECONDS,
    onEnd(ended) {
      const { passed, failed, shown } = reportOf(ended)
      counts.passed += passed
      counts.failed += failed
      shown.forEach(tell)
      took.push({ ...ended, lines: [] })
    }
  })
  const done = run.done.then(() => {
    if (took.length > SLOWEST) for (const line of ['the slowest files:', ...slowestOf(took, SLOWEST)]) tell(line)
    return counts
  })
  return { done, stop: run.stop }
}

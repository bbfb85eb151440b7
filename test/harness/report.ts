/**
 * What a person reads about a test file that has ended: one line if it passed, all of its output if
 * it failed. The counts come from tap's closing comment `# { total: 3, pass: 2, fail: 1 }`.
 */
export interface Ended {
  file: string
  seconds: number
  /** CPU seconds of the file, and of all processes that it started and waited for. */
  cpuSeconds: number
  /** Lines of TAP. */
  lines: readonly string[]
  /** 0 for success; the name of a signal if one ended the process. */
  exit: number | string
}

export interface Report {
  shown: string[]
  /** Numbers of assertions. */
  passed: number
  failed: number
}

const SUMMARY = /^# \{ ?total: \d+/

export function reportOf({ file, seconds, cpuSeconds, lines, exit }: Ended): Report {
  const summary = lines.findLast((line) => SUMMARY.test(line)) ?? ''
  const number = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  const [passed, failed] = [number('pass'), number('fail')]
  const title = `${file} (${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU)`
  if (exit === 0 && passed > 0 && failed === 0) return { shown: [`ok  ${title}`], passed, failed }
  // Counts a failure that has no failed assertion: a file that timed out, a plan that was not met,
  // a summary that is missing, or a file that ran nothing.
  return { shown: [...lines, `not ok  ${title}: ended with ${exit}`], passed, failed: Math.max(failed, 1) }
}

type Took = Pick<Ended, 'file' | 'seconds' | 'cpuSeconds'>

/** Returns the files with the most `what`, one line each: seconds, CPU seconds, name. */
export const mostOf = (what: 'seconds' | 'cpuSeconds', files: readonly Took[], count: number): string[] =>
  files
    .toSorted((one, other) => other[what] - one[what])
    .slice(0, count)
    .map(({ file, seconds, cpuSeconds }) => `${seconds.toFixed(1).padStart(6)} s  ${cpuSeconds.toFixed(1).padStart(6)} s  ${file}`)

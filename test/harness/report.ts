/**
 * What a person reads of a test file that has ended: one line where it passed, everything it said
 * where it failed, and its own counts, which are those of tap's closing comment
 * `# { total: 3, pass: 2, fail: 1 }`.
 */
export interface Ended {
  file: string
  seconds: number
  /** Of a processor: its own, and of all that it started and waited for. */
  cpuSeconds: number
  /** Lines of TAP. */
  lines: readonly string[]
  /** 0 where all is well; a signal's name where one ended the process. */
  exit: number | string
}

export interface Report {
  shown: string[]
  /** Assertions. */
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
  // A file that timed out, a plan that was not met, a summary that never came, nothing run at all:
  // a failure that no assertion stands for.
  return { shown: [...lines, `not ok  ${title}: ended with ${exit}`], passed, failed: Math.max(failed, 1) }
}

type Took = Pick<Ended, 'file' | 'seconds' | 'cpuSeconds'>

/** The files that took most of `what`, a line each: its time, its time of a processor, its name. */
export const mostOf = (what: 'seconds' | 'cpuSeconds', files: readonly Took[], count: number): string[] =>
  files
    .toSorted((one, other) => other[what] - one[what])
    .slice(0, count)
    .map(({ file, seconds, cpuSeconds }) => `${seconds.toFixed(1).padStart(6)} s  ${cpuSeconds.toFixed(1).padStart(6)} s  ${file}`)

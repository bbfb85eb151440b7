/**
 * What a person reads of a test run, from the runner's TAP output: one line for a file that passed, everything about one that failed, and the runner's own
 * counts, which are those of its closing comment `# { total: 3, pass: 2, fail: 1 }`.
 */
export interface Report {
  /** Takes one line of TAP; returns the lines to show now. */
  take(line: string): string[]
  /** Assertions that passed and failed. `exitCode` is the runner's. */
  counts(exitCode: number): { passed: number; failed: number }
}

const SUMMARY = /^# \{ ?total: \d+/

export function createReport(): Report {
  let file: string[] = []
  let summary = ''
  let showing = false // What follows a `not ok` at the top: its details.
  return {
    take(line) {
      if (SUMMARY.test(line)) summary = line
      const [, not, name, time] = /^(not )?ok \d+ - (.*?)(?: # time=([\d.]+)ms)?$/.exec(line) ?? []
      if (name !== undefined) {
        const before = file
        file = []
        showing = not !== undefined
        return showing ? [...before, line] : [`ok  ${name}${time ? ` (${(Number(time) / 1000).toFixed(1)} s)` : ''}`]
      }
      if (/^Bail out!/.test(line)) return [line]
      const ours = line.startsWith(' ') || line.startsWith('# Subtest')
      if (showing && ours && !line.startsWith('#')) return [line]
      showing = false
      if (ours) file.push(line)
      return []
    },
    counts(exitCode) {
      const number = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
      const [passed, failed] = [number('pass'), number('fail')]
      // A file that timed out, a plan that was not met, a summary that never came, nothing run at all: a failure that no assertion stands for.
      return { passed, failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed }
    }
  }
}

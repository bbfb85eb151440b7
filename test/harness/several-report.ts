/** Splits the output of several.ts into what each file would have printed alone. */
import type { Ended } from './report.ts'

const CPU = /^# cpu=([\d.]+)$/

export interface SeveralReader {
  /** Takes the next printed line. */
  line(line: string): void
  /**
   * Call it when the process has ended. Returns the files that did not run. An error that belongs
   * to no file counts as a failure of the file that ran last.
   */
  end(exit: number | string): string[]
}

/** `onEnd` is called for each file when it ends; `now` returns ms. */
export function readSeveral(files: readonly string[], onEnd: (ended: Ended) => void, now = () => performance.now()): SeveralReader {
  const waiting = [...files]
  let begun = now()
  let file: string | null = null
  let last = files[0] ?? ''
  let lines: string[] = []
  let isPassed = false
  let hasFailed = false
  /** Lines that belong to no file. */
  let between: string[] = []

  const tell = (name: string, cpuSeconds: number, exit: number | string): void => {
    hasFailed ||= exit !== 0
    onEnd({ file: name, seconds: (now() - begun) / 1000, cpuSeconds, lines, exit })
    begun = now()
    lines = []
  }
  return {
    line(line) {
      if (file === null) {
        if (line !== `# Subtest: ${waiting[0]}`) return void between.push(line)
        file = last = waiting.shift() ?? ''
        isPassed = false
        between = []
        return
      }
      const cpu = CPU.exec(line)?.[1]
      if (cpu !== undefined) {
        tell(file, Number(cpu), isPassed ? 0 : 1)
        file = null
      } else if (/^(?:not )?ok \d+ - test\//.test(line)) isPassed = line.startsWith('ok')
      else lines.push(line.startsWith('    ') ? line.slice(4) : line)
    },
    end(exit) {
      if (file !== null) tell(file, 0, exit === 0 ? 'nothing' : exit)
      else if (exit !== 0 && !hasFailed) {
        lines = between
        tell(last, 0, exit)
      }
      return waiting
    }
  }
}

/** What several.ts prints, taken apart into what each file would have printed by itself. */
import type { Ended } from './report.ts'

const CPU = /^# cpu=([\d.]+)$/

export interface SeveralReader {
  /** The next line that is printed. */
  line(line: string): void
  /**
   * The process has ended. Returns the files that it did not come to. Whatever else went wrong is a
   * failure of the file that ran last.
   */
  end(exit: number | string): string[]
}

/** `onEnd` is told of each file as it ends; `now` in ms. */
export function readSeveral(files: readonly string[], onEnd: (ended: Ended) => void, now = () => performance.now()): SeveralReader {
  const waiting = [...files]
  let begun = now()
  let file: string | null = null
  let last = files[0] ?? ''
  let lines: string[] = []
  let isPassed = false
  let hasFailed = false
  /** Not of a file that runs. */
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

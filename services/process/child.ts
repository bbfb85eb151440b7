/**
 * What processes have in common that do work for another process which must not wait for it: their
 * options, their low priority, and the limit of the time that they take.
 */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Minimum time between two looks at what a process has used. */
const LEAST_LOOK_MS = 50
/** Kernel ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100

/**
 * `processorMs`: limit of processor time. `clockMs`: limit of clock time, for a machine that gives
 * such processes little processor time.
 */
export interface TimeLimit {
  processorMs: number
  clockMs: number
}

/**
 * Returns the processor time that a process has used so far, in ms; null if the system does not say
 * or the process is gone.
 */
export function processorTime(pid: number | undefined): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS
  } catch {
    return null
  }
}

/**
 * Calls `over` once the process has used its time. `before`: ms that it had used before this.
 * `isCostly`: the process really used the processor for that long, and did not only wait for it.
 * Returns a function that ends the watch.
 */
export function limitTime(
  pid: number | undefined,
  before: number,
  { processorMs, clockMs }: TimeLimit,
  over: (isCostly: boolean) => void
): () => void {
  const endsAt = performance.now() + clockMs
  function look(): void {
    const used = processorTime(pid)
    // If the processor time is unknown, clock time counts instead.
    const left = used === null ? 0 : processorMs - (used - before)
    const rest = Math.min(left, endsAt - performance.now())
    if (rest > 0) timer = setTimeout(look, Math.max(LEAST_LOOK_MS, rest))
    else over(left <= 0)
  }
  let timer = setTimeout(look, Math.min(processorMs, clockMs))
  return () => clearTimeout(timer)
}

/**
 * Limit until the process is ready. A start usually takes a tenth of a second of the processor. On
 * a machine whose processors are all busy, that is seconds by the clock, and a process that is
 * ended before it is ready never answers.
 */
export const START: TimeLimit = { processorMs: 10_000, clockMs: 60_000 }

/**
 * A lower priority than everything else on the machine, from the first instruction on: a start
 * costs more than most answers. It is not the lowest. Beside one process of normal niceness, Linux
 * leaves this process a tenth of the processor, which is enough for honest work. At niceness 19 it
 * would get a seventieth, and on a busy machine honest work was not done in time.
 */
const NICENESS = 10

/**
 * Best effort. Errors are ignored: other systems have no such file, or the process is gone already,
 * which its exit event reports.
 */
function lowerPriority(pid: number): void {
  try {
    // All threads inherit the priority, because none has started yet.
    setPriority(pid, NICENESS)
    // Linux may first share the processor between sessions, and use niceness only within a session.
    // This process is a session of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS))
  } catch {
    return
  }
}

/**
 * Returns Node's options without those of a debugger, whose port is taken, and without a script of
 * the command line. Such a script would run instead of the file and start its parent again, without
 * end.
 */
export function optionsForChild(options: readonly string[]): string[] {
  const isScript = (one: string | undefined): boolean => one !== undefined && /^(-e|-p|-pe|--eval|--print)$/.test(one)
  return options.filter((one, at) => !isScript(one) && !isScript(options[at - 1]) && !/^--(inspect|eval=|print=)/.test(one))
}

/**
 * Starts `file` as a process that neither keeps this one alive nor gets anything of its
 * environment, which holds credentials. It ends when its channel closes.
 */
export function startChild(file: string, heapMb: number, { execArgv = [], ...options }: ForkOptions): ChildProcess {
  const child = fork(file, {
    ...options,
    // A session of its own gets no signals from a terminal, and its priority counts.
    detached: true,
    env: {},
    execArgv: [...execArgv, ...optionsForChild(process.execArgv), `--max-old-space-size=${heapMb}`]
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  child.unref()
  child.channel?.unref()
  return child
}

/**
 * Called by the started process itself: only the end of its channel ends it. Linux ends it first
 * when memory runs out.
 */
export function serveParent(title: string): void {
  process.title = title
  // A signal to the process group is meant for the parent, which says when this process is no
  // longer needed.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('disconnect', () => process.exit(0))
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such file and choose in their own way.
  }
}

/**
 * The prober's side of a process that evaluates assertions (the process itself is
 * assertion-process.ts). It is a process and not a thread, because a thread that runs out of memory
 * may take the whole prober with it. The process is ended when it takes too long; the caller then
 * gets Undecided.
 */
import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Log } from '../process/log.ts'
import { frameOf, type Outcome, type Question } from './assertion-frames.ts'
import { onSpareProcessors } from './spare-processors.ts'

/** A JSON body of 10 MiB may need most of it. */
const HEAP_MB = 256
/** Minimum time between two looks at what a process has used. */
const LEAST_LOOK_MS = 50
/** Kernel ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100

/** The prober could not say whether the assertions hold; `message` says why, for people. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
  readonly reason: 'deadline' | 'memory' | 'process' | 'busy' | 'refused' | 'costly'
  constructor(reason: Undecided['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * `processorMs`: limit of processor time. `clockMs`: limit of clock time, for a machine that gives
 * such processes little processor time.
 */
export interface TimeLimit {
  processorMs: number
  clockMs: number
}

export interface Evaluator {
  /**
   * Evaluates one question at a time. Rejects with Undecided, or with the reason of `signal`. After
   * a rejection the process is gone, unless it only refused the question.
   */
  ask(
    question: Question,
    body: readonly Buffer[],
    limit: TimeLimit,
    signal: AbortSignal
  ): Promise<Extract<Outcome, { results: unknown }>['results']>
  readonly isAlive: boolean
  kill(): void
}

/**
 * Returns the processor time that a process has used so far, in ms; null if the system does not say
 * or the process is gone.
 */
function processorTime(pid: number | undefined): number | null {
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
function limitTime(
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
const START: TimeLimit = { processorMs: 10_000, clockMs: 60_000 }

/**
 * A lower priority than everything else on the machine, from the first instruction on: a start
 * costs more than most answers. It is not the lowest. Beside one process of normal niceness, Linux
 * leaves this process a tenth of the processor, which is enough for honest assertions. At niceness
 * 19 it would get a seventieth, and on a busy machine such assertions were not decided.
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

/** The file beside this one, with the same extension, compiled or not. */
const file = fileURLToPath(new URL(`./assertion-process${import.meta.url.slice(-3)}`, import.meta.url))

/**
 * Returns Node's options without those of a debugger, whose port is taken, and without a script of
 * the command line. Such a script would run instead of the evaluator and start another prober,
 * without end.
 */
export function optionsForChild(options: readonly string[]): string[] {
  const isScript = (one: string | undefined): boolean => one !== undefined && /^(-e|-p|-pe|--eval|--print)$/.test(one)
  return options.filter((one, at) => !isScript(one) && !isScript(options[at - 1]) && !/^--(inspect|eval=|print=)/.test(one))
}

/** Starts an evaluator process. Throws if the system has no room for a process. */
export function startEvaluator(log: Log): Evaluator {
  // Low priority alone is not enough: a busy processor is handed over some milliseconds late.
  const [execPath = '', ...words] = [...onSpareProcessors(), process.execPath]
  const child = fork(file, {
    execPath,
    // A session of its own gets no signals from a terminal, and its priority counts. The process
    // ends when the channel closes.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    // The process gets nothing of the prober's environment, which holds its token.
    env: {},
    execArgv: [...words, ...optionsForChild(process.execArgv), `--max-old-space-size=${HEAP_MB}`]
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  // An idle process does not keep the prober alive.
  child.unref()
  child.channel?.unref()
  let isAlive = true
  let usedMs = 0
  child.once('exit', () => {
    isAlive = false
  })
  // If an error ends the process, the exit event reports it.
  child.on('error', (error) => log.warn({ err: error }, 'a process for assertions failed'))
  child.stdin?.on('error', () => undefined)

  function kill(): void {
    isAlive = false
    child.kill('SIGKILL')
  }

  /** What it says next. */
  function heard(limit: TimeLimit, signal: AbortSignal | null): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        stopClock()
        child.off('message', onMessage).off('exit', onExit).off('error', onError)
        signal?.removeEventListener('abort', onAbort)
        settle()
      }
      const giveUp = (reason: unknown): void => {
        kill()
        end(() => reject(reason))
      }
      const onMessage = (message: unknown): void => {
        const outcome = message as Outcome
        usedMs = outcome.usedMs
        end(() => resolve(outcome))
      }
      const onExit = (code: number | null, by: NodeJS.Signals | null): void => {
        log.warn({ code, signal: by }, 'a process for assertions ended')
        // When memory is used up, the engine aborts (SIGABRT) or the system kills the process
        // (SIGKILL).
        const isMemory = by === 'SIGABRT' || by === 'SIGKILL'
        giveUp(
          isMemory
            ? new Undecided('memory', 'The assertions need more memory for this body than they may have')
            : new Undecided('process', 'The assertions were not decided: their process ended')
        )
      }
      const onError = (): void => giveUp(new Undecided('process', 'The assertions were not decided: their process failed'))
      const onAbort = (): void => giveUp(signal?.reason)
      const stopClock = limitTime(child.pid, usedMs, limit, (isCostly) =>
        giveUp(
          isCostly
            ? new Undecided('deadline', 'The assertions were not decided in time: an expression or a path is too costly for this body')
            : new Undecided('busy', 'The prober was too busy to evaluate the assertions')
        )
      )
      child.once('message', onMessage).once('exit', onExit).once('error', onError)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) onAbort()
    })
  }

  const ready = heard(START, null)
  // The caller of `ask` gets this error.
  ready.catch(() => undefined)

  async function ask(question: Question, body: readonly Buffer[], limit: TimeLimit, signal: AbortSignal) {
    await ready
    const answer = heard(limit, signal)
    child.stdin?.write(
      frameOf(
        question,
        body.reduce((sum, piece) => sum + piece.length, 0)
      )
    )
    for (const piece of body) child.stdin?.write(piece)
    const outcome = await answer
    if ('fault' in outcome) throw new Undecided('refused', outcome.fault)
    if (!('results' in outcome)) throw new Error('A process for assertions spoke out of turn')
    return outcome.results
  }

  return {
    async ask(question, body, limit, signal) {
      child.ref()
      child.channel?.ref()
      try {
        return await ask(question, body, limit, signal)
      } finally {
        child.unref()
        child.channel?.unref()
      }
    },
    get isAlive() {
      return isAlive
    },
    kill
  }
}

/**
 * A process that evaluates assertions, as its prober holds it (the process itself is
 * assertion-process.ts). A process and not a thread, since a thread that runs out of memory may
 * take the whole prober with it. It is ended when it takes too long; whoever asked it then hears
 * Undecided.
 */
import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Log } from '../process/log.ts'
import { frameOf, type Outcome, type Question } from './assertion-frames.ts'
import { onSpareProcessors } from './spare-processors.ts'

/** JSON of 10 MiB may need most of it. */
const HEAP_MB = 256
/** Between two looks at what a process has used. */
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
 * `processorMs`: of the processor; `clockMs`: by the clock, on a machine that has little time for
 * such processes.
 */
export interface TimeLimit {
  processorMs: number
  clockMs: number
}

export interface Evaluator {
  /**
   * One question at a time. Rejects with Undecided, or with the reason of `signal`; the process is
   * gone then unless it refused the question.
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
 * Processor time of a process so far in ms; null where the system does not say, or the process is
 * gone.
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
 * Calls `over` once the process has used its time; `before`: what it had used up to now.
 * `isCostly`: it has used the processor for so long, and did not only wait for it. Returns what
 * ends that.
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
    // Where nobody knows what it has used, the clock stands for it.
    const left = used === null ? 0 : processorMs - (used - before)
    const rest = Math.min(left, endsAt - performance.now())
    if (rest > 0) timer = setTimeout(look, Math.max(LEAST_LOOK_MS, rest))
    else over(left <= 0)
  }
  let timer = setTimeout(look, Math.min(processorMs, clockMs))
  return () => clearTimeout(timer)
}

/**
 * Until it is ready. A tenth of a second of the processor is usual: on a machine whose processors
 * are all busy that is seconds by the clock, and one that is ended before it is ready never comes
 * to an answer.
 */
const START: TimeLimit = { processorMs: 10_000, clockMs: 60_000 }

/**
 * Below what else the machine does, from its first instruction on: to start costs more than most
 * answers. Not last of all: beside one process of usual niceness Linux leaves this a tenth of the
 * processor, which is enough for honest assertions. At 19 it is a seventieth, and on a busy machine
 * those were not decided.
 */
const NICENESS = 10

/**
 * A wish: another system has no such file, or the process is gone already, which its exit tells.
 */
function lowerPriority(pid: number): void {
  try {
    // Its threads inherit it: none has started yet.
    setPriority(pid, NICENESS)
    // Linux may share the processor between sessions first, and only within one by niceness: this
    // process is a session of its own.
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS))
  } catch {
    return
  }
}

/** Compiled or not, it is the file beside this one. */
const file = fileURLToPath(new URL(`./assertion-process${import.meta.url.slice(-3)}`, import.meta.url))

/**
 * Node's options without those of a debugger, whose port is taken, and without a script of the
 * command line, which would run instead of the evaluator: again a prober, without end.
 */
export function optionsForChild(options: readonly string[]): string[] {
  const isScript = (one: string | undefined): boolean => one !== undefined && /^(-e|-p|-pe|--eval|--print)$/.test(one)
  return options.filter((one, at) => !isScript(one) && !isScript(options[at - 1]) && !/^--(inspect|eval=|print=)/.test(one))
}

/** Throws where the system has no room for a process. */
export function startEvaluator(log: Log): Evaluator {
  // Low priority alone is not enough: a busy processor is handed over some milliseconds late.
  const [execPath = '', ...words] = [...onSpareProcessors(), process.execPath]
  const child = fork(file, {
    execPath,
    // A session of its own: no signal from a terminal, and a priority that counts. It ends with the
    // channel.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    // Nothing of the prober's own environment: its token stands there.
    env: {},
    execArgv: [...words, ...optionsForChild(process.execArgv), `--max-old-space-size=${HEAP_MB}`]
  })
  if (child.pid !== undefined) lowerPriority(child.pid)
  // Idle it keeps nobody alive.
  child.unref()
  child.channel?.unref()
  let isAlive = true
  let usedMs = 0
  child.once('exit', () => {
    isAlive = false
  })
  // What ends a process is heard of by its exit.
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
        // The engine aborts, and the system kills, what has used up its memory.
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
  // Whoever asks it hears of that.
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

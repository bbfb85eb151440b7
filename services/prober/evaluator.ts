/**
 * The prober's side of a process that evaluates assertions (the process itself is
 * assertion-process.ts). It is a process and not a thread, because a thread that runs out of memory
 * may take the whole prober with it. The process is ended when it takes too long; the caller then
 * gets Undecided.
 */
import { fileURLToPath } from 'node:url'
import { limitTime, START, startChild, type TimeLimit } from '../process/child.ts'
import type { Log } from '../process/log.ts'
import { frameOf, type Outcome, type Question } from './assertion-frames.ts'
import { onSpareProcessors } from './spare-processors.ts'

/** A JSON body of 10 MiB may need most of it. */
const HEAP_MB = 256

/** The prober could not say whether the assertions hold; `message` says why, for people. */
export class Undecided extends Error {
  override readonly name = 'Undecided'
  readonly reason: 'deadline' | 'memory' | 'process' | 'busy' | 'refused' | 'costly'
  constructor(reason: Undecided['reason'], message: string) {
    super(message)
    this.reason = reason
  }
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

/** The file beside this one, with the same extension, compiled or not. */
const file = fileURLToPath(new URL(`./assertion-process${import.meta.url.slice(-3)}`, import.meta.url))

/** Starts an evaluator process. Throws if the system has no room for a process. */
export function startEvaluator(log: Log): Evaluator {
  // Low priority alone is not enough: a busy processor is handed over some milliseconds late.
  const [execPath = '', ...words] = [...onSpareProcessors(), process.execPath]
  const child = startChild(file, HEAP_MB, { execPath, stdio: ['pipe', 'ignore', 'ignore', 'ipc'], execArgv: words })
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

  /** Returns the next message of the child process. */
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

/**
 * Keeps one process running: starts it, waits until it is ready, and restarts it when it ends. The
 * pause before a restart doubles from 200 ms to 10 s, and returns to 200 ms after the process has
 * been up for 30 s. The first start fails after five ends in a row or at its deadline.
 */
import { type Child, exitText } from './child.ts'

export interface KeepOptions {
  name: string
  start(): Promise<Child>
  /**
   * Resolves when the process is ready to work. It is called again for each start; `ended` aborts
   * when the process has ended.
   */
  ready(child: Child, ended: AbortSignal): Promise<void>
  stopSignal: NodeJS.Signals
  /** How long it may take to stop. After that it is killed. */
  stopMs: number
  readyMs: number
  logFile: string
  /**
   * What its last lines add to the message that it could not be started. Empty when its errors have
   * been reported already.
   */
  lastWords(child: Child): string
  /** While this returns true, the process is not restarted (control/hold-kafka). */
  held?(): boolean
  onPid(pid: number | null): void
  tell(line: string): void
}

export interface Kept {
  name: string
  /**
   * Resolves when the process is ready for the first time. Rejects when it could not be started.
   */
  ready: Promise<void>
  pid(): number | null
  stop(): Promise<void>
}

const SHORTEST_MS = 200
const MAX_MS = 10_000
const STEADY_MS = 30_000
const FIRST_ATTEMPTS = 5

/** Returns the pause before the next start. `upMs`: how long the process was up. */
export const nextDelay = (delay: number, upMs: number): number => (upMs >= STEADY_MS ? SHORTEST_MS : Math.min(delay * 2, MAX_MS))

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })

export function keep(options: KeepOptions): Kept {
  const { name, tell } = options
  const stopping = new AbortController()
  let child: Child | null = null
  let wasReady = false
  let settle: { resolve(): void; reject(error: Error): void } | undefined
  const ready = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject }
  })
  ready.catch(() => undefined) // Waiters still see the rejection; there may be none yet.

  async function runOnce(): Promise<string> {
    const started = await options.start()
    if (stopping.signal.aborted) {
      await started.stop(options.stopSignal, options.stopMs)
      return 'was stopped'
    }
    child = started
    options.onPid(started.pid)
    const ended = new AbortController()
    const timer = setTimeout(() => {
      if (wasReady) tell(`${name} was not ready after ${options.readyMs / 1000} s and is started again; its log: ${options.logFile}`)
      started.signal('SIGKILL')
    }, options.readyMs)
    options.ready(started, ended.signal).then(
      () => {
        if (ended.signal.aborted) return
        clearTimeout(timer)
        if (wasReady) tell(`${name} is back`)
        wasReady = true
        settle?.resolve()
      },
      (error: Error) => {
        if (ended.signal.aborted) return
        tell(`${name} did not become ready: ${error.message}`)
        started.signal('SIGKILL')
      }
    )
    const exit = await started.exited
    ended.abort()
    clearTimeout(timer)
    child = null
    options.onPid(null)
    const said = wasReady ? '' : options.lastWords(started)
    return `ended ${exitText(exit)}${said ? `, saying:\n${said}` : ''}`
  }

  async function loop(): Promise<void> {
    let delay = SHORTEST_MS / 2
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      const from = Date.now()
      const end = await runOnce().catch((error: Error) => `could not be started: ${error.message}`)
      if (stopping.signal.aborted) return
      if (!wasReady && attempt >= FIRST_ATTEMPTS) {
        settle?.reject(new Error(`${name} ${end}\nIts log: ${options.logFile}`))
        return
      }
      delay = nextDelay(delay, Date.now() - from)
      if (options.held?.()) tell(`${name} ${end}; it is held and not started again`)
      else if (wasReady) tell(`${name} ${end}; started again in ${delay} ms; its log: ${options.logFile}`)
      await sleep(delay, stopping.signal)
      while (options.held?.() && !stopping.signal.aborted) await sleep(SHORTEST_MS, stopping.signal)
    }
  }

  const running = loop()
  return {
    name,
    ready,
    pid: () => child?.pid ?? null,
    async stop() {
      stopping.abort()
      settle?.reject(new Error(`${name} was stopped`))
      await child?.stop(options.stopSignal, options.stopMs)
      await running
    }
  }
}

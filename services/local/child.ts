/**
 * A process of the local stack. It runs in a process group of its own, so Ctrl-C at the console
 * reaches only the supervisor, which then stops everything in order. Its output goes to a file of
 * bounded size, and its last lines are kept for messages.
 *
 * The process ends when the supervisor is gone, in one of two ways. `stdin` gives it a pipe whose
 * end it watches itself (services/process/run.ts). `{ signal }` starts a tiny shell that holds such
 * a pipe and signals the process, for engines that do not read their input.
 */
import { spawn } from 'node:child_process'
import { createWriteStream, renameSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface ChildOptions {
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  uid?: number
  gid?: number
  logFile: string
  /** How the process learns that the supervisor is gone. */
  leash: 'stdin' | { signal: NodeJS.Signals } | 'none'
  onLine?(line: string): void
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  pid: number
  exited: Promise<Exit>
  /** The newest lines of its output. */
  lastLines(): string
  signal(name: NodeJS.Signals): void
  /** Sends `signal`, and SIGKILL after `ms`. */
  stop(signal: NodeJS.Signals, ms: number): Promise<Exit>
}

const LOG_BYTES = 8 * 1_048_576
const KEPT_LINES = 12

/**
 * Appends lines to `file`. When it reaches its limit it is renamed to `<file>.1`, which replaces
 * the previous one.
 */
function logWriter(file: string): { write(line: string): void; end(): void } {
  const open = () =>
    createWriteStream(file, { flags: 'a', mode: 0o600 }).on('error', (error) =>
      process.stderr.write(`cannot write ${file}: ${error.message}\n`)
    )
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  let stream = open()
  return {
    write(line) {
      if (bytes > LOG_BYTES) {
        stream.end()
        renameSync(file, `${file}.1`)
        stream = open()
        bytes = 0
      }
      stream.write(`${line}\n`)
      bytes += line.length + 1
    },
    end: () => stream.end()
  }
}

/** Throws when the command cannot be run at all. */
export function startChild(options: ChildOptions): Promise<Child> {
  const { command, args, env, cwd, uid, gid, logFile, leash, onLine } = options
  const child = spawn(command, args, {
    env: env ?? process.env,
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    detached: true,
    stdio: [leash === 'stdin' ? 'pipe' : 'ignore', 'pipe', 'pipe']
  })
  const log = logWriter(logFile)
  const last: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      log.write(line)
      last.push(line)
      if (last.length > KEPT_LINES) last.shift()
      onLine?.(line)
    })
  }
  // Writing to a process that has just ended fails. Its exit already says everything.
  child.stdin?.on('error', () => undefined)
  let watcher: ReturnType<typeof spawn> | undefined
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      watcher?.kill('SIGKILL')
      resolve({ code, signal })
    })
    child.once('close', () => log.end()) // After the last of its output.
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      const { pid } = child
      if (pid === undefined) return reject(new Error(`${command} has no pid`))
      if (typeof leash === 'object') {
        watcher = spawn('/bin/sh', ['-c', 'read -r end; kill -s "$1" "$2"', 'sh', leash.signal.slice(3), String(pid)], {
          detached: true,
          stdio: ['pipe', 'ignore', 'ignore']
        })
        watcher.stdin?.on('error', () => undefined)
        watcher.unref()
      }
      resolve({
        pid,
        exited,
        lastLines: () => last.join('\n'),
        signal: (name) => void child.kill(name),
        async stop(signal, ms) {
          child.kill(signal)
          const timer = setTimeout(() => child.kill('SIGKILL'), ms)
          const exit = await exited
          clearTimeout(timer)
          return exit
        }
      })
    })
  })
}

export const exitText = ({ code, signal }: Exit): string => (signal ? `by ${signal}` : `with code ${code}`)

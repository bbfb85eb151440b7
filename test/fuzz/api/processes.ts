/**
 * Runs roles as processes of their own, as `npm start` does, and measures their CPU time and
 * memory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'

export interface Memory {
  rss: number
  heapUsed: number
  external: number
  arrayBuffers: number
}

export interface RoleProcess {
  name: string
  pid: number
  /** Ports of its roles that listen, in the order of the roles. */
  ports: readonly number[]
  /**
   * CPU time so far, in ms; null when the system does not provide it. It counts in steps of 10 ms.
   */
  cpuMs(): number | null
  /** After a collection. */
  memory(): Promise<Memory>
  /** Null while it lives. */
  ended(): string | null
  /** The last lines it logged as a warning or worse. */
  complaints(): readonly string[]
  stop(): Promise<void>
}

const TICK_MS = 10
const COMPLAINTS = 200
const WARN = 40

const isWarning = (line: string): boolean => Number(/"level":(\d+)/.exec(line)?.[1] ?? WARN) >= WARN

export async function startRoles(roles: readonly string[], environment: NodeJS.ProcessEnv): Promise<RoleProcess> {
  const from = import.meta.url
  const run = fileURLToPath(moduleUrl('../../../services/process/run.ts', from))
  const words = [...loaderOf(from), '--expose-gc', '--import', moduleUrl('./preload.ts', from), run, ...roles]
  const child: ChildProcess = spawn(process.execPath, words, {
    // Passes on nothing of the test runner's environment.
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc']
  })
  const { pid, stdout, stderr } = child
  const name = roles.join('+')
  if (pid === undefined || !stdout || !stderr) throw new Error(`${name} could not be started`)
  const complaints: string[] = []
  let over: string | null = null
  const exited = new Promise<void>((resolve) =>
    child.once('exit', (code, signal) => {
      over = `${name} ended with ${signal ?? `code ${code}`}`
      resolve()
    })
  )
  const ports = await new Promise<number[]>((resolve, reject) => {
    void exited.then(() => reject(new Error(`${over}\n${complaints.join('\n')}`)))
    for (const pipe of [stdout, stderr])
      createInterface({ input: pipe }).on('line', (line) => {
        if (isWarning(line)) complaints.push(line)
        if (complaints.length > COMPLAINTS) complaints.shift()
        if (line.includes('"msg":"ready"')) resolve((JSON.parse(line) as { ports: number[] }).ports)
      })
  })
  return {
    name,
    pid,
    ports,
    cpuMs() {
      try {
        // Fields after the name, which may contain any character. The 12th and 13th are user and
        // system time.
        const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        return (Number(fields[11]) + Number(fields[12])) * TICK_MS
      } catch {
        return null
      }
    },
    memory: () =>
      new Promise((resolve, reject) => {
        child.once('message', (told) => resolve(told as Memory))
        child.send('memory', (error) => error && reject(error))
      }),
    ended: () => over,
    complaints: () => complaints,
    async stop() {
      child.kill('SIGTERM')
      await exited
    }
  }
}

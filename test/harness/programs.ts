/** Starts and ends programs of other projects that a test uses as real senders. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { program } from './debian.ts'
import { until } from './until.ts'

export const ALERTMANAGER = 'prometheus-alertmanager'

export interface Program {
  pid: number
  kill(signal: NodeJS.Signals): Promise<void>
}

/**
 * Starts a program and appends its output to `log`. Resolves when its /-/ready answers with
 * success.
 */
export async function startProgram(command: string, args: string[], port: number, log: string): Promise<Program> {
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const file = createWriteStream(log, { flags: 'a' })
  child.stdout?.pipe(file, { end: false })
  child.stderr?.pipe(file, { end: false })
  let over = false
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true
      resolve()
    }
    child.once('exit', end)
    child.once('error', end)
  })
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal)
    await ended
    file.end()
  }
  try {
    await until(
      `${command} to be ready`,
      async () => {
        if (over) throw new Error(`${command} ended:\n${readFileSync(log, 'utf8').slice(-2000)}`)
        return fetch(`http://127.0.0.1:${port}/-/ready`).then(
          (answer) => answer.ok,
          () => false
        )
      },
      30_000
    )
  } catch (error) {
    await kill('SIGKILL')
    throw error
  }
  return { pid: child.pid ?? 0, kill }
}

/**
 * Returns the alertmanager.yml that the creation of an integration prints, with other (short)
 * waits. By default, a route waits half a minute before it notifies about a group, five minutes
 * between changes, and four hours before it repeats a notification.
 */
export function withWaits(config: string, waits: Readonly<Record<'group_wait' | 'group_interval' | 'repeat_interval', string>>): string {
  const route = '  receiver: service\n'
  if (!config.includes(`route:\n${route}`)) throw new Error(`the printed alertmanager.yml has no such route:\n${config}`)
  const lines = Object.entries({ group_by: '[alertname]', ...waits }).map(([name, value]) => `  ${name}: ${value}\n`)
  return config.replace(route, route + lines.join(''))
}

/**
 * Starts Debian's Alertmanager without a cluster on a loopback port. It keeps its state in
 * `storage`.
 */
export async function startAlertmanager(config: string, storage: string, port: number, log: string): Promise<Program> {
  await program(ALERTMANAGER, ALERTMANAGER)
  mkdirSync(storage, { recursive: true })
  const args = [
    `--config.file=${config}`,
    `--storage.path=${storage}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address='
  ]
  return startProgram(ALERTMANAGER, args, port, log)
}

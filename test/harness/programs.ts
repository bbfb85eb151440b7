/** Programs of others that a test starts and ends: real senders. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import { program } from './debian.ts'
import { until } from './until.ts'

export const ALERTMANAGER = 'prometheus-alertmanager'

export interface Program {
  pid: number
  kill(signal: NodeJS.Signals): Promise<void>
}

/** Starts a program, its output into `log`; resolves once its /-/ready answers. */
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
 * The alertmanager.yml that an integration's creation prints, with short waits: its route waits
 * half a minute before a group is told, five minutes between changes and four hours before it is
 * told again.
 */
export function withWaits(config: string, waits: Readonly<Record<'group_wait' | 'group_interval' | 'repeat_interval', string>>): string {
  const route = '  receiver: service\n'
  if (!config.includes(`route:\n${route}`)) throw new Error(`the printed alertmanager.yml has no such route:\n${config}`)
  const lines = Object.entries({ group_by: '[alertname]', ...waits }).map(([name, value]) => `  ${name}: ${value}\n`)
  return config.replace(route, route + lines.join(''))
}

/** Debian's Alertmanager, alone, on a port of the loopback; what it remembers is in `storage`. */
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

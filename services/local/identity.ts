/**
 * Is that process still the one that was meant? A pid is reused sooner or later; together with the
 * time the process started it is not.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Identity {
  pid: number
  /** When it started, in whatever terms the system has; equal means the same process. */
  started: string
}

const boot = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** Null when no such process runs. A zombie does not run. */
function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name in parentheses, which may hold anything: state is the first field, the start
    // in clock ticks since boot the twentieth.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot()}/${fields[19]}`
  } catch {
    return null // No such process.
  }
}

/** Identity of a running process; null when it runs no more. */
export function identify(pid: number): Identity | null {
  const started = startOf(pid)
  return started === null ? null : { pid, started }
}

export const isRunning = ({ pid, started }: Identity): boolean => startOf(pid) === started

/** Sends `signal` unless the process has ended meanwhile. */
export function signalTo(who: Identity, signal: NodeJS.Signals): void {
  if (!isRunning(who)) return
  try {
    process.kill(who.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Waits until it runs no more, at most `ms`. Whether it ended. For processes that are nobody's
 * child here: a child says so itself.
 */
export async function ended(who: Identity, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  while (isRunning(who)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return true
}

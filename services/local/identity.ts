/**
 * Checks that a process is still the one that was meant. A pid is reused sooner or later; a pid
 * together with the start time of its process is not.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface Identity {
  pid: number
  /** The start time, in the form that the system gives. Equal values mean the same process. */
  started: string
}

const boot = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

/** Null when no such process runs. A zombie does not run. */
function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The fields after the name in parentheses, which may contain anything: the first is the state,
    // the twentieth the start time in clock ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? null : `${boot()}/${fields[19]}`
  } catch {
    return null // No such process.
  }
}

/** Returns the identity of a running process. Null when it no longer runs. */
export function identify(pid: number): Identity | null {
  const started = startOf(pid)
  return started === null ? null : { pid, started }
}

export const isRunning = ({ pid, started }: Identity): boolean => startOf(pid) === started

/** Sends `signal` unless the process has ended in the meantime. */
export function signalTo(who: Identity, signal: NodeJS.Signals): void {
  if (!isRunning(who)) return
  try {
    process.kill(who.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/**
 * Waits at most `ms` until the process has ended, and returns whether it did. For processes that
 * are not children of this one: a child reports its end itself.
 */
export async function ended(who: Identity, ms: number): Promise<boolean> {
  const deadline = Date.now() + ms
  while (isRunning(who)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return true
}

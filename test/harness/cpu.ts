/** CPU time, in seconds. */
import { readFileSync } from 'node:fs'

/** Clock ticks per second in the counters of /proc/<pid>/stat. */
const TICKS_PER_SECOND = 100

/**
 * CPU seconds of all children of this process that have ended, and of their children. Only Linux
 * reports this; elsewhere 0.
 */
export function waitedForSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // The fields are counted after the name in parentheses, because the name may hold any character.
  // The fourteenth and fifteenth are the user and system time of children that were waited for.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

/** CPU seconds of this process and of its children that have ended. */
export function usedSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + waitedForSeconds()
}

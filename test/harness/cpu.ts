/** Time of a processor, in seconds. */
import { readFileSync } from 'node:fs'

/** Of the counters in /proc/<pid>/stat. */
const TICKS_PER_SECOND = 100

/** Of all children of this process that have ended, and of theirs. Only Linux tells: else 0. */
export function waitedForSeconds(): number {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  // After the name in parentheses, which may hold anything: user and system time of children that
  // were waited for are the fourteenth and fifteenth.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND
}

/** Of this process and of its children that have ended. */
export function usedSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + waitedForSeconds()
}

/** CPU and memory of other processes, from the kernel's own accounting. */
import { readdirSync, readFileSync } from 'node:fs'

/** Kernel ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS = 100

/** User and system CPU seconds of a process so far, without its children; 0 once it is gone. */
export function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return 0
  }
}

/**
 * CPU seconds of a process and all its descendants so far, including descendants that ended and
 * were waited for.
 */
export function treeCpuSeconds(pid: number): number {
  let total = 0
  for (const one of tree(pid)) total += cpuSeconds(one) + endedChildren(one)
  return total
}

/** CPU seconds of children that a process has waited for. */
function endedChildren(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[13]) + Number(fields[14])) / TICKS
  } catch {
    return 0
  }
}

/**
 * Proportional set size in MiB. Memory that processes share is divided between them, so the sum
 * over processes is what they use together.
 */
export function memoryMiB(pid: number): number {
  try {
    const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return Number(match?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** A process and all its descendants. */
export function tree(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(name)])
    } catch (error) {
      // The process ended during the read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  const all = [pid]
  for (let index = 0; index < all.length; index++) all.push(...(children.get(all[index] as number) ?? []))
  return all
}

/**
 * CPU time of the whole machine since boot, in kernel ticks; two readings are subtracted. `steal`:
 * CPU time that other machines on the same host took.
 */
export function machineTimes(): { steal: number; idle: number; total: number } {
  const fields = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '').split(/\s+/).slice(1).map(Number)
  const [, , , idle = 0, waiting = 0, , , steal = 0] = fields
  return { steal, idle: idle + waiting, total: fields.reduce((sum, value) => sum + value, 0) }
}

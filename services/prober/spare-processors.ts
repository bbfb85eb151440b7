/**
 * Which processors of the machine costly work may use, so that some are left for everything else:
 * the later half of those that this process may run on. Linux only, by `taskset`; elsewhere, and on
 * one processor, all of them.
 */
import { accessSync, constants, readFileSync } from 'node:fs'

const TASKSET = '/usr/bin/taskset'

/** Numbers of a list as Linux writes it, such as `0-3,8`. Throws RangeError for another text. */
export function processorsOf(list: string): number[] {
  return list
    .trim()
    .split(',')
    .flatMap((range) => {
      const found = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(range)
      if (!found) throw new RangeError(`no list of processors: ${list}`)
      const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])]
      return Array.from({ length: last - first + 1 }, (_, nth) => first + nth)
    })
}

/** The later half, rounded down; null where that leaves none. */
export function laterHalf(processors: readonly number[]): number[] | null {
  const half = processors.slice(Math.ceil(processors.length / 2))
  return half.length === 0 ? null : half
}

/** What to write before a command so that it runs on the later half only; empty: nothing. */
export function onSpareProcessors(): string[] {
  try {
    accessSync(TASKSET, constants.X_OK)
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    const half = allowed === undefined ? null : laterHalf(processorsOf(allowed))
    return half ? [TASKSET, '-c', half.join(',')] : []
  } catch (error) {
    // No such program or file here.
    if (['ENOENT', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}

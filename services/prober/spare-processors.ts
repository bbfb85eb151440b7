/**
 * Chooses the processors that costly work may use, so that some are left for everything else: the
 * later half of those that this process may run on. Linux only, by `taskset`. Elsewhere, or with
 * one processor, costly work may use all of them.
 */
import { accessSync, constants, readFileSync } from 'node:fs'

const TASKSET = '/usr/bin/taskset'

/**
 * Reads the numbers of a list as Linux writes it, such as `0-3,8`. Throws RangeError for other
 * text.
 */
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

/** Returns the later half, rounded down; null if that is empty. */
export function laterHalf(processors: readonly number[]): number[] | null {
  const half = processors.slice(Math.ceil(processors.length / 2))
  return half.length === 0 ? null : half
}

/**
 * Returns the words to put before a command so that it runs only on the later half; empty: none.
 */
export function onSpareProcessors(): string[] {
  try {
    accessSync(TASKSET, constants.X_OK)
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    const half = allowed === undefined ? null : laterHalf(processorsOf(allowed))
    return half ? [TASKSET, '-c', half.join(',')] : []
  } catch (error) {
    // This machine has no such program or file.
    if (['ENOENT', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}

/**
 * Decides which test files share a process (several.ts). Files of one folder import much the same,
 * and for most of them loading takes longer than running.
 *
 * These files run alone:
 * - long files, which are better run side by side;
 * - files that change their process or measure what it uses.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

const LIMITS = /(?:^t\.setTimeout\(|\btimeout: )([\d_]+)/gm
/** Limit of a file that sets none, in ms. */
const USUAL_MS = 30_000
/** A file with a limit this long or longer runs in a process alone. */
const LONG_MS = 400_000
/** Calls of a file that waits: for an engine, or until something happens. */
const WAITS = /\b(?:stand|database|engines|until)\(/
/** A file that waits for nothing takes about this part of the time of one that does. */
const PART_WITHOUT_WAITING = 1 / 10
const TOUCHES_PROCESS = /\bprocess\.(?:exit|chdir|on|once|emit|cpuUsage|memoryUsage|resourceUsage|env\.\w+ = )|\banswerWith\(/

/** A folder with so few files shares a pack with its neighbours. */
const FEW = 8

/** Largest number of files in a pack. If a file ends the process, those after it must run again. */
const MAX_PACK = 32

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')

/** Returns how long a file may take by the limits in its own text, in ms. */
export const limitOf = (text: string): number =>
  Math.max(USUAL_MS, ...[...text.matchAll(LIMITS)].map(([, limit = '']) => Number(limit.replaceAll('_', ''))))

/** Divides the files into packs of equal size and keeps their order. */
function divided(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / MAX_PACK)
  const from = (nth: number): number => Math.ceil((nth * files.length) / count)
  return Array.from({ length: count }, (_, nth) => files.slice(from(nth), from(nth + 1)))
}

function grouped(files: readonly string[], nameOf: (file: string) => string): string[][] {
  const groups = new Map<string, string[]>()
  for (const file of files) groups.set(nameOf(file), [...(groups.get(nameOf(file)) ?? []), file])
  return [...groups.values()]
}

/**
 * Returns the files of each folder, where folders with few files go together with others of the
 * folder around them.
 */
function roomsOf(files: readonly string[]): string[][] {
  const folders = grouped(files, dirname)
  const few = folders.filter(({ length }) => length <= FEW).flat()
  return [...folders.filter(({ length }) => length > FEW), ...grouped(few, (file) => dirname(dirname(file)))]
}

/**
 * Returns all files in packs, each file in one pack. Files that run alone come first, those with
 * the longest limits before the others. After them come the shared packs, and first those that
 * probably take longest: with long limits, and with files that wait. If such a pack began last, it
 * would end long after the others.
 */
export function packsOf(files: readonly string[], read = textOf): string[][] {
  const limits = new Map<string, number>()
  const lengths = new Map<string, number>()
  const alone: string[][] = []
  const shared: string[] = []
  for (const file of files) {
    const text = read(file)
    const limit = limitOf(text)
    limits.set(file, limit)
    lengths.set(file, limit * (WAITS.test(text) ? 1 : PART_WITHOUT_WAITING))
    if (limit >= LONG_MS || TOUCHES_PROCESS.test(text)) alone.push([file])
    else shared.push(file)
  }
  const together = roomsOf(shared).flatMap(divided)
  const by = (lengths: ReadonlyMap<string, number>, packs: string[][]): string[][] => {
    const lengthOf = (pack: readonly string[]): number => pack.reduce((sum, file) => sum + (lengths.get(file) ?? 0), 0)
    return packs.sort((one, other) => lengthOf(other) - lengthOf(one))
  }
  return [...by(limits, alone), ...by(lengths, together)]
}

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
const TOUCHES_PROCESS = /\bprocess\.(?:exit|chdir|on|once|emit|cpuUsage|memoryUsage|resourceUsage|env\.\w+ = )/

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
 * Returns all files in packs, each file in one pack. Files that run alone come before the shared
 * packs; within both, the packs with the longest limits come first.
 */
export function packsOf(files: readonly string[], read = textOf): string[][] {
  const limits = new Map<string, number>()
  const alone: string[][] = []
  const shared: string[] = []
  for (const file of files) {
    const text = read(file)
    const limit = limitOf(text)
    limits.set(file, limit)
    if (limit >= LONG_MS || TOUCHES_PROCESS.test(text)) alone.push([file])
    else shared.push(file)
  }
  const together = roomsOf(shared).flatMap(divided)
  const longest = (pack: readonly string[]): number => pack.reduce((sum, file) => sum + (limits.get(file) ?? 0), 0)
  const byLimit = (packs: string[][]): string[][] => packs.sort((one, other) => longest(other) - longest(one))
  return [...byLimit(alone), ...byLimit(together)]
}

/**
 * Which test files share a process (several.ts). Files of a folder import much the same, and most
 * of them are shorter than what loading that takes. Long ones are better by themselves, side by
 * side; so are those that do something to their process, or look at what it takes; and those of
 * streams with engines, whose workspaces have the same ids in every file, though a process knows a
 * workspace by its id.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { needsOf } from './needs.ts'

const LIMITS = /(?:^t\.setTimeout\(|\btimeout: )([\d_]+)/gm
/** Of a file that sets none. */
const USUAL_MS = 30_000
/** Who may take so long has a process alone. */
const LONG_MS = 400_000
const SAME_IDS = /^test\/streams\//
const TOUCHES_PROCESS = /\bprocess\.(?:exit|chdir|on|once|emit|cpuUsage|memoryUsage|resourceUsage|env\.\w+ = )/

/** One that ends its process leaves those behind it to run again. */
const MAX_PACK = 16

const textOf = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')

/** How long a file may take by its own word, ms. */
export const limitOf = (text: string): number =>
  Math.max(USUAL_MS, ...[...text.matchAll(LIMITS)].map(([, limit = '']) => Number(limit.replaceAll('_', ''))))

/** All of them in packs of equal size, in their order. */
function divided(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / MAX_PACK)
  const from = (nth: number): number => Math.ceil((nth * files.length) / count)
  return Array.from({ length: count }, (_, nth) => files.slice(from(nth), from(nth + 1)))
}

/** Each file is in one pack; those that may take longest come first. */
export function packsOf(files: readonly string[], read = textOf, hasEngines = (file: string) => needsOf(file).engines): string[][] {
  const limits = new Map<string, number>()
  const alone: string[][] = []
  const folders = new Map<string, string[]>()
  for (const file of files) {
    const text = read(file)
    const limit = limitOf(text)
    limits.set(file, limit)
    if (limit >= LONG_MS || (SAME_IDS.test(file) && hasEngines(file)) || TOUCHES_PROCESS.test(text)) alone.push([file])
    else folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file])
  }
  const together = [...folders.values()].flatMap(divided)
  const longest = (pack: readonly string[]): number => pack.reduce((sum, file) => sum + (limits.get(file) ?? 0), 0)
  const byLimit = (packs: string[][]): string[][] => packs.sort((one, other) => longest(other) - longest(one))
  return [...byLimit(alone), ...byLimit(together)]
}

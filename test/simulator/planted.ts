/**
 * Plants bugs into the real code, to check that the simulator finds them. Each is a change of the
 * text of a source file in a copy. The text must be in the file exactly once, otherwise that is an
 * error: a plant cannot become useless unnoticed when the code changes.
 */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { type Code, codeOf, ENTRY } from './code.ts'
import { plants } from './plants.ts'
import { runSeed } from './run.ts'

export interface Change {
  file: string
  find: string
  put: string
}

export interface Plant {
  name: string
  /** The point of issue 14 that the bug breaks, if it breaks one. */
  point?: 1 | 2 | 3 | 5
  /** Quick to find: a few of these run in npm test. */
  quick?: true
  changes: readonly [Change, ...Change[]]
}

/** The text of a plant is not in the current code. */
export class Rotten extends Error {
  override readonly name = 'Rotten'
}

export function planted(text: string, { file, find, put }: Change): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Rotten(`${file} holds ${JSON.stringify(find)} ${parts.length - 1} times, expected once`)
  return parts.join(put)
}

/** Calls `use` with the code that contains the plant. The copy is deleted afterwards. */
export async function withPlant<T>({ changes }: Plant, use: (code: Code) => T | Promise<T>): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'simulator-'))
  try {
    for (const folder of ['streams', 'schemas']) {
      await mkdir(join(root, folder))
      await cp(join(projectRoot, folder), join(root, folder), { recursive: true, filter: (path) => !/\.(?:sql|avsc|json|md)$/.test(path) })
    }
    await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'))
    await cp(join(projectRoot, 'package.json'), join(root, 'package.json'))
    for (const change of changes) {
      const path = join(root, change.file)
      await writeFile(path, planted(await readFile(path, 'utf8'), change))
    }
    await writeFile(join(root, 'entry.ts'), ENTRY)
    return await use(await codeOf(join(root, 'entry.ts')))
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

export interface Found {
  name: string
  seed: number
  rule: string
  what: string
  /** Events of all seeds up to the one that found it. */
  events: number
}

/** Runs seeds until one finds the bug. Resolves with null if none does. */
export const seek = (plant: Plant, seeds: number, events: number): Promise<Found | null> =>
  withPlant(plant, (code) => {
    let all = 0
    for (let seed = 0; seed < seeds; seed++) {
      const ran = runSeed(code, seed, events)
      all += ran.events
      if (ran.finding) return { name: plant.name, seed, rule: ran.finding.rule, what: ran.finding.what, events: all }
    }
    return null
  })

/** Yields every plant with what was found for it, one after the other. */
export async function* seekAll(seeds: number, events: number, some: readonly Plant[] = plants): AsyncGenerator<[Plant, Found | null]> {
  for (const plant of some) yield [plant, await seek(plant, seeds, events)]
}

/**
 * Keeps fetched programs in the project's `.engines/`, which every data folder and the tests share.
 * A folder that exists is complete: it is filled under another name and then renamed.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { projectRoot } from '../../schemas/files.ts'
import { identify } from './identity.ts'

export const CACHE = join(projectRoot, '.engines')

/**
 * Returns the folder `name` in `cache`. If it is missing, `fill` puts its content into an empty
 * folder first. Rejects with the error of `fill`; nothing is kept then.
 */
export async function fetchOnce(cache: string, name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  for (const left of readdirSync(cache)) {
    const pid = /\.(\d+)\.half$/.exec(left)?.[1]
    if (pid !== undefined && !identify(Number(pid))) rmSync(join(cache, left), { recursive: true, force: true })
  }
  const half = `${folder}.${process.pid}.half`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half)
  try {
    await fill(half)
    renameSync(half, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error // Another instance was faster; its folder is complete.
  } finally {
    rmSync(half, { recursive: true, force: true })
  }
  return folder
}

/** Throws when the content of `file` differs from its pinned SHA-256, in hex. */
export async function checkHash(file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const actual = hash.digest('hex')
  if (actual !== sha256)
    throw new Error(
      `${file} has the SHA-256 ${actual}, expected ${sha256}: the repository serves another file than the one that was pinned`
    )
}

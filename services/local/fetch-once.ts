/**
 * Keeps fetched programs in the project's `.engines/`, which every data folder and the tests share.
 * A folder that exists is complete: it is filled under another name and then renamed.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
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

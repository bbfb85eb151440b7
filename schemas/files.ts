/**
 * Finds the project's folder. SQL, Avro and HTML files are located from it, so the same code runs
 * from source and from dist/. It walks up from this file to the folder that holds package.json.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the folder with package.json. */
export const projectRoot = find(dirname(fileURLToPath(import.meta.url)))

function find(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error(`No package.json above ${fileURLToPath(import.meta.url)}`)
  return find(parent)
}

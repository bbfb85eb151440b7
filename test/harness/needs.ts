/**
 * Finds what a test file needs besides its own compiled code. It reads the sources that the file
 * imports, directly or indirectly. The file needs engines if one of them is
 * test/harness/engines.ts, and the built product or dashboard if one of them names those folders.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'
import { importsOf } from './imports.ts'

export interface Needs {
  engines: boolean
  /** dist/services, with the bill of materials that the build writes. */
  service: boolean
  /** dist/web */
  dashboard: boolean
}

const HARNESS = 'test/harness/engines.ts'
/** Modules that a test hands to another process (modules.ts). */
const HANDED = /\bmoduleUrl\(\s*'([^']+)'/g
/** They are left out, because they run nothing. */
const TYPES = /^(?:import|export) type [^;]*? from '[^']+'$/gm

/**
 * Returns the text of a file, or '' if it does not exist: a test may quote an import of a file that
 * does not exist.
 */
function sourceOf(path: string): string {
  const file = join(projectRoot, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/**
 * Returns what `file` needs. `read` returns the text of a file by its path from the project's root.
 */
export function needsOf(file: string, read = sourceOf): Needs {
  const seen = new Set<string>()
  const needs: Needs = { engines: false, service: false, dashboard: false }
  const waiting = [normalize(file)]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    if (path === HARNESS) needs.engines = true
    const text = read(path)
    if (/'dist\/(?:services\/|sbom\.json)/.test(text)) needs.service = true
    if (/'dist\/web'/.test(text)) needs.dashboard = true
    const named = [...importsOf(text.replace(TYPES, '')), ...[...text.matchAll(HANDED)].map(([, name = '']) => name)]
    for (const target of named) if (/^\.{1,2}\/.+\.tsx?$/.test(target)) waiting.push(join(dirname(path), target))
  }
  // A product serves its dashboard, so it needs both.
  return { ...needs, dashboard: needs.dashboard || needs.service }
}

/**
 * What a test file needs beside its compiled self, read from the sources that it imports, directly
 * or not: engines where one of them is the harness that hands out their addresses, the built
 * product or dashboard where one of them names those folders.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

export interface Needs {
  engines: boolean
  /** dist/services, with the bill of materials that its build writes. */
  service: boolean
  /** dist/web */
  dashboard: boolean
}

const HARNESS = 'test/harness/engines.ts'
/**
 * `import … from`, `export … from`, `import()` and `moduleUrl()` of a file of ours. Types alone run
 * nothing.
 */
const IMPORTS = /(?:\bfrom|\bimport|\bimport\(|\bmoduleUrl\()\s*'(\.{1,2}\/[^']+\.tsx?)'/g
const TYPES = /^(?:import|export) type [^;]*? from '[^']+'$/gm

/** An import that a test only quotes may name a file that is not there. */
function sourceOf(path: string): string {
  const file = join(projectRoot, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** `read`: text of a file, by its path from the project's root. */
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
    for (const [, target = ''] of text.replace(TYPES, '').matchAll(IMPORTS)) waiting.push(join(dirname(path), target))
  }
  // A product serves its dashboard.
  return { ...needs, dashboard: needs.dashboard || needs.service }
}

/**
 * Packs libraries of many small modules into a few files, in dist/node_modules, where the compiled
 * service finds them first: `rolldown --config rolldown.config.ts`. Typebox alone has almost seven
 * hundred modules. Reading them one by one took a prober half of the time in which it loads
 * (decision 0093).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type RolldownOptions } from 'rolldown'

const root = import.meta.dirname

/** The packed libraries, and the entries of each that the service imports. */
const PACKED: Readonly<Record<string, readonly string[]>> = {
  typebox: ['.', './compile', './error', './format', './value'],
  'jsonpath-rfc9535': ['.', './parser']
}

interface Manifest {
  version: string
  exports: Record<string, { import: string | { default: string } }>
}

/** Packs the entries of a library, and writes the package.json that leads to them. */
function packed(name: string, entries: readonly string[]): RolldownOptions {
  const folder = join(root, 'node_modules', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const fileOf = (entry: string): string => (entry === '.' ? 'index' : entry.slice('./'.length))
  const source = (entry: string): string => {
    const target = manifest.exports[entry]?.import
    if (target === undefined) throw new Error(`${name} exports no ${entry}`)
    return join(folder, typeof target === 'string' ? target : target.default)
  }
  return {
    input: Object.fromEntries(entries.map((entry) => [fileOf(entry), source(entry)])),
    platform: 'node',
    output: { dir: join(root, 'dist/node_modules', name), cleanDir: true },
    plugins: [
      {
        name: 'manifest',
        generateBundle() {
          const exports = Object.fromEntries(entries.map((entry) => [entry, `./${fileOf(entry)}.js`]))
          this.emitFile({
            type: 'asset',
            fileName: 'package.json',
            source: `${JSON.stringify({ name, version: manifest.version, type: 'module', exports }, null, 1)}\n`
          })
        }
      }
    ]
  }
}

export default defineConfig(Object.entries(PACKED).map(([name, entries]) => packed(name, entries)))

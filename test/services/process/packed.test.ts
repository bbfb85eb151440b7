/** The packed libraries (rolldown.config.ts), which the compiled service loads. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { importsOf } from '../../harness/imports.ts'

interface Manifest {
  version: string
  exports: Record<string, string>
}

const folder = join(projectRoot, 'dist/node_modules')
const manifestIn = (place: string, name: string): Manifest =>
  JSON.parse(readFileSync(join(place, name, 'package.json'), 'utf8')) as Manifest
const names = readdirSync(folder)
/** Resolves as a file of the compiled service does. */
const fromService = createRequire(join(projectRoot, 'dist/services/process/run.js'))

/** Every specifier that a source of the service imports. */
function importedSpecifiers(): Set<string> {
  const files = ['schemas', 'streams', 'services'].flatMap((part) =>
    readdirSync(join(projectRoot, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes(join('services', 'web')))
      .map((entry) => join(entry.parentPath, entry.name))
  )
  return new Set(files.flatMap((file) => importsOf(readFileSync(file, 'utf8'))))
}

t.test('the compiled service finds each packed library in dist, in the installed version', (t) => {
  t.ok(names.includes('typebox'))
  for (const name of names) {
    t.ok(fromService.resolve(name).startsWith(folder + sep), `${name} is the packed one`)
    t.equal(manifestIn(folder, name).version, manifestIn(join(projectRoot, 'node_modules'), name).version, name)
    t.ok(readdirSync(join(folder, name)).length < 20, `${name} has few files`)
  }
  t.end()
})

t.test('each entry of a packed library that the service imports is packed', (t) => {
  const imported = [...importedSpecifiers()]
  for (const name of names) {
    const entries = Object.keys(manifestIn(folder, name).exports).map((entry) => name + entry.slice(1))
    const used = imported.filter((specifier) => specifier === name || specifier.startsWith(`${name}/`))
    t.ok(used.length > 0, `${name} is used`)
    t.same(
      used.filter((specifier) => !entries.includes(specifier)),
      [],
      `${name}: rolldown.config.ts names every entry`
    )
  }
  t.end()
})

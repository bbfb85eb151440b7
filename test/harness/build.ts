/**
 * Compiles what a test run needs. The service goes to dist/, as `npm start` compiles it for a user,
 * because some tests run exactly that. The test files, with everything they import, go to
 * dist-test/. Types are not checked here, because that takes four times as long: the type check is
 * a test of its own.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

const TOOL_MS = 300_000

/**
 * Runs a program until it ends and ignores its output and exit code. A program that hangs is
 * killed. Tests that need its output then fail.
 */
const program = (file: string, ...args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: projectRoot, stdio: 'ignore', timeout: TOOL_MS, killSignal: 'SIGKILL' })
    child.once('error', reject)
    child.once('exit', () => resolve())
  })

/** Runs a program of node_modules. */
const tool = (name: string, ...args: string[]): Promise<void> => program(join(projectRoot, 'node_modules/.bin', name), ...args)

/** The service, as `npm run build` compiles it. */
const buildService = (): Promise<void> => tool('tsc', '-p', 'tsconfig.build.json', '--noCheck')
/** The packed libraries, in dist/node_modules. */
const packLibraries = (): Promise<void> => tool('rolldown', '--config', 'rolldown.config.ts')
const buildDashboard = (): Promise<void> => tool('vite', 'build', '--config', 'services/web/vite.config.ts')

/** The folder into which rolldown.config.ts packs libraries. */
const PACKED = 'dist/node_modules'

/** The folder into which tsconfig.test.json compiles. */
export const COMPILED = 'dist-test'

/**
 * Compiles the test files. Below `COMPILED`, the import `tap` resolves to own-test.ts, which gives
 * each test file its own `t`.
 */
async function buildTests(): Promise<void> {
  await tool('tsc', '-p', 'tsconfig.test.json')
  linkLibraries()
  const folder = join(projectRoot, COMPILED, 'node_modules/tap')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'tap', type: 'module', exports: './index.js' }))
  writeFileSync(join(folder, 'index.js'), "export { default } from '../../test/harness/own-test.js'\n")
}

/** Lets the compiled tests find the packed libraries that the compiled service uses. */
function linkLibraries(): void {
  const folder = join(projectRoot, COMPILED, 'node_modules')
  mkdirSync(folder, { recursive: true })
  for (const library of readdirSync(join(projectRoot, PACKED))) {
    rmSync(join(folder, library), { recursive: true, force: true })
    symlinkSync(join(projectRoot, PACKED, library), join(folder, library))
  }
}

/**
 * Needed once after an install, with the plugins of .taprc. Without it, tap's own loader does not
 * understand TypeScript 7.
 */
const buildTap = (): Promise<void> => tool('tap', 'build')

/**
 * Writes the bill of materials of the build in dist. The program that writes it is part of that
 * build.
 */
const writeBill = (): Promise<void> => program(process.execPath, join(projectRoot, 'dist/services/supply-chain/sbom.js'))

export async function buildAll(): Promise<void> {
  await Promise.all([buildService(), packLibraries(), buildTap()])
  await buildDashboard()
  await Promise.all([buildTests(), writeBill()])
}

/** Whether `built` is missing or older than one of `sources`, which are files and whole folders. */
function isOlder(built: string, sources: readonly string[]): boolean {
  if (!existsSync(built)) return true
  const at = statSync(built).mtimeMs
  const isNewer = (file: string): boolean => statSync(file).mtimeMs > at
  return sources.some((source) =>
    statSync(source).isDirectory()
      ? readdirSync(source, { recursive: true, withFileTypes: true }).some(
          (entry) => entry.isFile() && isNewer(join(entry.parentPath, entry.name))
        )
      : isNewer(source)
  )
}

/**
 * Builds what changed since the last build, as far as `needs` asks for it. The compiler is
 * incremental. The bundler is not, so it runs only when a source is newer than the built page.
 */
export async function buildChanged(needs: { service: boolean; dashboard: boolean }): Promise<void> {
  const packing = ['package-lock.json', 'rolldown.config.ts'].map((source) => join(projectRoot, source))
  if (isOlder(join(projectRoot, PACKED, 'typebox/package.json'), packing)) await packLibraries()
  const web =
    needs.dashboard && isOlder(join(projectRoot, 'dist/web/index.html'), [join(projectRoot, 'services/web'), join(projectRoot, 'schemas')])
  await Promise.all([
    buildTests(),
    ...(needs.service ? [buildService()] : []),
    ...(web ? [buildDashboard()] : []),
    ...(existsSync(join(projectRoot, '.tap')) ? [] : [buildTap()])
  ])
  if (needs.service && isOlder(join(projectRoot, 'dist/sbom.json'), [join(projectRoot, 'services/supply-chain')])) await writeBill()
}

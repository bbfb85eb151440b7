/**
 * What a test run compiles. A user runs what `npm start` compiles, and some files test just that
 * (dist/); the test files are compiled too, with what they import (dist-test/). Types are not
 * checked here, which takes four times as long: the type check is a test of its own.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../schemas/files.ts'

const TOOL_MS = 300_000

/**
 * Runs a program to its end, whatever it says. One that hangs is killed: what it did not build is
 * missed by the tests.
 */
const program = (file: string, ...args: string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: projectRoot, stdio: 'ignore', timeout: TOOL_MS, killSignal: 'SIGKILL' })
    child.once('error', reject)
    child.once('exit', () => resolve())
  })

/** One of node_modules. */
const tool = (name: string, ...args: string[]): Promise<void> => program(join(projectRoot, 'node_modules/.bin', name), ...args)

/** The service, as `npm run build` compiles it. */
const buildService = (): Promise<void> => tool('tsc', '-p', 'tsconfig.build.json', '--noCheck')
const buildDashboard = (): Promise<void> => tool('vite', 'build', '--config', 'services/web/vite.config.ts')

/** Where tsconfig.test.json puts what is compiled. */
export const COMPILED = 'dist-test'

/** Below `COMPILED`, the name of tap leads to what a file's process gives for it. */
async function buildTests(): Promise<void> {
  await tool('tsc', '-p', 'tsconfig.test.json')
  const folder = join(projectRoot, COMPILED, 'node_modules/tap')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'tap', type: 'module', exports: './index.js' }))
  writeFileSync(join(folder, 'index.js'), "export { default } from '../../test/harness/own-test.js'\n")
}

/**
 * Once after an install, with the plugins of .taprc: without that tap's own loader does not
 * understand TypeScript 7.
 */
const buildTap = (): Promise<void> => tool('tap', 'build')

/** Of the build in dist, which holds what writes it. */
const writeBill = (): Promise<void> => program(process.execPath, join(projectRoot, 'dist/services/supply-chain/sbom.js'))

export async function buildAll(): Promise<void> {
  await Promise.all([buildService(), buildTap()])
  await buildDashboard()
  await Promise.all([buildTests(), writeBill()])
}

/** Whether a file below `folders` is newer than `built`, or that is not there. */
function isOlder(built: string, folders: readonly string[]): boolean {
  if (!existsSync(built)) return true
  const at = statSync(built).mtimeMs
  return folders.some((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).some(
      (entry) => entry.isFile() && statSync(join(entry.parentPath, entry.name)).mtimeMs > at
    )
  )
}

/**
 * What changed since the last build, as far as it is needed. The compiler is incremental; the
 * bundler is not, so it runs only when a source is newer than the page.
 */
export async function buildChanged(needs: { service: boolean; dashboard: boolean }): Promise<void> {
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

/**
 * Checks out another commit of the project into a temporary folder, built and ready to start, for
 * runs that begin with an older version. Packages are hard links to those of this checkout when
 * both commits want the same version; otherwise they are installed. Broker and registry are hard
 * links to those in `.engines`.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../schemas/files.ts'

const run = promisify(execFile)
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

export interface Checkout {
  folder: string
  /** Full hash of the commit. */
  commit: string
  /** Deletes the folder, and git's record of it. */
  remove(): Promise<void>
}

/** Runs a command; a failure carries the command's output. */
async function tried(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await run(command, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES })).stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

const sameText = (left: string, right: string): boolean => readFileSync(left, 'utf8') === readFileSync(right, 'utf8')

async function link(name: string, folder: string): Promise<void> {
  await tried('cp', ['-al', join(projectRoot, name), join(folder, name)], projectRoot)
}

/**
 * Checks out the commit. Rejects when git knows no such commit, or when it cannot be built; then
 * nothing is left behind.
 */
export async function checkOut(from: string, tell: (line: string) => void): Promise<Checkout> {
  const commit = (await tried('git', ['rev-parse', '--verify', `${from}^{commit}`], projectRoot)).trim()
  const parent = mkdtempSync(join(tmpdir(), 'service-checkout-test-'))
  const folder = join(parent, 'product')
  const remove = async (): Promise<void> => {
    rmSync(parent, { recursive: true, force: true })
    await tried('git', ['worktree', 'prune'], projectRoot)
  }
  try {
    await tried('git', ['worktree', 'add', '--detach', folder, commit], projectRoot)
    const same = sameText(join(projectRoot, 'package-lock.json'), join(folder, 'package-lock.json'))
    const linked =
      same &&
      (await link('node_modules', folder).then(
        () => true,
        () => false // Hard links to another disk fail.
      ))
    if (!linked) {
      rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
      await tried('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], folder)
    }
    if (existsSync(join(projectRoot, '.engines'))) await link('.engines', folder).catch(() => tell('engines are fetched anew'))
    tell(
      `${commit.slice(0, 12)} is checked out; packages are ${linked ? 'links to those of this checkout' : 'installed from its lock file'}`
    )
    await tried('npm', ['run', '--silent', 'build'], folder)
    tell('it is built')
  } catch (error) {
    await remove()
    throw error
  }
  return { folder, commit, remove }
}

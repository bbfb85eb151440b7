/**
 * Installs Python packages for tests in a folder beside the engines, once for each set of packages.
 * Nothing is installed for the rest of the machine.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { CACHE, fetchOnce } from '../../services/local/fetch-once.ts'
import { lastWords } from './last-words.ts'

const run = promisify(execFile)

export interface Python {
  /** Runs a script and returns its output. Rejects with its errors if it fails. */
  script(file: string, environment: Record<string, string>): Promise<string>
  /** Starts a script that runs until its input ends. */
  start(file: string, environment: Record<string, string>): ChildProcessWithoutNullStreams
}

/** Installs `packages` unless they are there. Returns their folder. */
async function installed(packages: readonly string[]): Promise<string> {
  const { stdout: version } = await run('python3', ['--version'])
  const hash = createHash('sha256').update([version.trim(), ...packages].join(' '))
  return fetchOnce(CACHE, `python-${hash.digest('hex').slice(0, 12)}`, async (folder) => {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--no-compile', '--target', folder, ...packages], { timeout: 240_000 })
  })
}

/**
 * Installs `packages`, which are pinned as in `six==1.17.0`. Rejects with one sentence if there is
 * no Python, no pip, or no registry that has the packages.
 */
export async function pythonWith(packages: readonly string[]): Promise<Python> {
  const folder = await installed(packages).catch((error: unknown) => {
    const why = lastWords(error)
    throw new Error(`python3 with pip (Debian: python3-pip) and a registry that has ${packages[0]} are needed for this test: ${why}`)
  })
  const env = (environment: Record<string, string>) => ({
    PATH: process.env.PATH ?? '',
    PYTHONPATH: folder,
    PYTHONIOENCODING: 'utf-8',
    PYTHONDONTWRITEBYTECODE: '1',
    ...environment
  })
  return {
    script: async (file, environment) => (await run('python3', [file], { env: env(environment), timeout: 120_000 })).stdout,
    start: (file, environment) => spawn('python3', [file], { env: env(environment) })
  }
}

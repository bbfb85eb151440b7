/**
 * Installs Python packages for one test, in a folder that is removed with the test. Nothing is
 * installed for the rest of the machine.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Teardown } from './engines.ts'

const run = promisify(execFile)

export interface Python {
  /** Runs a script and returns its output. Rejects with its errors if it fails. */
  script(file: string, environment: Record<string, string>): Promise<string>
  /** Starts a script that runs until its input ends. */
  start(file: string, environment: Record<string, string>): ChildProcessWithoutNullStreams
}

/**
 * Installs `packages`, which are pinned as in `six==1.17.0`. Rejects with one sentence if there is
 * no Python, no pip, or no registry that has the packages.
 */
export async function pythonWith(t: Teardown, packages: readonly string[]): Promise<Python> {
  const folder = mkdtempSync(join(tmpdir(), 'service-python-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const install = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--target', folder, ...packages]
  await run('python3', install, { timeout: 240_000 }).catch((error: Error & { stderr?: string }) => {
    const why = (error.stderr || error.message).trim().split('\n').at(-1)
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

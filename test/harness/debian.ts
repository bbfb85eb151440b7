/**
 * Programs that tests and benchmarks need and npm has not: real senders, a browser, peers. What is not on the machine is installed from Debian's packages where that can be done without asking
 * (as root, or with a sudo that asks nothing); else the test fails with the one line that would do it.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Another test may be installing. */
const LOCK_SECONDS = 300

/** Where `program` is, or null. */
export function find(program: string): string | null {
  for (const folder of `${process.env.PATH ?? ''}${delimiter}/usr/sbin`.split(delimiter)) {
    const file = join(folder, program)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    }
  }
  return null
}

/** Path of `program`, installed with the Debian package `name` where it is missing. */
export async function program(program: string, name: string): Promise<string> {
  const there = find(program)
  if (there) return there
  const command = ['apt-get', '-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, 'install', '-y', '--no-install-recommends', name]
  const [file = '', ...words] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
  await run(file, words, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 400_000 }).catch(
    (error: Error & { stderr?: string }) => {
      const why = (error.stderr || error.message).trim().split('\n').at(-1)
      throw new Error(`${program} is not on this machine and could not be installed (apt-get install ${name}): ${why}`)
    }
  )
  const installed = find(program)
  if (!installed) throw new Error(`the Debian package ${name} has no ${program}`)
  return installed
}

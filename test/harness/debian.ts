/**
 * Finds or installs the programs that tests and benchmarks need and npm does not have: real
 * senders, fonts, peers. A missing program is installed from Debian's packages if no password
 * is needed (as root, or with a sudo that does not ask). Otherwise the test fails and names the one
 * command that would install it.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { lastWords } from './last-words.ts'

const run = promisify(execFile)

/** The lock may be held by another test that installs, or by the system's own updates. */
const LOCK_SECONDS = 300
const LIMIT_MS = 600_000
const ATTEMPTS = 3

/**
 * Returns the path of `program`, or null if it is not there. A `program` that is a path already is
 * checked at that path.
 */
export function find(program: string): string | null {
  const folders = program.startsWith('/') ? ['/'] : `${process.env.PATH ?? ''}${delimiter}/usr/sbin`.split(delimiter)
  for (const folder of folders) {
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

/** Runs apt-get. Returns the last line of its error, or null if it succeeds. */
async function apt(signal: AbortSignal, ...args: string[]): Promise<string | null> {
  const options = [`DPkg::Lock::Timeout=${LOCK_SECONDS}`, 'Acquire::Retries=3', 'Acquire::http::Timeout=60'].flatMap((one) => ['-o', one])
  const command = ['apt-get', ...options, ...args]
  const [file = '', ...words] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
  try {
    await run(file, words, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 16 * 1_048_576, signal })
    return null
  } catch (error) {
    return lastWords(error)
  }
}

/**
 * Installs Debian packages. Returns the error of apt-get, or null if it succeeds. It tries several
 * times, because package lists may be missing or old, and a mirror or a lock may be busy.
 */
async function install(names: readonly string[], pauseMs: number): Promise<string | null> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  for (let attempt = 1; ; attempt++) {
    const why = await apt(signal, 'install', '-y', '--no-install-recommends', ...names)
    if (why === null || attempt === ATTEMPTS || signal.aborted) return why
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    await apt(signal, 'update') // The next attempt shows whether it helped.
  }
}

/** Programs that the test files need, with the Debian package of each. */
const wanted: Record<string, string> = {
  caddy: 'caddy',
  curl: 'curl',
  'docker-compose': 'docker-compose',
  dnsmasq: 'dnsmasq-base',
  '/usr/lib/dovecot/imap-login': 'dovecot-imapd',
  '/usr/lib/dovecot/pop3-login': 'dovecot-pop3d',
  'fc-list': 'fontconfig',
  nginx: 'nginx-light',
  ip: 'iproute2',
  ping: 'iputils-ping',
  prometheus: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager'
}

/**
 * Installs all missing programs at once, so that no test spends its own time on that. If a program
 * cannot be installed, the test that needs it fails and says so.
 */
export async function provide(tell: (line: string) => void): Promise<void> {
  const missing = Object.keys(wanted).filter((program) => !find(program))
  if (missing.length === 0) return
  tell(`installing ${missing.join(', ')}`)
  const why = await install(
    missing.map((program) => wanted[program] ?? program),
    5000
  )
  if (why !== null) tell(`not all could be installed: ${why}`)
}

/**
 * Returns the path of `program`. If it is missing, installs the Debian package `name` first.
 * `pauseMs` is the pause between attempts.
 */
export async function program(program: string, name: string, pauseMs = 5000): Promise<string> {
  const there = find(program)
  if (there) return there
  const why = await install([name], pauseMs)
  if (why !== null) throw new Error(`${program} is not on this machine and could not be installed (apt-get install ${name}): ${why}`)
  const installed = find(program)
  if (!installed) throw new Error(`the Debian package ${name} has no ${program}`)
  return installed
}

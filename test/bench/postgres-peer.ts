/**
 * Debian's Postgres as a peer, in a folder that goes away with the run: tuned as its manual advises for a machine of its own, no flush to disk. Throws where
 * the distribution's server is not installed.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPool, type Pool } from '../../services/store/pool.ts'
import { until } from '../harness/until.ts'
import { version } from './figures.ts'

const run = promisify(execFile)

const DEBIAN = '/usr/lib/postgresql'

export interface PostgresPeer {
  version: string
  /** One connection, as superuser. */
  pool: Pool
  stop(): Promise<void>
}

function binFolder(): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((one) => join(DEBIAN, one, 'bin')).find((folder) => existsSync(join(folder, 'postgres')))
  if (!found) throw new Error(`no Postgres below ${DEBIAN}: apt-get install postgresql`)
  return found
}

/** Postgres does not run as root. */
function user(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const fields = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  if (!fields) throw new Error('the user postgres is not there')
  return { uid: Number(fields[1]), gid: Number(fields[2]) }
}

/** `folder`: a folder of the run, which exists; the server may read files in it that everybody may read. `statementMs`: no statement may take longer. */
export async function postgresPeer(folder: string, statementMs: number): Promise<PostgresPeer> {
  const bin = binFolder()
  const who = user()
  const own = join(folder, 'postgres')
  mkdirSync(own, { mode: 0o700 })
  if (who) {
    chmodSync(folder, 0o711)
    chownSync(own, who.uid, who.gid)
  }
  const data = join(own, 'data')
  const how = { ...who, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  await run(join(bin, 'initdb'), [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-sync'], how)
  const mib = Math.floor(totalmem() / 2 ** 20)
  const settings = {
    listen_addresses: '',
    unix_socket_directories: own,
    shared_buffers: `${Math.min(4096, mib >> 2)}MB`,
    effective_cache_size: `${mib >> 1}MB`,
    work_mem: '64MB',
    maintenance_work_mem: '512MB',
    max_wal_size: '4GB',
    fsync: 'off',
    random_page_cost: '1.1'
  }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child: ChildProcess = spawn(join(bin, 'postgres'), ['-D', data, ...args], { ...how, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const pool = createPool(`socket:${own}?db=postgres&user=postgres`, { application_name: 'bench', max: 1, statementTimeoutMs: statementMs })
  const stop = async (): Promise<void> => {
    await pool.end()
    child.kill('SIGINT')
    await ended
  }
  try {
    await until('Postgres to answer', () => pool.query('SELECT 1').catch(() => null), 30_000)
    return { version: version(join(bin, 'postgres'), '--version'), pool, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Debian's Postgres in a cluster of its own: what a team would typically store such data in. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../harness/free-ports.ts'
import { until } from '../../harness/until.ts'
import { version } from '../figures.ts'
import { treeCpuSeconds } from '../processes.ts'
import { end, type Peer } from './peer.ts'

const ROOT = '/usr/lib/postgresql'

export interface PostgresPeer extends Peer {
  url: string
  /** Folder of its programs, including pgbench. */
  bin: string
}

function newest(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number).filter(Number.isFinite) : []
  if (versions.length === 0) throw new Error('Postgres is not there: apt-get install postgresql')
  return join(ROOT, String(Math.max(...versions)), 'bin')
}

/** Postgres does not run as root. */
function user(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Whether a program exits with 0. */
const answered = (program: string, ...args: string[]): boolean => spawnSync(program, args, { stdio: 'ignore' }).status === 0

/**
 * Starts a cluster in `folder`, which must belong to this run. The server may read files in it that
 * are readable by everybody. `settings` are added to its defaults.
 */
export async function debianPostgres(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<PostgresPeer> {
  const bin = newest()
  const port = await freePort()
  const data = join(folder, 'postgres')
  mkdirSync(data, { mode: 0o700 })
  const who = user()
  if (who) {
    chmodSync(folder, 0o711)
    chownSync(data, who.uid, who.gid)
  }
  const how = { ...who, cwd: data, stdio: 'ignore' } as const
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], how)
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data, ...args], how)
  await until('Postgres to answer', () => answered(join(bin, 'pg_isready'), '-h', '127.0.0.1', '-p', String(port)), 20_000)
  return {
    name: 'postgres',
    version: version(join(bin, 'postgres'), '--version'),
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    bin,
    cpu: () => treeCpuSeconds(child.pid ?? 0),
    stop: () => end(child, 'SIGINT')
  }
}

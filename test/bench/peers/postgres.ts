/** Debian's Postgres in a cluster of its own, with its defaults: what a team would keep such things in. */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../figures.ts'
import { treeCpuSeconds } from '../processes.ts'
import { end, freePort, type Peer } from './peer.ts'

const ROOT = '/usr/lib/postgresql'

export interface PostgresPeer extends Peer {
  url: string
  /** Folder of its programs, pgbench among them. */
  bin: string
}

function newest(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).map(Number).filter(Number.isFinite) : []
  if (versions.length === 0) throw new Error('Postgres is not there: apt-get install postgresql')
  return join(ROOT, String(Math.max(...versions)), 'bin')
}

/** `folder` must be one that the user postgres may enter. */
export async function debianPostgres(folder: string): Promise<PostgresPeer> {
  const bin = newest()
  const port = await freePort()
  const data = join(folder, 'postgres')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  // The server refuses to run as root.
  const root = process.getuid?.() === 0
  const user = root
    ? {
        uid: Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' })),
        gid: Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' }))
      }
    : {}
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid)
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...user,
    cwd: data,
    stdio: 'ignore'
  })
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data], {
    ...user,
    cwd: data,
    stdio: 'ignore'
  })
  for (let left = 200; ; left--) {
    try {
      execFileSync(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
      break
    } catch {
      if (left === 0) throw new Error('Postgres did not start within 20 s')
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
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

/**
 * alerta-server on Debian's Postgres under gunicorn, as a team would host it: installed from PyPI
 * once, into .engines. Its CPU is that of gunicorn and Postgres.
 * Source: docs.alerta.io (deployment with gunicorn, DATABASE_URL).
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../schemas/files.ts'
import { program } from '../../harness/debian.ts'
import { freePort } from '../../harness/free-ports.ts'
import { treeCpuSeconds } from '../processes.ts'
import { answers, end, type Peer } from './peer.ts'
import { debianPostgres } from './postgres.ts'

const VERSION = '9.1.0'
const GUNICORN = '27.0.1'

async function install(): Promise<string> {
  const venv = join(projectRoot, '.engines', `alerta-${VERSION}`)
  if (existsSync(join(venv, 'ready'))) return venv
  await program('python3', 'python3-venv')
  console.log(`installing alerta-server ${VERSION} into .engines, once`)
  rmSync(venv, { recursive: true, force: true })
  execFileSync('python3', ['-m', 'venv', venv], { stdio: 'ignore' })
  execFileSync(join(venv, 'bin/pip'), ['-q', 'install', `alerta-server[postgres]==${VERSION}`, `gunicorn==${GUNICORN}`], {
    stdio: ['ignore', 'ignore', 'inherit']
  })
  writeFileSync(join(venv, 'ready'), '')
  return venv
}

export async function alerta(folder: string): Promise<Peer> {
  const venv = await install()
  const postgres = await debianPostgres(folder)
  const port = await freePort()
  execFileSync(join(postgres.bin, 'createdb'), ['-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres', 'monitoring'])
  writeFileSync(
    join(folder, 'alertad.conf'),
    "AUTH_REQUIRED = False\nSECRET_KEY = 'only for a measurement'\nPLUGINS = []\nLOG_LEVEL = 'ERROR'\nAUDIT_LOG = None\n"
  )
  const options = ['--preload', '--workers', '2', '--bind', `127.0.0.1:${port}`, '--log-level', 'critical', '--chdir', folder]
  const child = spawn(
    // Runs gunicorn as a module: its own script contains the folder of its installation, which may
    // have moved since.
    join(venv, 'bin/python3'),
    ['-m', 'gunicorn', ...options, 'alerta:create_app()'],
    {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        ALERTA_SVR_CONF_FILE: join(folder, 'alertad.conf'),
        DATABASE_URL: `${postgres.url.replace(/\/postgres$/, '')}/monitoring`
      }
    }
  )
  try {
    await answers(`http://127.0.0.1:${port}/`)
  } catch (error) {
    await end(child)
    await postgres.stop()
    throw error
  }
  return {
    name: 'alerta',
    version: `alerta-server ${VERSION}, gunicorn ${GUNICORN}, ${postgres.version}`,
    port,
    cpu: () => treeCpuSeconds(child.pid ?? 0) + postgres.cpu(),
    async stop() {
      await end(child)
      await postgres.stop()
    }
  }
}

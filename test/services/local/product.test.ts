/**
 * The product as `npm start` runs it, over the life of a data folder: first start, a second
 * instance, a killed supervisor, a killed broker, a normal end.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { holdFile } from '../../../services/local/engines.ts'
import { identify, isRunning } from '../../../services/local/identity.ts'
import { processNames } from '../../../services/local/roles.ts'
import { startProduct } from '../../harness/product.ts'
import { SHORT_LIVED } from '../../harness/short-lived.ts'
import { until } from '../../harness/until.ts'

/** Every process whose environment or command line names the folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${name}/${file}`, 'utf8').includes(folder))
    } catch {
      return false // Ended during the read.
    }
  })
}

t.test('the life of a data folder', { timeout: 880_000 }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-product-test-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))

  const first = await startProduct({ dataDir, nodeArgs: SHORT_LIVED })
  t.teardown(() => first.kill())
  const pids = first.pids()
  const names = ['supervisor', 'postgres', 'kafka', 'registry', ...processNames]
  t.same(Object.keys(pids).sort(), [...names].sort(), 'every part is named with its pid')

  await t.test('access.json is readable by its owner only and gives access to the service', async (t) => {
    t.equal(statSync(join(dataDir, 'access.json')).mode & 0o777, 0o600)
    t.same(Object.keys(first.access), ['base_url', 'email', 'password', 'api_token'])
    t.equal(first.access.base_url, `http://127.0.0.1:${first.port('api')}`)
    t.match(first.access.api_token, /^service_[0-9a-f]{64}$/)
    const { email, password, base_url } = first.access
    t.equal((await first.api('GET', '/api/v1/auth/session')).status, 200)
    const login = await fetch(`${base_url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password })
    })
    t.equal(login.status, 200)
    for (const file of ['secrets.json', 'engines.env']) t.equal(statSync(join(dataDir, file)).mode & 0o777, 0o600, file)
  })

  await t.test('login, token, address and a working door are printed at the first start', async (t) => {
    await until('the last lines', () => first.output().includes('Ctrl-C'), 60_000)
    for (const text of [first.access.base_url, first.access.password, first.access.api_token, join(dataDir, 'access.json')])
      t.match(first.output(), text)
    const door = /curl -X POST (\S+)/.exec(first.output())?.[1]
    const answer = await fetch(door ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"title":"A test","severity":"critical"}'
    })
    t.ok(answer.ok, `the printed door answers ${answer.status}`)
  })

  await t.test('a second instance on the same data folder is refused', async (t) => {
    await t.rejects(startProduct({ dataDir }), { message: new RegExp(`in use by another instance \\(pid ${pids.supervisor}\\)`) })
    t.equal((await first.api('GET', '/health')).status, 200, 'and the first goes on')
  })

  const before = Object.fromEntries(Object.entries(pids).flatMap(([name, pid]) => [[name, identify(pid)]]))
  await first.kill()
  const second = await startProduct({ dataDir, nodeArgs: SHORT_LIVED })
  t.teardown(() => second.kill())

  await t.test('a start after a killed supervisor finds the same service and prints no secrets again', async (t) => {
    for (const [name, who] of Object.entries(before)) t.notOk(who && isRunning(who), `${name} of the first run is gone`)
    t.same(second.access, first.access, 'address, login and token stay')
    t.equal((await second.api('GET', '/api/v1/auth/session')).status, 200)
    await until('the last lines', () => second.output().includes('Ctrl-C'), 60_000)
    t.notMatch(second.output(), first.access.password)
    t.notMatch(second.output(), first.access.api_token)
  })

  await t.test('a killed broker is restarted, unless it is held', async (t) => {
    writeFileSync(holdFile(dataDir), '')
    const broker = identify(second.pids().kafka ?? 0)
    if (!broker) return t.fail('the broker runs')
    process.kill(broker.pid, 'SIGKILL')
    await until('the word that it is held', () => second.output().includes('it is held'), 60_000)
    t.equal(second.pids().kafka, undefined)
    rmSync(holdFile(dataDir))
    await until('the broker', () => second.output().includes('kafka is back'), 120_000)
    t.ok(identify(second.pids().kafka ?? 0))
  })

  second.closeOutput()
  t.equal(await second.stop(), 0, 'in order, though nobody reads what it says')
  // The shells that held the engines' leashes are killed with them, and take a moment to exit.
  await until('nothing to be left running', () => processesOf(dataDir).length === 0)
  t.same(
    readdirSync(dataDir).filter((name) => ['pids.json', 'instance.json'].includes(name)),
    []
  )
})

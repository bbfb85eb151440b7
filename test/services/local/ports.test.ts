/** Which port a listener of the local stack gets, across restarts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { choosePorts, isFree, rangeBeside, sparePorts } from '../../../services/local/ports.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'

/** Listens on `port` until the test ends. */
async function occupy(t: Test, port = 0): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

t.test('a chosen port is chosen again', async (t) => {
  const folder = t.testdir()
  const first = await choosePorts(folder, ['api', 'kafka'])
  t.not(first.api, first.kafka)
  t.same(await choosePorts(folder, ['api', 'kafka']), first)
  t.same(JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')), first)
})

t.test('an occupied port is replaced, and the new one is remembered', async (t) => {
  const folder = t.testdir()
  const first = await choosePorts(folder, ['api', 'kafka'])
  await occupy(t, first.api)
  const second = await choosePorts(folder, ['api', 'kafka'])
  t.not(second.api, first.api)
  t.equal(second.kafka, first.kafka)
  t.ok(await isFree(second.api))
  t.same(await choosePorts(folder, ['api', 'kafka']), second)
})

t.test('a configured port is used, and an occupied one is an error that names its variable', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const folder = join(root, 'a')
  const { spare } = await choosePorts(join(root, 'b'), ['spare'])
  const configured = { api: { port: spare, variable: 'SERVICE_API_PORT' } }
  t.match(await choosePorts(folder, ['api'], configured), { api: spare })
  await occupy(t, spare)
  await t.rejects(choosePorts(folder, ['api'], configured), { message: `SERVICE_API_PORT: port ${spare} is occupied` })
})

t.test('a preferred port is tried once, and a remembered port goes first', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const folder = join(root, 'a')
  const preferred = await occupy(t)
  const first = await choosePorts(folder, ['api'], {}, { api: preferred })
  t.not(first.api, preferred, 'occupied')
  const other = await choosePorts(join(root, 'b'), ['x'])
  t.same(await choosePorts(folder, ['api'], {}, { api: other.x }), first)
})

t.test('ports of another call are left alone, even if nothing listens on them yet', async (t) => {
  const folder = t.testdir()
  const { kafka } = await choosePorts(folder, ['kafka'])
  const { api } = await choosePorts(folder, ['api'], {}, { api: kafka })
  t.not(api, kafka)
  t.match(JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')), { kafka, api })
})

/** Starts a process that chooses a port, prints it, and lives until `end`. */
async function chooser(t: Test, folder: string, preferred: number): Promise<{ api: number; end(): Promise<unknown> }> {
  const code = `
    import { choosePorts } from '${moduleUrl('../../../services/local/ports.ts', import.meta.url)}'
    const { api } = await choosePorts(${JSON.stringify(folder)}, ['api'], {}, { api: ${preferred} })
    console.log(api)
    process.stdin.resume()`
  const child = spawn(process.execPath, [...loaderOf(import.meta.url), '--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const [chunk] = await Promise.race([once(child.stdout, 'data'), exited.then(() => ['it ended'])])
  return {
    api: Number(chunk),
    end() {
      child.stdin.end()
      return exited
    }
  }
}

/**
 * A free port that nothing else here chooses and no outgoing connection takes: a preferred port is
 * not reserved until it is chosen.
 */
async function unwanted(): Promise<number> {
  for (let port = 11_000; port < 19_000; port++) if (await isFree(port)) return port
  throw new Error('no port is free')
}

t.test('of several concurrent starts exactly one gets the preferred port', async (t) => {
  const root = t.testdir({ a: {}, b: {}, c: {}, d: {} })
  const preferred = await unwanted()
  const all = await Promise.all(['a', 'b', 'c'].map((name) => chooser(t, join(root, name), preferred)))
  const ports = all.map(({ api }) => api)
  t.equal(ports.filter((port) => port === preferred).length, 1, `${ports} and not ${preferred} more than once`)
  t.equal(new Set(ports).size, 3)
  await Promise.all(all.map(({ end }) => end()))
  const next = await chooser(t, join(root, 'd'), preferred)
  t.equal(next.api, preferred, 'with the process that had it the claim is gone')
  await next.end()
})

t.test('spare ports stay reserved for this process', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const [first = 0, ...others] = await sparePorts(20)
  t.equal(new Set([first, ...others]).size, 20)
  t.notOk((await sparePorts(50)).includes(first), 'nor are they chosen twice')
  const other = await chooser(t, join(root, 'a'), first)
  t.not(other.api, first, 'though nobody listens on it')
  await other.end()
})

t.test('ports are chosen outside the range of outgoing connections', async (t) => {
  t.same(rangeBeside([32_768, 60_999]), [20_000, 32_000], 'what Linux has by itself')
  t.same(rangeBeside([0, 0]), [20_000, 32_000], 'a system that does not say')
  t.same(rangeBeside([16_000, 65_535]), [10_000, 16_000], 'below')
  t.same(rangeBeside([1024, 50_000]), [50_001, 65_535], 'above')
  t.same(rangeBeside([15_000, 40_000]), [40_001, 65_535], 'where there are more')
  t.same(rangeBeside([1024, 65_535]), [20_000, 32_000], 'nothing is left')
})

t.test('an invalid ports file is ignored', async (t) => {
  const folder = t.testdir()
  for (const text of ['{"api": 70000}', '{"api": "x"}', '[1]', 'null', '{']) {
    writeFileSync(join(folder, 'ports.json'), text)
    const { api } = await choosePorts(folder, ['api'])
    t.ok(api > 0 && api < 65_536, text)
  }
})

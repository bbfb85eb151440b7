/** Which port a listener of the local stack has, over restarts. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { choosePorts, isFree } from '../../services/local/ports.ts'

/** Listens on `port` until the test ends. */
async function occupy(t: Test, port = 0): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  return (server.address() as AddressInfo).port
}

t.test('what was chosen is chosen again', async (t) => {
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

t.test('a configured port is taken as it is; an occupied one is an error that names its variable', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const folder = join(root, 'a')
  const { spare } = await choosePorts(join(root, 'b'), ['spare'])
  const configured = { api: { port: spare, variable: 'SERVICE_API_PORT' } }
  t.match(await choosePorts(folder, ['api'], configured), { api: spare })
  await occupy(t, spare)
  await t.rejects(choosePorts(folder, ['api'], configured), { message: `SERVICE_API_PORT: port ${spare} is occupied` })
})

t.test('a preferred port is tried once, and what was remembered counts more', async (t) => {
  const root = t.testdir({ a: {}, b: {} })
  const folder = join(root, 'a')
  const preferred = await occupy(t)
  const first = await choosePorts(folder, ['api'], {}, { api: preferred })
  t.not(first.api, preferred, 'occupied')
  const other = await choosePorts(join(root, 'b'), ['x'])
  t.same(await choosePorts(folder, ['api'], {}, { api: other.x }), first)
})

t.test('ports of another call are left alone, though nobody listens on them yet', async (t) => {
  const folder = t.testdir()
  const { kafka } = await choosePorts(folder, ['kafka'])
  const { api } = await choosePorts(folder, ['api'], {}, { api: kafka })
  t.not(api, kafka)
  t.match(JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')), { kafka, api })
})

t.test('a file that makes no sense is as good as none', async (t) => {
  const folder = t.testdir()
  for (const text of ['{"api": 70000}', '{"api": "x"}', '[1]', 'null', '{']) {
    writeFileSync(join(folder, 'ports.json'), text)
    const { api } = await choosePorts(folder, ['api'])
    t.ok(api > 0 && api < 65_536, text)
  }
})

/** The query server: who may query, what it refuses, and that it returns what the engine wrote. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { TopicName } from '../../../schemas/topics.ts'
import { uuidv4 } from '../../../schemas/uuid.ts'
import { type Engine, type Params, QueryTooLarge } from '../../../services/analytics/engine.ts'
import { serveQueries } from '../../../services/analytics/server.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'service-test-query-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

const marks: Partial<Record<TopicName, number>> = {
  'monitor.transitions.v1': 500,
  'heartbeat.transitions.v1': 300,
  'checks.results.v1': 700
}
let answer: (params: Params) => Promise<string> = async () => '[]'
/** Questions that a server has read. */
let read = 0
const engine: Engine = {
  query: (_sql, params) => answer(params),
  command: async () => undefined,
  insert: async () => undefined,
  close: async () => undefined
}

const start = (url: string, secret = '', metrics = createMetrics()) =>
  serveQueries({
    url,
    secret,
    engine,
    completeUntil(topic) {
      if (topic === 'monitor.transitions.v1') read++
      return marks[topic] ?? null
    },
    log: createLog('analytics', 'fatal'),
    metrics
  })

async function post(url: string, body: unknown, headers: Record<string, string> = {}, path = '/v1/query') {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const unix = url.startsWith('unix:')
  const target = unix ? { socketPath: url.slice(5), path } : { host: new URL(url).hostname, port: new URL(url).port, path }
  return new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const sent = request(
      { ...target, method: 'POST', headers: { 'content-length': Buffer.byteLength(text), ...headers } },
      async (response) => {
        let got = ''
        for await (const part of response) got += String(part)
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(got) })
      }
    )
    sent.once('error', reject)
    sent.end(text)
  })
}

const question = { name: 'status_changes_list', tenant_id: uuidv4(), params: { kind: 'monitor', id: uuidv4(), from: 0, to: 9, limit: 5 } }

t.test('the query server answers over a socket file that only its user may open', async (t) => {
  const path = join(folder, 'a.sock')
  const server = await start(`unix:${path}`)
  t.equal(statSync(path).mode & 0o777, 0o600)
  answer = async () => '[{"ver":1}]'
  t.same(
    await post(server.url, question),
    { status: 200, body: { rows: [{ ver: 1 }], complete_until: 300 } },
    'the least of the watermarks'
  )
  const page = { ...question, name: 'pings_list', params: { heartbeat_id: uuidv4(), from: 0, to: 9, limit: 5 } }
  t.match(await post(server.url, page), { status: 200, body: { complete_until: null } }, 'not known yet')
  const refused: [string, unknown, number, string][] = [
    ['no JSON', '{', 400, 'bad_request'],
    ['no question', [], 400, 'bad_request'],
    ['an unknown question', { ...question, name: 'everything' }, 400, 'bad_request'],
    ['no workspace', { ...question, tenant_id: undefined }, 400, 'bad_request'],
    ['too long a page', { ...question, params: { ...question.params, limit: 5000 } }, 400, 'bad_request'],
    ['a body too large', 'x'.repeat(1024 * 1024 + 1), 413, 'too_large']
  ]
  for (const [name, body, status, code] of refused) t.match(await post(server.url, body), { status, body: { error: { code } } }, name)
  t.match(await post(server.url, question, {}, '/v1/other'), { status: 404 })
  answer = async () => {
    throw new QueryTooLarge('slow')
  }
  t.match(await post(server.url, question), { status: 504, body: { error: { code: 'timeout' } } })
  answer = async () => {
    throw new Error('password of the engine')
  }
  const away = await post(server.url, question)
  t.match(away, { status: 503, body: { error: { code: 'unavailable' } } })
  t.notMatch(JSON.stringify(away), /password/, 'what went wrong inside stays inside')
  await t.rejects(start(`unix:${path}`), /another process answers/)
  await server.close()
})

t.test('a socket file left by a dead process is replaced', async (t) => {
  const path = join(folder, 'b.sock')
  const left = createServer()
  await new Promise<void>((resolve) => left.listen(path, resolve))
  const { rename } = await import('node:fs/promises')
  await rename(path, `${path}.kept`) // Closing a server takes its file along.
  await new Promise((resolve) => left.close(resolve))
  await rename(`${path}.kept`, path).catch(() => undefined)
  const server = await start(`unix:${path}`)
  answer = async () => '[]'
  t.match(await post(server.url, question), { status: 200 })
  await server.close()
})

t.test('over TCP, the query server needs the shared secret', async (t) => {
  await t.rejects(start('http://127.0.0.1:0'), /secret/)
  const server = await start('http://127.0.0.1:0', 'a secret of some length')
  t.teardown(() => server.close())
  answer = async () => '[]'
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  t.match(await post(server.url, question), { status: 401, body: { error: { code: 'unauthorized' } } })
  t.match(await post(server.url, question, bearer('a secret of some lengtH')), { status: 401 })
  t.match(await post(server.url, question, bearer('short')), { status: 401 })
  t.match(await post(server.url, question, bearer('a secret of some length')), { status: 200 })
})

t.test('questions take turns by workspace, and those whose caller has gone are dropped', async (t) => {
  const metrics = createMetrics()
  const server = await start(`unix:${join(folder, 'c.sock')}`, '', metrics)
  t.teardown(() => server.close())
  const [busy, other] = [uuidv4(), uuidv4()]
  const running: { tenant_id: unknown; end: () => void }[] = []
  let begun = 0
  answer = ({ tenant_id }) => {
    begun++
    return new Promise((resolve) => running.push({ tenant_id, end: () => resolve('[]') }))
  }
  t.teardown(() => {
    answer = async () => '[]'
  })
  read = 0
  const next = () => until('a question that runs', () => running.shift())
  const asked: ReturnType<typeof post>[] = []
  const ask = async (tenant_id: string) => {
    const before = read
    asked.push(post(server.url, { ...question, tenant_id }))
    await until('it is read', () => read === before + 1)
  }
  for (const tenant_id of [busy, busy, busy, other]) await ask(tenant_id)
  t.equal(begun, 1, 'one at a time')
  const first = await next()
  first.end()
  const second = await next()
  t.equal(second.tenant_id, other, 'before the others of the one that had a turn')
  const left = request({ socketPath: server.url.slice(5), path: '/v1/query', method: 'POST' })
  left.once('error', () => undefined)
  left.end(JSON.stringify({ ...question, tenant_id: uuidv4() }))
  await until('it is read', () => read === 5)
  left.destroy()
  await until('it has gone', async () => /outcome="unavailable"/.test(await metrics.registry.metrics()))
  second.end()
  for (let n = 0; n < 2; n++) {
    const one = await next()
    t.equal(one.tenant_id, busy)
    one.end()
  }
  for (const { status } of await Promise.all(asked)) t.equal(status, 200)
  t.equal(begun, 4, 'nothing ran for the caller that had gone')
})

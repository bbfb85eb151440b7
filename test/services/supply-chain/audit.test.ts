/**
 * Runs `npm run audit` against the test's own registries: one that knows an advisory, one that
 * knows none, one without the service, and an address where nothing listens.
 */
import { spawn } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { verdictOf } from '../../../services/supply-chain/audit.ts'
import { freePort } from '../../harness/free-ports.ts'
import { loaderOf, moduleUrl } from '../../harness/modules.ts'

t.setTimeout(200_000)

/** Answers a request for `path` with `response`. */
type Answering = (path: string, response: ServerResponse) => void

async function registry(t: Test, answering: Answering): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    request.on('end', () => answering(request.url ?? '', response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function audit(t: Test, url: string): Promise<{ code: number | null; output: string }> {
  const cache = t.testdir({})
  const from = import.meta.url
  const file = fileURLToPath(moduleUrl('../../../services/supply-chain/audit.ts', from))
  const child = spawn(process.execPath, [...loaderOf(from), file], {
    cwd: projectRoot,
    env: { PATH: process.env.PATH, HOME: cache, npm_config_registry: url, npm_config_cache: cache, npm_config_update_notifier: 'false' }
  })
  let output = ''
  for (const pipe of [child.stdout, child.stderr])
    pipe.setEncoding('utf8').on('data', (part: string) => {
      output += part
    })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

const BULK = '/-/npm/v1/security/advisories/bulk'
const json = (response: ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const advisory = (severity: string) => ({
  fastify: [
    {
      id: 1,
      url: 'https://advisories.example/1',
      title: 'Takes what it must not',
      severity,
      vulnerable_versions: '<99.0.0',
      cwe: [],
      cvss: { score: 0 }
    }
  ]
})

/**
 * A registry that serves only advisories, not packages. npm then takes the ranges of the advisory.
 */
const knowing =
  (bulk: unknown): Answering =>
  (path, response) =>
    path === BULK ? json(response, 200, bulk) : json(response, 404, { error: 'not found' })

t.test('a high advisory fails the audit', async (t) => {
  const { url, asked } = await registry(t, knowing(advisory('high')))
  const { code, output } = await audit(t, url)
  t.equal(code, 1, output)
  t.match(output, /^high: fastify .*: Takes what it must not https:\/\/advisories\.example\/1$/m)
  t.match(output, /^\d+ found, [1-9]\d* of them high or critical$/m)
  t.ok(asked.includes(`POST ${BULK}`))
})

t.test('a low advisory is listed but does not fail the audit', async (t) => {
  const { url } = await registry(t, knowing(advisory('low')))
  const { code, output } = await audit(t, url)
  t.equal(code, 0, output)
  t.match(output, /^low: fastify /m)
  t.match(output, /found, 0 of them high or critical$/m)
})

t.test('the audit passes if there is no advisory', async (t) => {
  const { url } = await registry(t, knowing({}))
  const { code, output } = await audit(t, url)
  t.equal(code, 0, output)
  t.match(output, /^0 found, 0 of them high or critical$/m)
})

for (const [name, status] of [
  ['a registry without the service', 404],
  ['one that does not take the question', 405],
  ['one that fails', 500]
] as const) {
  t.test(name, async (t) => {
    const { url } = await registry(t, (_path, response) => json(response, status, { error: `nothing for you at ${url}` }))
    const { code, output } = await audit(t, url)
    t.equal(code, 3, output)
    t.match(output, /^no answer from the registry's advisory service: /m)
    t.notMatch(output, /127\.0\.0\.1|found/, 'no address, and nothing that reads like good news')
  })
}

t.test('the audit exits with code 3 if nobody answers', async (t) => {
  const { code, output } = await audit(t, `http://127.0.0.1:${await freePort()}`)
  t.equal(code, 3, output)
  t.match(output, /^no answer from the registry's advisory service: /m)
  t.notMatch(output, /127\.0\.0\.1|found/)
})

t.test('an answer without a report never passes the audit', async (t) => {
  for (const answer of [null, {}, { auditReportVersion: 2 }, { error: { summary: '' } }, { statusCode: 405 }])
    t.equal(verdictOf(answer).code, 3, JSON.stringify(answer))
  t.equal(verdictOf({ auditReportVersion: 2, vulnerabilities: {} }).code, 0)
  const critical = { name: 'a', severity: 'critical', range: '*', via: ['b'] }
  t.same(verdictOf({ auditReportVersion: 2, vulnerabilities: { a: critical } }), {
    code: 1,
    lines: ['critical: a *: by b', '1 found, 1 of them high or critical']
  })
})

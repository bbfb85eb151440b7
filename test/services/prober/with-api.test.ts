/**
 * Tests of a prober with the real api: hello, a sealed assignment, on-demand checks. What the
 * prober would send must be what intake accepts.
 */
import type { AddressInfo } from 'node:net'
import t from 'tap'
import type { Result } from '../../../schemas/http/prober.ts'
import { isResultsBody } from '../../../schemas/http/results-check.ts'
import { startProber } from '../../../services/prober/prober.ts'
import { createService } from '../../../services/prober/service.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'
import { makeProber, makeRegions } from '../api/probing.ts'
import { stand } from '../api/stand.ts'
import { facts, http, noNames } from './stand.ts'

t.setTimeout(300_000)

t.test('a monitor is checked with its secrets, and the service itself is a blocked target', async (t) => {
  const s = await stand(t, { config: { proberAllowCidrs: ['127.0.0.0/8'] } })
  await makeRegions(s)
  const { token } = await makeProber(s, 'eu-west')
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  const asked: (string | undefined)[] = []
  const target = await http(t, (request, response) => {
    asked.push(request.headers.authorization)
    response.end('{"status":"ok"}')
  })
  const sent: Result[] = []
  const prober = startProber({
    settings: {
      url: `http://127.0.0.1:${port}`,
      token,
      instance: 'eu-west-real',
      open: ['127.0.0.0/8'],
      own: [],
      resolvers: [],
      concurrency: 10,
      processes: 2,
      bufferBytes: 1_048_576
    },
    service: {
      ...createService(`http://127.0.0.1:${port}`, token, '1.2.3'),
      // Intake has the door for results. Here the results are checked as intake checks them.
      results: async (text) => {
        const body: unknown = JSON.parse(text)
        if (!isResultsBody(body)) return { status: 422, body: null, retryAfter: null }
        sent.push(...body.results)
        return { status: 202, body: null, retryAfter: null }
      }
    },
    resolve: noNames,
    version: '1.2.3',
    facts,
    kinds: ['http'],
    log: createLog('prober', 'fatal'),
    metrics: createMetrics(),
    helloEveryMs: 500
  })
  t.teardown(() => prober.close())
  await until('it is ready', () => prober.ready())
  const made = await s.call(s.acme, 'POST', '/api/v1/monitors', {
    name: 'shop',
    type: 'http',
    target: `${target}/`,
    regions: ['eu-west'],
    config: { auth: { type: 'bearer', token: 'the-secret' } },
    assertions: [{ source: 'json', property: '$.status', op: 'eq', value: 'ok' }]
  })
  t.equal(made.statusCode, 201)
  const { id } = made.json()
  const now = await s.call(s.acme, 'POST', `/api/v1/monitors/${id}/check`, {})
  t.equal(now.statusCode, 202)
  const { check_ids } = now.json()
  await until('the result', () => sent.some(({ check_id }) => check_id === check_ids[0]))
  t.match(
    sent.find(({ check_id }) => check_id === check_ids[0]),
    { monitor_id: id, tenant_ref: s.acme.tenant_id, outcome: 'success', on_demand: true, assertions: [{ ok: true }] }
  )
  t.equal(asked.at(-1), 'Bearer the-secret', 'opened with the key of this prober')
  const recorded = sent.length
  const tried = await s.call(s.acme, 'POST', '/api/v1/monitors/validate', {
    type: 'http',
    target: `${target}/new`,
    region: 'eu-west',
    timeout_seconds: 5,
    config: { auth: { type: 'bearer', token: 'another-secret' } },
    assertions: [{ source: 'json', property: '$.status', op: 'eq', value: 'down' }]
  })
  t.equal(tried.statusCode, 200, tried.body)
  t.match(tried.json().result, {
    outcome: 'failure',
    reason: 'assertion',
    attempts: 1,
    http: { status: 200 },
    assertions: [{ ok: false, actual: 'ok' }]
  })
  t.equal(asked.at(-1), 'Bearer another-secret')
  t.notMatch(tried.body, 'another-secret')
  const inward = await s.call(s.acme, 'POST', '/api/v1/monitors/validate', {
    type: 'http',
    target: `http://127.0.0.1:${port}/health`,
    region: 'eu-west',
    timeout_seconds: 5
  })
  t.match(inward.json().result, { outcome: 'failure', reason: 'blocked_target' }, 'nor when it is tried')
  t.equal(sent.length, recorded, 'what is tried is no result')
  const own = await s.call(s.acme, 'PATCH', `/api/v1/monitors/${id}`, {
    target: `http://127.0.0.1:${port}/health`,
    config: { auth: { type: 'none' } }
  })
  t.equal(own.statusCode, 200)
  const again = await s.call(s.acme, 'POST', `/api/v1/monitors/${id}/check`, {})
  const [refused] = again.json().check_ids
  const blocked = await until('the refusal', () => sent.find(({ check_id }) => check_id === refused))
  t.match(blocked, { outcome: 'failure', reason: 'blocked_target' }, 'the service itself is no target')
})

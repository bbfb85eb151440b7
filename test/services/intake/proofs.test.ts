/**
 * Tests of proofs at the door: who is refused and why, what fetching a certificate may cost, what a
 * topic may request, and from where a delivery may come.
 */

import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { createAddressGuard } from '../../../services/http/address-guard.ts'
import type { FixedDoor } from '../../../services/intake/doors/doors.ts'
import { createCertificates, createGet, type Get } from '../../../services/intake/doors/guarded-get.ts'
import { isSame, textSetting } from '../../../services/intake/proof.ts'
import type { Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { createPool, tenantTransaction } from '../../../services/store/pool.ts'
import { testConfig } from '../../harness/engines.ts'
import { makeWorkspace } from '../../harness/product.ts'
import { until } from '../../harness/until.ts'
import { certificate } from '../prober/stand.ts'
import { ROUTER, type StandOptions, stand, TOKEN } from './stand.ts'

const PEM = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n'
const ARN = 'arn:aws:sns:eu-west-1:111122223333:alarms'
const alert = '{"title":"Disk full","severity":"critical","dedup_key":"db-7"}'
const DOOR = '/proven'

const object = (body: unknown): Record<string, unknown> => body as Record<string, unknown>

/**
 * A source with a proof by header, or by certificate if the body names one. Like the topic sources,
 * it also accepts control messages.
 */
const source: Source = {
  ...sources.generic,
  headers: ['x-proof'],
  query: true,
  verify: {
    settings: { secret: { type: 'text', secret: true, description: 'x' }, topic_arn: { type: 'text', secret: false, description: 'x' } },
    check({ bytes, body, headers, settings, certificate }) {
      if (headers['x-proof'] === 'throw') throw new Error('planted')
      const { cert } = object(body)
      if (typeof cert === 'string') return certificate(cert).then((pem) => (pem === PEM ? null : 'Another certificate signed it'))
      const expected = textSetting(settings, 'secret')
      if (expected !== null && !isSame(headers['x-proof'] ?? '', `${expected} ${bytes.length}`)) return 'The header X-Proof does not fit'
      const pinned = textSetting(settings, 'topic_arn')
      return pinned === null || pinned === ARN ? null : 'Another topic is pinned'
    }
  },
  control(body) {
    const { type } = object(body)
    if (type === 'subscribe') return { kind: 'subscribe', topic_arn: ARN, confirm_url: 'https://vendor.test/?token=hush' }
    return type === 'unsubscribe' ? { kind: 'unsubscribed', topic_arn: ARN } : null
  }
}
const doorWith = (own: Source): FixedDoor => ({
  name: 'incoming',
  paths: [DOOR],
  token: () => TOKEN,
  unknown: { status: 404, code: 'NOT_FOUND', error: 'x' },
  source: () => own
})
const door = doorWith(source)
const proven = { verify: { secret: 's' } }
const proof = (body: string): Record<string, string> => ({ 'x-proof': `s ${Buffer.byteLength(body)}` })
const doorStand = (t: Test, options: StandOptions = {}) => stand(t, { doors: [door], integration: proven, ...options })

t.test('a delivery with a valid proof is accepted', async (t) => {
  const { post, alerts, records } = await doorStand(t)
  t.equal((await post(DOOR, alert, proof(alert))).status, 200)
  t.equal(alerts().length, 1)
  t.equal(records.length, 1)
})

t.test('an unproven delivery gets 403, is kept raw and counts against the rate limit', async (t) => {
  const { post, alerts, raw, metrics } = await doorStand(t)
  for (const [body, headers] of [
    [alert, {}],
    [alert, { 'x-proof': 's 1' }],
    ['{"severity":"critical"}', {}]
  ] as const) {
    const answer = await post(DOOR, body, headers)
    t.equal(answer.status, 403)
    t.match(answer.body, { code: 'SIGNATURE_INVALID', error: 'The header X-Proof does not fit' })
  }
  t.equal((await post(DOOR, '{')).status, 400, 'what cannot be read cannot be proven')
  t.same(alerts(), [])
  t.match(raw(), [{ outcome: 'rejected', reason: 'SIGNATURE_INVALID: The header X-Proof does not fit' }, {}, {}, {}])
  t.equal((await post(DOOR, alert, proof(alert))).headers.get('x-ratelimit-remaining'), '995')
  t.match(await metrics(), /service_intake_refused_total\{reason="SIGNATURE_INVALID"\} 3/)
})

t.test('a proof is required only if a secret is set or the source always requires one', async (t) => {
  const unset = await doorStand(t, { integration: { verify: {} } })
  t.equal((await unset.post(DOOR, alert)).status, 200)
  const check = () => 'Nothing is proven'
  const always = doorWith({ ...source, verify: { settings: {}, always: true, check } })
  const asked = await doorStand(t, { doors: [always], integration: { verify: {} } })
  t.match((await asked.post(DOOR, alert)).body, { code: 'SIGNATURE_INVALID', error: 'Nothing is proven' })
})

t.test('a delivery gets 503 if its verification secret cannot be decrypted', async (t) => {
  const { post, records } = await doorStand(t, { integration: { verify: null } })
  const answer = await post(DOOR, alert, proof(alert))
  t.equal(answer.status, 503)
  t.match(answer.headers.get('retry-after'), /^\d+$/)
  t.same(records, [])
})

t.test('a proof check that throws gets 500 without details of the error', async (t) => {
  const { post, records } = await doorStand(t)
  const answer = await post(DOOR, alert, { 'x-proof': 'throw' })
  t.equal(answer.status, 500)
  t.notMatch(JSON.stringify(answer.body), /planted/)
  t.same(records, [])
})

t.test('certificates named by senders', async (t) => {
  const answers: ((pem: string | null) => void)[] = []
  const get: Get = (url) =>
    new Promise((resolve, reject) => {
      answers.push((pem) => (pem === null ? reject(new Error(`planted: ${url}`)) : resolve({ status: 200, body: Buffer.from(pem) })))
    })
  const signed = (n: number): string => JSON.stringify({ title: 'x', cert: `https://certs.test/${n}.pem` })
  t.test('a certificate is fetched once for all requests that wait for it, then cached', async (t) => {
    const { post, alerts, reception } = await doorStand(t, { get })
    answers.length = 0
    const waiting = [post(DOOR, signed(1)), post(DOOR, signed(1)), post(DOOR, signed(1))]
    await until('three requests', () => reception.inFlight() === 3 && answers.length > 0)
    t.equal(answers.length, 1)
    t.ok(reception.bytesHeld() >= 3 * signed(1).length, 'their bodies are held, and count')
    answers[0]?.(PEM)
    for (const { status } of await Promise.all(waiting)) t.equal(status, 200)
    t.equal((await post(DOOR, signed(1))).status, 200)
    t.equal(answers.length, 1)
    t.equal(alerts().length, 4)
    t.equal(reception.bytesHeld(), 0)
  })
  t.test('a certificate that cannot be fetched gets 503, and nothing is kept or counted', async (t) => {
    const { post, records } = await doorStand(t, { get })
    answers.length = 0
    const waiting = post(DOOR, signed(1))
    await until('the question', () => answers.length === 1)
    answers[0]?.(null)
    const answer = await waiting
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '5')
    t.equal(answer.headers.get('x-ratelimit-remaining'), '1000')
    t.same(records, [])
    const again = post(DOOR, signed(1))
    await until('the question, once more', () => answers.length === 2)
    answers[1]?.('no certificate')
    t.equal((await again).status, 503)
    const other = post(DOOR, signed(1))
    await until('and once more', () => answers.length === 3)
    answers[2]?.(`${PEM}\n`)
    t.match((await other).body, { code: 'SIGNATURE_INVALID', error: 'Another certificate signed it' })
  })
  t.test('a sender that disconnects while its certificate is fetched leaves nothing behind', async (t) => {
    const { dial, reception, records } = await doorStand(t, { get })
    answers.length = 0
    const connection = dial()
    connection.write(`POST ${DOOR} HTTP/1.1\r\nHost: x\r\nContent-Length: ${signed(1).length}\r\n\r\n${signed(1)}`)
    await until('the question', () => answers.length === 1)
    connection.socket.resetAndDestroy()
    await until('it to be forgotten', () => reception.inFlight() === 0)
    t.equal(reception.bytesHeld(), 0)
    answers[0]?.(PEM)
    await new Promise((resolve) => setImmediate(resolve))
    t.same(records, [])
  })
  t.test('bodies that wait for a certificate count against the limit of held bytes', async (t) => {
    const { post, reception } = await doorStand(t, { get, limits: { heldBytes: 200 } })
    answers.length = 0
    const first = post(DOOR, signed(1))
    await until('the first', () => answers.length === 1)
    const refused = await post(DOOR, JSON.stringify({ title: 'x'.repeat(80), cert: 'https://certs.test/1.pem' }))
    t.equal(refused.status, 503)
    answers[0]?.(PEM)
    t.equal((await first).status, 200)
    t.equal(reception.bytesHeld(), 0)
  })
  t.end()
})

t.test('a door with its own parser does not accept a token in place of a proof', async (t) => {
  const group = JSON.stringify({ alerts: [{ status: 'firing', labels: { alertname: 'A' }, fingerprint: 'f' }] })
  const authorization = `Bearer ${TOKEN}`
  const at = async (verify: Record<string, unknown> | null): Promise<unknown> => {
    const { post, alerts } = await stand(t, { integration: { source_type: 'mine', verify }, sourceOf: () => source })
    const { body } = await post(ROUTER, group, { authorization })
    t.equal(alerts().length, body.status === 'accepted' ? 1 : 0)
    return body.code ?? body.status
  }
  t.equal(await at({ secret: 's' }), 'SIGNATURE_INVALID')
  t.equal(await at(null), 'SIGNATURE_INVALID')
  t.equal(await at({}), 'accepted', 'it sets nothing')
})

t.test('proven subscribe and unsubscribe messages of a topic take effect, others are refused', async (t) => {
  const config = await testConfig(t)
  const system = createPool(config.postgresSystemUrl, { application_name: 'test', max: 1 })
  const pool = createPool(config.postgresTenantUrl, { application_name: 'test', max: 2 })
  t.teardown(() => Promise.all([system.end(), pool.end()]))
  const visited: string[] = []
  let status = 200
  const get: Get = async (url) => {
    visited.push(url)
    return { status, body: Buffer.alloc(0) }
  }
  const workspace = await makeWorkspace(system, 'topics', 'generic')
  const { tenant_id, integration_id } = workspace
  const rows = async (): Promise<Record<string, unknown> | undefined> =>
    (await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => tx.query('SELECT verify, disconnected_at FROM integrations'))).rows[0]
  const options = { get, pool, integration: { tenant_id, integration_id, verify: {} } }
  const { post, records, logged } = await doorStand(t, options)

  status = 500
  const failed = await post(DOOR, '{"type":"subscribe"}')
  t.equal(failed.status, 503, 'the vendor has not confirmed')
  t.match(failed.headers.get('retry-after'), /^\d+$/)
  status = 302
  t.equal((await post(DOOR, '{"type":"subscribe"}')).status, 503, 'a redirect is no confirmation')
  status = 200
  const subscribed = await post(DOOR, '{"type":"subscribe"}')
  t.equal(subscribed.status, 200)
  t.match(subscribed.body, { status: 'accepted', processed: 0, ignored: 1 })
  t.same(visited, Array(3).fill('https://vendor.test/?token=hush'))
  t.match(await rows(), { verify: { topic_arn: ARN }, disconnected_at: null })
  t.notMatch(logged.join(''), /hush/, 'the address holds a token')

  t.equal((await post(DOOR, '{"type":"unsubscribe"}')).status, 200)
  t.match(await rows(), { verify: { topic_arn: ARN }, disconnected_at: Number })
  t.equal((await post(DOOR, '{"type":"subscribe"}')).status, 200)
  t.match(await rows(), { disconnected_at: null }, 'it is back')
  t.equal(visited.length, 4, 'nobody visits an address for an end')

  // The door may still have the integration cached as it was before the pin. The row decides.
  await tenantTransaction(pool, wholeWorkspace(tenant_id), (tx) => tx.query(`UPDATE integrations SET verify = '{"topic_arn":"arn:other"}'`))
  t.match((await post(DOOR, '{"type":"subscribe"}')).body, { code: 'SIGNATURE_INVALID' })
  t.match((await post(DOOR, '{"type":"unsubscribe"}')).body, { code: 'SIGNATURE_INVALID' })
  t.match(await rows(), { verify: { topic_arn: 'arn:other' }, disconnected_at: null })
  t.equal(visited.length, 4)

  const unproven = await doorStand(t, { ...options, integration: { ...options.integration, verify: { secret: 's' } } })
  t.equal((await unproven.post(DOOR, '{"type":"subscribe"}')).status, 403)
  t.equal(visited.length, 4, 'an unproven message is not obeyed')
  t.same(
    records.filter(({ topic }) => topic === 'alerts.inbound.v1'),
    []
  )
})

t.test('a GET with a form in its query is accepted only for sources that use it', async (t) => {
  const { port, alerts } = await doorStand(t, { integration: { verify: {} } })
  const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`)
  t.equal((await at(`${DOOR}?title=Disk+full&severity=critical`)).status, 200)
  t.match(alerts(), [{ title: 'Disk full', severity: 'critical' }])
  for (const path of [DOOR, `${DOOR}?`, `/api/v1/webhooks/incoming/${TOKEN}?title=x`]) {
    const answer = await at(path)
    t.equal(answer.status, 405, path)
    t.equal(answer.headers.get('allow'), 'POST')
  }
  t.equal((await at(`/api/v1/webhooks/incoming/svc_${'x'.repeat(43)}?title=x`)).status, 404)
  t.equal((await at(`${DOOR}?title`)).status, 400)
  const late = await doorStand(t, { integration: { verify: {} }, check: async () => null })
  t.equal((await fetch(`http://127.0.0.1:${late.port}${DOOR}?title=x`)).status, 404, 'a token that is looked up first')
})

t.test('a delivery is accepted only from the addresses that its integration allows', async (t) => {
  const from = async (
    allowed_cidrs: string[],
    headers: Record<string, string> = {},
    trustedProxies = ['127.0.0.1/32']
  ): Promise<number> => {
    const { post, records } = await doorStand(t, { integration: { allowed_cidrs, verify: {} }, trustedProxies })
    const { status, body } = await post(DOOR, alert, headers)
    if (status === 403) {
      t.equal(body.code, 'IP_NOT_ALLOWED')
      t.same(records, [])
    }
    return status
  }
  t.equal(await from(['127.0.0.1/32']), 200)
  t.equal(await from(['10.0.0.0/8']), 403)
  t.equal(await from(['198.51.100.0/24'], { 'x-forwarded-for': '203.0.113.5, 198.51.100.7' }), 200, 'the last word of a named proxy')
  t.equal(await from(['203.0.113.0/24'], { 'x-forwarded-for': '203.0.113.5, 198.51.100.7' }), 403, 'not the sender’s own')
  const claimed = { 'x-forwarded-for': '198.51.100.7' }
  t.equal(await from(['198.51.100.0/24'], claimed, []), 403, 'nobody is believed who is not named, on this machine or network either')
  t.equal(await from(['198.51.100.0/24'], claimed, ['10.0.0.0/8']), 403)
  t.equal(await from(['127.0.0.1/32'], claimed, []), 200)
})

t.test('a fetch from an address named by a sender needs HTTPS, an allowed target and limits', async (t) => {
  const { key, cert } = certificate(t)
  const hits: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    hits.push(`${request.headers.host}${request.url}`)
    if (request.url === '/slow') return
    if (request.url === '/away') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end(request.url === '/large' ? 'x'.repeat(70_000) : PEM)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const at = (path: string, scheme = 'https'): string => `${scheme}://localhost:${(server.address() as AddressInfo).port}${path}`
  const ask = async (): Promise<string[]> => ['127.0.0.1']
  const opened = createGet({
    guard: createAddressGuard({ open: ['127.0.0.0/8', '::1'], closed: [], own: [] }),
    ask,
    ca: cert,
    deadlineMs: 2000
  })
  const closed = createGet({ guard: createAddressGuard({ open: [], closed: [], own: [] }), ask, ca: cert })

  t.match(await opened(at('/a.pem')), { status: 200, body: Buffer.from(PEM) })
  t.match(await opened(at('/away')), { status: 302 }, 'it goes nowhere else')
  await t.rejects(opened(at('/large')), /more than/)
  await t.rejects(opened(at('/slow')))
  await t.rejects(opened(at('/a.pem', 'http')), /HTTPS/)
  await t.rejects(opened(at('/a.pem').replace('//', '//user:pass@')), /HTTPS/)
  await t.rejects(
    createGet({ guard: createAddressGuard({ open: ['127.0.0.0/8', '::1'], closed: [], own: [] }), ask })(at('/a.pem')),
    'who vouches for it'
  )
  const before = hits.length
  await t.rejects(closed(at('/a.pem')), { name: 'BlockedTarget' })
  await t.rejects(closed('https://rebound.test/a.pem'), { name: 'BlockedTarget' }, 'whatever its name')
  t.equal(hits.length, before)
  t.notOk(hits.some((hit) => hit.includes('elsewhere')))

  const certificates = createCertificates(opened)
  t.equal(await certificates(at('/a.pem')), PEM)
  const fetched = hits.length
  t.equal(await certificates(at('/a.pem')), PEM)
  t.equal(hits.length, fetched, 'kept')
  for (let nth = 0; nth < 32; nth++) await certificates(at(`/${nth}.pem`))
  await certificates(at('/a.pem'))
  t.equal(hits.length, fetched + 33, 'but not for ever')
  await t.rejects(certificates(at('/away')), /answered 302/)
})

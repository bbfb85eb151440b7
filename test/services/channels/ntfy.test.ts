/**
 * Tests of ntfy: messages in the form that its server accepts, each replacing the one before, and
 * its error codes.
 */
import t from 'tap'
import { channel as ntfy } from '../../../services/channels/kinds/ntfy.ts'
import { acknowledged, drive, hostile, httpOf, INCIDENT, incident, json, message, NOW, reply, test, up } from './messages.ts'
import { verdicts } from './verdicts.ts'

const OWN = { topic: 'ops_7f3a', server_url: 'https://ntfy.example.com/push', access_token: 'tk_0123456789' }
const PUBLIC = { topic: 'ops_7f3a' }
const ok = reply(200, { id: 'abc', event: 'message' })

t.test('an ntfy message goes to the root of the server, with the topic in its body', async (t) => {
  const { requests, outcome } = drive(ntfy, message(), OWN, [ok])
  const request = httpOf(requests[0])
  t.equal(request.url, 'https://ntfy.example.com/push/', 'the topic stands in the body')
  t.equal(request.headers.authorization, 'Bearer tk_0123456789')
  t.same([request.guarded, request.secrets], [true, ['tk_0123456789']])
  t.match(json(requests[0]), {
    topic: 'ops_7f3a',
    title: '[CRITICAL] api.example.com is down',
    message: /^HTTP 503\n/,
    priority: 5,
    tags: ['red_circle'],
    click: 'https://app.example.com/incidents/42',
    actions: [{ action: 'view', label: 'Open incident', url: 'https://app.example.com/incidents/42' }],
    sequence_id: `svc-inc-${INCIDENT}`
  })
  t.same(outcome, { outcome: 'delivered', provider_message_id: 'abc' })
  const open = httpOf(drive(ntfy, message(), PUBLIC, [ok]).requests[0])
  t.same([open.url, open.guarded, open.headers.authorization], ['https://ntfy.sh/', false, undefined])
})

t.test('priorities and tags of ntfy messages', async (t) => {
  const loud: [what: Parameters<typeof drive>[1], priority: number, tag: string][] = [
    [message({ incident: incident({ severity: 'warning' }) }), 4, 'orange_circle'],
    [message({ incident: incident({ severity: 'info' }) }), 2, 'red_circle'],
    [acknowledged(), 2, 'eyes'],
    [up(), 3, 'green_circle'],
    [test(), 2, 'test_tube']
  ]
  for (const [what, priority, tag] of loud) t.match(json(drive(ntfy, what, PUBLIC, [ok]).requests[0]), { priority, tags: [tag] })
  t.notOk('sequence_id' in json(drive(ntfy, test(), PUBLIC, [ok]).requests[0]), 'a test is no incident')
  t.equal(json(drive(ntfy, up(), PUBLIC, [ok]).requests[0]).sequence_id, `svc-inc-${INCIDENT}`)
})

t.test('an ntfy message is shortened to its limit in bytes', async (t) => {
  const bad = json(drive(ntfy, hostile({ body_override: 'é'.repeat(5000) }), PUBLIC, [ok]).requests[0])
  t.ok(Buffer.byteLength(bad.message) <= 4096 && Buffer.byteLength(bad.message) > 4000, `${Buffer.byteLength(bad.message)} bytes`)
  t.ok([...bad.title].length <= 250)
})

t.test('answers of ntfy and their outcomes', async (t) => {
  const midnight = Date.UTC(2026, 0, 2) - NOW
  verdicts(t, ntfy, OWN, [
    [ok, 'delivered'],
    [reply(200, '<html>'), 'retry', { ambiguous: true }],
    [reply(400, { code: 40018 }), 'permanent delivery'],
    [reply(400, { code: 40009 }), 'permanent channel'],
    [reply(400, { code: 40010 }), 'permanent channel'],
    [reply(401, { code: 40101 }), 'permanent channel'],
    [reply(403, { code: 40301 }), 'permanent channel'],
    [reply(404, { code: 40401 }), 'permanent channel'],
    [reply(413, { code: 41303 }), 'permanent delivery'],
    [reply(429, { code: 42901 }, { 'retry-after': '5' }), 'retry', { after_ms: 5000 }],
    [reply(429, { code: 42908 }), 'retry', { quota: true, after_ms: midnight }],
    [reply(429, { code: 42909 }), 'retry', { after_ms: 300_000 }],
    [reply(507), 'retry']
  ])
})

t.test('accepted, refused and normalised settings of ntfy', async (t) => {
  t.equal(ntfy.check?.(OWN), null)
  t.match(ntfy.check?.({ topic: 'docs' }), { path: 'topic' })
  for (const server_url of ['ftp://a.example', 'https://u:p@a.example', 'https://a.example/?x=1', 'https://a.example:25/'])
    t.match(ntfy.check?.({ ...OWN, server_url }), { path: 'server_url', rule: 'format' }, server_url)
  t.same(ntfy.normalise?.({ ...PUBLIC, server_url: 'https://a.example/x//' }), { ...PUBLIC, server_url: 'https://a.example/x' })
  t.same(ntfy.normalise?.(PUBLIC), PUBLIC)
  t.same([ntfy.target(OWN), ntfy.target(PUBLIC)], ['ntfy.example.com/ops…', 'ntfy.sh/ops…'], 'its name may be all that protects a topic')
})

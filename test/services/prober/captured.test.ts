/**
 * Tests of captured answers of failed checks: when an answer is captured, how much of it, how
 * often, and that it contains no secret.
 */
import type { RequestListener } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { HttpConfig } from '../../../schemas/http/check-types/http.ts'
import type { Assignment, Capture } from '../../../schemas/http/prober.ts'
import { isResultsBody } from '../../../schemas/http/results-check.ts'
import { MAX_CAPTURE_BODY } from '../../../schemas/limits.ts'
import { createCaptures } from '../../../services/prober/capture-delivery.ts'
import { mayCapture, paceAfter, unpaced } from '../../../services/prober/capture-pace.ts'
import { type Captured, capturedOf, captureOf, SeenAnswer } from '../../../services/prober/captured.ts'
import type { Reply } from '../../../services/prober/service.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { until } from '../../harness/until.ts'
import { assignment, attempt, http, MONITOR, TENANT, tcp } from './stand.ts'

const on = { capture_on_failure: true }

/** Runs one attempt at a server; returns the answer that is captured, or null. */
async function keptOf(
  t: Test,
  answers: RequestListener,
  config: HttpConfig = {},
  changes: Partial<Assignment> = {}
): Promise<Captured | null> {
  const base = await http(t, answers)
  const { answer } = await attempt(assignment(`${base}/`, { config: { ...on, ...config }, ...changes }))
  return answer && capturedOf(answer)
}

const html = (text: string, headers: Record<string, string | string[]> = {}): RequestListener => {
  return (_request, response) => response.writeHead(503, { 'content-type': 'text/html', ...headers }).end(text)
}

t.test('status line, headers and body of a failed check are captured', async (t) => {
  const kept = await keptOf(t, (_request, response) => {
    response.writeHead(503, 'Gone fishing', {
      'content-type': 'text/plain; charset=iso-8859-1',
      'x-served-by': 'web-3',
      'retry-after': '120'
    })
    response.end(Buffer.from('Zur\u00fcck um 12 Uhr', 'latin1'))
  })
  t.match(kept, {
    http_version: '1.1',
    status: 503,
    status_text: 'Gone fishing',
    body_kind: 'text',
    body: 'Zurück um 12 Uhr',
    body_bytes: 16,
    body_cut: false,
    headers_left_out: 0
  })
  const names = kept?.headers.map(({ name }) => name) ?? []
  t.ok(names.includes('x-served-by') && names.includes('retry-after'))
  const off = await attempt(assignment(await http(t, html('down'))))
  t.equal(off.answer, null, 'of another monitor nothing is even seen')
  const packed = await keptOf(t, (_request, response) =>
    response.writeHead(500, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(gzipSync('unpacked'))
  )
  t.match(packed, { body: 'unpacked', body_bytes: 8, body_cut: false })
})

t.test('the received part of an answer is captured, whatever made the check fail', async (t) => {
  const over = await keptOf(t, html('x'.repeat(5000)), { max_body_bytes: 1000 })
  t.match(over, { status: 503, body_kind: 'text', body_cut: true, body: /^x{100}/ }, 'too large')
  const dripping = await keptOf(
    t,
    (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write('the first half')
    },
    {},
    { timeout_seconds: 1 }
  )
  t.match(dripping, { status: 200, body: 'the first half', body_bytes: 14, body_cut: true }, 'out of time')
  const broken = await keptOf(t, (_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(100)).subarray(0, 12))
  )
  t.match(broken, { status: 200, body_cut: true }, 'not in its coding')
  const around = await keptOf(t, (_request, response) => response.writeHead(302, { location: '/again?session=abc' }).end('moved'), {
    max_redirects: 1
  })
  t.match(around, { status: 302, body_kind: 'none', body: null }, 'led in circles')
  t.match(
    around?.headers.find(({ name }) => name === 'location'),
    { value: '/again?session=…' }
  )
  const assertion = await keptOf(
    t,
    (_request, response) => response.end('fine'),
    {},
    {
      assertions: [{ source: 'body', op: 'contains', value: 'well' }]
    }
  )
  t.match(assertion, { status: 200, body: 'fine', body_cut: false }, 'not as expected')
  const port = await tcp(t, (socket) => void socket.destroy())
  const { answer, outcome } = await attempt(assignment(`http://127.0.0.1:${port}/`, { config: on }))
  t.equal(outcome, 'failure')
  t.equal(answer && capturedOf(answer), null, 'where nothing came there is nothing')
})

t.test('an answer over HTTP/2 is captured', async (t) => {
  const server = createHttp2Server((_request, response) => {
    response.writeHead(500, { 'content-type': 'application/json', 'x-one': 'two' })
    response.end('{"error":"boom"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { answer } = await attempt(assignment(target, { config: { ...on, http_version: '2' } }))
  const kept = answer && capturedOf(answer)
  t.match(kept, { http_version: '2', status: 500, status_text: null, body: '{"error":"boom"}' })
  t.same(
    kept?.headers.filter(({ name }) => name.startsWith(':')),
    []
  )
})

t.test('a captured answer is limited in size, and a binary body is left out', async (t) => {
  const long = await keptOf(t, html(`${'long words '.repeat(5000)}the end`))
  t.match(long, { body_kind: 'text', body_cut: true, body_bytes: 55_007 })
  t.ok((long?.body?.length ?? 0) > 15_000 && (long?.body?.length ?? 0) <= 16_384, `${long?.body?.length} characters`)
  const exact = await keptOf(t, html('ab '.repeat(16_383 / 3)))
  t.match(exact, { body_cut: false, body_bytes: 16_383 })
  t.equal(exact?.body?.length, 16_383)
  const many = await keptOf(t, html('', Object.fromEntries(Array.from({ length: 70 }, (_, nth) => [`x-header-${nth}`, 'v'.repeat(900)]))))
  t.equal(many?.headers.length, 50)
  t.ok((many?.headers_left_out ?? 0) >= 20)
  t.ok(many?.headers.every(({ value }) => value.length <= 512))
  for (const body of [
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10]),
    Buffer.from('GIF89a text'),
    Buffer.from([0xfe, 0xff, 0xfd, 0xfc])
  ]) {
    const type = body.toString('latin1').startsWith('GIF') ? 'image/gif' : 'text/html'
    const kept = await keptOf(t, (_request, response) => response.writeHead(500, { 'content-type': type }).end(body))
    t.match(kept, { body_kind: 'binary', body: null, body_bytes: body.length }, 'of bytes nothing is kept')
  }
  const hostile = [
    '<a '.repeat(6000),
    '"'.repeat(17_000),
    '\\"'.repeat(8000),
    '{"token":'.repeat(2000),
    '<token>'.repeat(2500),
    '='.repeat(17_000)
  ]
  for (const text of hostile) t.ok(await keptOf(t, html(text)), `${text.slice(0, 10)}… ends`)
})

/** Texts of an answer, each with a part that must be removed and a part that must stay. */
const answers: [what: string, text: string, gone: string, stays: string][] = [
  ['a member', '{"user":"ann","access_token":"k9","ok":false}', 'k9', '"user":"ann"'],
  ['a number', '{"otp": 483920, "ok": 1}', '483920', '"ok": 1'],
  ['all that is in a member', '{"credentials":{"user":"bob","is":["deep"]},"next":"page"}', 'bob', '"next":"page"'],
  ['in a text that was cut', '{"ok":1,"secrets":["one","two', 'two', '"ok":1'],
  ['JSON in a string', String.raw`{"request":"{\"password\":\"hunter2\",\"a\":1}"}`, 'hunter2', 'request'],
  ['a form field', '<form><input type="hidden" name="csrf_token" value="a b"></form>', 'a b', 'csrf_token'],
  ['a password field', "<input value='open sesame' type=password>", 'sesame', '<input'],
  ['a meta element', '<meta name="csrf-token" content="q1w2">', 'q1w2', '<meta'],
  ['an attribute', '<div data-api-key="zz9">x</div>', 'zz9', '<div'],
  ['an element', '<r><sessionId>abc</sessionId><state>down</state></r>', 'abc', '<state>down</state>'],
  ['an element with others in it', '<credentials><u>bob</u></credentials><b>on</b>', 'bob', '<b>on</b>'],
  ['by its look', 'mail to ann@example.com about sk_live_12345678abcd', 'ann@example.com', 'mail to'],
  ['a line of settings', 'DB_PASSWORD=pa55\nDB_HOST=db-1', 'pa55', 'DB_HOST=db-1'],
  ['a key', '-----BEGIN PRIVATE KEY-----\nMIIB\nabc', 'MIIB', '[secret]'],
  ['a token of ours', `prober_${'5a'.repeat(32)} was refused`, '5a5a', 'was refused']
]

t.test('secrets in an answer are removed from its capture', async (t) => {
  for (const [what, text, gone, stays] of answers) {
    const body = (await keptOf(t, html(text)))?.body ?? ''
    t.notOk(body.includes(gone), `${what}: ${body}`)
    t.ok(body.includes(stays), `${what}: ${body}`)
  }
  const kept = await keptOf(
    t,
    html('down', {
      'set-cookie': ['sid=one; Path=/', 'theme=two'],
      'x-api-key': 'k1',
      'x-debug': 'user=ann@example.com; password=pw1',
      link: '</next?cursor=c1>; rel=next',
      'x-served-by': 'web-3'
    })
  )
  const headers = kept?.headers ?? []
  t.same(
    headers.filter(({ name }) => name === 'set-cookie').map(({ value }) => value),
    ['[secret]', '[secret]']
  )
  t.match(
    headers.find(({ name }) => name === 'x-api-key'),
    { value: '[secret]' }
  )
  t.notMatch(JSON.stringify(headers), /ann@|pw1|k1|c1|one|two/)
  t.match(JSON.stringify(headers), /web-3/)
})

t.test('secrets that the monitor sends are removed from a capture, however they are written', async (t) => {
  const secret = `it's "so" & <so> 1/2+3`
  const spelt = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    'it&#39;s &quot;so&quot; &amp; &lt;so&gt; 1/2+3'
  ]
  const config: HttpConfig = { headers: [{ name: 'X-Pass', value: secret, secret: true }] }
  for (const text of spelt) {
    const kept = await keptOf(t, html(`You sent me: ${text} and more`), config)
    t.equal(kept?.body, 'You sent me: [secret] and more')
  }
  const cut = await keptOf(t, html(`${'words and '.repeat(1739)}${'plain-words-as-a-secret'.repeat(3)}`), {
    headers: [{ name: 'X-Pass', value: 'plain-words-as-a-secret'.repeat(3), secret: true }]
  })
  t.notMatch(cut?.body, /plain-words/, 'not its beginning either, where the text is cut')
  const bearer = await keptOf(
    t,
    (request, response) => response.writeHead(401, { 'x-seen': request.headers.authorization ?? '' }).end('no'),
    {
      auth: { type: 'bearer', token: 'word' }
    }
  )
  t.notMatch(JSON.stringify(bearer), 'word')
  const tokens = await http(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"access_token":"given-word","token_type":"bearer"}')
  })
  const granted = await keptOf(t, (request, response) => response.writeHead(401).end(`seen ${request.headers.authorization?.slice(7)}`), {
    auth: { type: 'oauth2_client', token_url: `${tokens}/token`, client_id: 'id', client_secret: 'hush-hush', scopes: [] }
  })
  t.equal(granted?.body, 'seen [secret]', 'also a token that is forgotten because it was refused')
})

t.test('how often answers are captured', async (t) => {
  const MINUTE = 60_000
  const one = { at: 1_000_000, hasOne: true }
  const another = paceAfter(one, 'success')
  t.ok(mayCapture(unpaced, 0, false), 'the first')
  t.notOk(mayCapture(one, one.at + 15 * MINUTE - 1, false), 'while it goes on failing')
  t.ok(mayCapture(one, one.at + 15 * MINUTE, false), 'one in a quarter of an hour')
  t.notOk(mayCapture(another, one.at + MINUTE - 1, false), 'it fails every other time')
  t.ok(mayCapture(another, one.at + MINUTE, false), 'it was well, and fails again')
  t.ok(mayCapture(one, one.at + MINUTE, true), 'somebody asked')
  t.notOk(mayCapture(one, one.at + MINUTE - 1, true), 'and asks over and over')
  for (const outcome of ['failure', 'prober_error', 'missed_window'] as const) t.same(paceAfter(one, outcome), one, outcome)
  t.same(paceAfter(one, 'degraded'), { at: one.at, hasOne: false })
  t.same(paceAfter(unpaced, 'success'), unpaced)
})

const seen = new SeenAnswer([])
seen.begin({ status: 500, text: 'Down', version: '1.1', headers: {} })

function capture(checkId = MONITOR, tenant_ref = TENANT): Capture {
  const captured = capturedOf(seen)
  if (!captured) throw new Error('there is an answer')
  return captureOf(captured, { monitor_id: MONITOR, tenant_ref, config_version: 1 }, { checkId, reason: 'http_status', at: 0 })
}

const figure = async (metrics: ReturnType<typeof createMetrics>, name: string): Promise<number> =>
  (await metrics.registry.getSingleMetric(name)?.get())?.values.reduce((sum, { value }) => sum + value, 0) ?? Number.NaN

function sending(t: Test, statuses: number[]) {
  const state = { isAway: false, batches: [] as Capture[][] }
  const metrics = createMetrics()
  const captures = createCaptures({
    service: {
      async results(text): Promise<Reply<unknown>> {
        const body: unknown = JSON.parse(text)
        if (!isResultsBody(body)) throw new Error('not of the shape that the door takes')
        t.same(body.results, [], 'no result waits for it')
        state.batches.push(body.captures ?? [])
        return { status: statuses.shift() ?? 202, body: null, retryAfter: 0 }
      }
    },
    instance: 'prober-1',
    isAway: () => state.isAway,
    log: createLog('test', 'silent'),
    metrics,
    gatherMs: 1
  })
  t.teardown(() => captures.close(0))
  return { captures, metrics, state }
}

t.test('sending captured answers', async (t) => {
  await t.test('captured answers are sent in batches', async (t) => {
    const { captures, metrics, state } = sending(t, [])
    for (let nth = 0; nth < 25; nth++) captures.add(capture())
    await until('all of them', () => state.batches.flat().length === 25, 10_000)
    t.same(
      state.batches.map(({ length }) => length),
      [10, 10, 5]
    )
    await until('counted', async () => (await figure(metrics, 'service_prober_captures_sent_total')) === 25, 10_000)
    t.equal(await figure(metrics, 'service_prober_captures_dropped_total'), 0)
  })

  await t.test('a request of captured answers is limited by its bytes, not by its characters', async (t) => {
    const { captures, state } = sending(t, [])
    // A character of the body has three bytes: 48 kB for each answer.
    for (let nth = 0; nth < 10; nth++) captures.add({ ...capture(), body: '€'.repeat(MAX_CAPTURE_BODY) })
    await until('all of them', () => state.batches.flat().length === 10, 10_000)
    t.same(
      state.batches.map(({ length }) => length),
      [6, 4]
    )
  })

  await t.test('a captured answer is sent again after 503 and dropped after 422', async (t) => {
    const { captures, metrics, state } = sending(t, [503, 422])
    captures.add(capture())
    await until('both tries', () => state.batches.length === 2, 10_000)
    await until('dropped', async () => (await figure(metrics, 'service_prober_captures_dropped_total')) === 1, 10_000)
    captures.add(capture())
    await until('the next one', () => state.batches.length === 3, 10_000)
  })

  await t.test('a captured answer that is refused takes no other with it', async (t) => {
    const { captures, metrics, state } = sending(t, [422, 202, 422, 202])
    for (let nth = 0; nth < 3; nth++) captures.add(capture())
    await until('all of them', () => state.batches.length === 4, 10_000)
    t.same(
      state.batches.map(({ length }) => length),
      [3, 1, 1, 1]
    )
    await until('counted', async () => (await figure(metrics, 'service_prober_captures_sent_total')) === 2, 10_000)
    t.equal(await figure(metrics, 'service_prober_captures_dropped_total'), 1)
  })

  await t.test('captured answers wait while results are not accepted, and are dropped at the end', async (t) => {
    const { captures, metrics, state } = sending(t, [])
    state.isAway = true
    captures.add(capture())
    await captures.close(performance.now() + 1000)
    t.same(state.batches, [])
    t.equal(await figure(metrics, 'service_prober_captures_dropped_total'), 1)
    captures.add(capture())
    t.notOk(captures.admits(TENANT))
  })

  await t.test('captured answers per minute are limited for each workspace and overall', async (t) => {
    const { captures } = sending(t, [])
    const admitted = (workspace: string): number => Array.from({ length: 400 }, () => captures.admits(workspace)).filter(Boolean).length
    t.ok([60, 61].includes(Math.min(61, admitted('one'))), 'of one')
    const all = ['two', 'three', 'four', 'five', 'six', 'seven'].reduce((sum, workspace) => sum + admitted(workspace), 0)
    t.ok(all >= 240 && all <= 360, `${all} of the others`)
  })
})

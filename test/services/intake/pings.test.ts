/**
 * Tests of the ping door on the real engines: every address and method, what a ping says, what is
 * refused with which text, and which heartbeat a look-up finds at which time.
 */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { createSenderAddress } from '../../../services/http/sender-address.ts'
import { createApp } from '../../../services/http/uws.ts'
import type { ExchangeLimits } from '../../../services/intake/exchange.ts'
import type { GapKeeper } from '../../../services/intake/pings/gap.ts'
import { clientAt, excerptOfBody, pingedBy, runOf } from '../../../services/intake/pings/ping.ts'
import { createPingReception } from '../../../services/intake/pings/reception.ts'
import { openPingDoors } from '../../../services/intake/pings/routes.ts'
import { classOf } from '../../../services/intake/pings/senders.ts'
import { createRates } from '../../../services/intake/rates.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { watchStand } from './watch-stand.ts'

const UUID = '0198e000-0000-4000-8000-00000000000a'
const MOST = 10 * 1024 * 1024
const READ = 100 * 1024

t.test('addresses of the ping door', async (t) => {
  const token = (kind: string, exit_code: number | null = null) => ({ by: 'token', key: UUID, kind, exit_code })
  const slug = (kind: string, exit_code: number | null = null) => ({ by: 'slug', key: 'KEY/backup-db_1', kind, exit_code })
  const wrong = { error: 'An exit code is a number from 0 to 255' }
  // biome-ignore format: a table
  const cases: [string, unknown][] = [
    [`/api/v1/ping/${UUID}`, token('success')], [`/api/v1/ping/${UUID}/`, token('success')], [`/api/v1/ping/${UUID.toUpperCase()}`, token('success')],
    [`/api/v1/ping/${UUID}/start`, token('start')], [`/api/v1/ping/${UUID}/fail`, token('fail')], [`/api/v1/ping/${UUID}/log`, token('log')],
    [`/api/v1/ping/${UUID}/0`, token('exit', 0)], [`/api/v1/ping/${UUID}/255`, token('exit', 255)], [`/api/v1/ping/${UUID}/256`, wrong],
    [`/api/v1/ping/${UUID}/-1`, null], [`/api/v1/ping/${UUID}/1e2`, null], [`/api/v1/ping/${UUID}/begin`, null], [`/api/v1/ping/${UUID}/start/x`, null],
    ['/api/v1/ping/k/KEY/backup-db_1', slug('success')], ['/api/v1/ping/k/KEY/backup-db_1/fail', slug('fail')], ['/api/v1/ping/k/KEY/backup-db_1/7/', slug('exit', 7)],
    ['/api/v1/ping/k/KEY', null], ['/api/v1/ping/KEY/backup-db_1', null], ['/api/v1/ping/k/KEY/Backup', null], ['/api/v1/ping/k/KEY/a/b/c', null],
    ['/api/v1/ping/x', null], ['/api/v1/ping/', null],
    [`/ping/${UUID}`, token('success')], [`/ping/${UUID}/log/`, token('log')], [`/ping/${UUID}/3`, token('exit', 3)], [`/ping/${UUID}/a/b`, null],
    ['/ping/KEY/backup-db_1', slug('success')], ['/ping/KEY/backup-db_1/start', slug('start')], ['/ping/KEY/backup-db_1/300', wrong],
    ['/ping/KEY', null], ['/ping/K%45Y/x', null], ['/ping/KEY/%2e%2e', null], ['/ping//x', null]
  ]
  for (const [path, expected] of cases) t.same(pingedBy(path), expected, path)
})

t.test('run ids, times and options from the query and the body of a ping', async (t) => {
  t.same([runOf(''), runOf(UUID.toUpperCase())], [null, UUID])
  for (const rid of ['x', UUID.slice(1), `${UUID}0`, UUID.replaceAll('-', '')]) t.match(runOf(rid), { error: /^rid must be a UUID/ }, rid)
  // biome-ignore format: a table
  const times: [string, number | null][] = [['1764000000', 1_764_000_000_000], ['1764000000123', 1_764_000_000_123], ['1764000000.5', 1_764_000_000_500],
    ['2025-11-24T16:00:00Z', 1_764_000_000_000], ['', null], ['soon', null], ['-5', null], ['1e300', null], ['Infinity', null], ['9'.repeat(41), null]]
  for (const [ts, expected] of times) t.equal(clientAt(ts), expected, ts)
  t.equal(excerptOfBody(Buffer.alloc(0), true), null)
  t.equal(excerptOfBody(Buffer.from('grün'), true), 'grün')
  t.equal(excerptOfBody(Buffer.from([0xff, 0xfe]), true), null, 'not text')
  t.equal(excerptOfBody(Buffer.from('a\u0000b\u001bc'), true), 'a b c', 'without control characters')
  t.equal(excerptOfBody(Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62]), true), null, 'half of a surrogate pair in UTF-8 is not text')
  const half = Buffer.from('grüß €')
  for (let end = half.length - 2; end > 4; end--)
    t.ok('grüß €'.startsWith(excerptOfBody(half.subarray(0, end), false) ?? 'x'), `cut after ${end} bytes`)
  t.equal(excerptOfBody(half.subarray(0, 3), true), null, 'a body that ends inside a character is not text')
})

t.test('the class of a sender address', async (t) => {
  // biome-ignore format: a table
  const cases: [string, string][] = [['203.0.113.9', 'unknown'], ['9.9.9.9', 'public'], ['127.0.0.1', 'loopback'], ['10.1.2.3', 'private'], ['::1', 'loopback'],
    ['2a00:1450::1', 'public'], ['x', 'unknown'], ['', 'unknown']]
  for (const [address, expected] of cases) t.equal(classOf(address), expected, address)
})

t.test('rate limits per key with a burst', async (t) => {
  const rates = createRates('ping')
  const rate = { windowMs: 60_000, limit: 60, burst: 3 }
  const take = (at: number) => rates.take('a', rate, at)
  t.match(take(1000), { admitted: true, name: 'ping', limit: 60, remaining: 2, reset_seconds: 1 })
  t.match(take(1000), { admitted: true, remaining: 1, reset_seconds: 2 })
  t.match(take(1000), { admitted: true, remaining: 0, reset_seconds: 3 })
  t.match(take(1000), { admitted: false, remaining: 0, reset_seconds: 1 })
  t.match(rates.take('b', rate, 1000), { admitted: true, remaining: 2 }, 'another key has its own')
  t.match(take(1999), { admitted: false })
  t.match(take(2000), { admitted: true, remaining: 0 }, 'one comes back each second')
  t.match(take(60_000), { admitted: true, remaining: 2 }, 'and never more than the burst')
  let admitted = 0
  for (let at = 100_000; at < 160_000; at += 100) if (rates.take('c', rate, at).admitted) admitted += 1
  t.equal(admitted, 62, 'over a window as many as the limit, beside the burst')
  t.match(rates.take('e', rate, 200_000, 2), { admitted: true, remaining: 1, reset_seconds: 2 }, 'several at once')
  t.match(rates.take('e', rate, 200_000, 2), { admitted: false, remaining: 1, reset_seconds: 1 }, 'all of them or none')
  t.match(rates.take('e', rate, 200_000), { admitted: true, remaining: 0 })
  rates.take('d', rate, 300_000)
  t.equal(rates.size(), 1, 'full buckets are forgotten')
})

t.test('a ping at every address and with every method reaches the log', async (t) => {
  const stand = await watchStand(t)
  const { url, workspace, pingKey, pings, metrics } = stand
  const actions: [string, string, number | null][] = [
    ['/start', 'start', null],
    ['/log', 'log', null],
    ['', 'success', null],
    ['/fail', 'fail', null],
    ['/0', 'exit', 0],
    ['/17', 'exit', 17],
    ['/255', 'exit', 255]
  ]
  const expected: Record<string, unknown>[] = []
  for (const method of ['GET', 'HEAD', 'POST']) {
    for (const base of ['/api/v1/ping/T', '/api/v1/ping/k/K/S', '/ping/T', '/ping/K/S']) {
      const beat = await stand.heartbeat()
      for (const [action, kind, exit_code] of actions) {
        const path = base.replace('T', beat.token).replace('K', pingKey).replace('S', beat.slug) + action
        const answer = await fetch(url + path, { method, ...(method === 'POST' ? { body: `done ${action}` } : {}) })
        t.equal(answer.status, 200, `${method} ${base}${action}`)
        t.equal(await answer.text(), method === 'HEAD' ? '' : 'OK')
        t.equal(answer.headers.get('content-type'), 'text/plain')
        t.equal(answer.headers.get('ping-body-limit'), '102400')
        t.equal(answer.headers.get('access-control-allow-origin'), '*')
        t.equal(answer.headers.get('x-ratelimit-name'), 'ping')
        t.equal(answer.headers.get('x-ratelimit-limit'), '60')
        expected.push({
          heartbeat_id: beat.heartbeat_id,
          method,
          kind,
          exit_code,
          body_excerpt: method === 'POST' ? `done ${action}` : null
        })
      }
    }
  }
  await until('all pings', () => pings().length >= expected.length)
  const found = pings()
  t.equal(found.length, expected.length, 'each once')
  for (const heartbeat_id of new Set(expected.map((one) => one.heartbeat_id))) {
    const mine = found.filter(({ value }) => value.heartbeat_id === heartbeat_id)
    t.match(
      mine.map(({ value }) => value),
      expected.filter((one) => one.heartbeat_id === heartbeat_id),
      'in the order of sending'
    )
  }
  for (const { value, key, headers, partition } of found) {
    t.equal(key, value.heartbeat_id)
    t.equal(partition, stand.stream.partitionOf('heartbeat.pings.v1', key))
    t.same(headers, {}, 'a fact has no headers')
    t.match(value, {
      tenant_id: workspace.tenant_id,
      instance: 'door-1',
      visibility: 'org',
      team_id: null,
      retention_days: 395,
      source_class: 'loopback'
    })
  }
  t.match(await metrics(), /service_intake_pings_total\{kind="exit",outcome="accepted"\} 36/)
  t.match(await metrics(), /service_intake_kept_lookups\{kind="ping_token"\} 6/)
  t.same(stand.gaps(), [])
})

t.test('accepted and refused pings', async (t) => {
  const stand = await watchStand(t)
  const { url, pings, port, pingKey } = stand
  const beat = await stand.heartbeat()
  const other = await stand.heartbeat()

  t.test('a ping record has the fields of its request, without secrets', async (t) => {
    const before = Date.now()
    const answer = await fetch(`${url}/ping/${beat.token}/start?rid=${UUID.toUpperCase()}&ts=1764000000&create=0`, {
      method: 'POST',
      headers: { 'user-agent': `cron/1.0 (ops@example.test) ${'x'.repeat(300)}`, 'x-forwarded-for': '9.9.9.9', 'x-request-id': 'mine' },
      body: `mail jane.doe@example.test, password=hunter2\n${'ä'.repeat(50_000)}`
    })
    t.equal(answer.status, 200)
    t.equal(answer.headers.get('x-request-id'), 'mine')
    const { value } = await until('the ping', () => pings()[0])
    t.match(value.event_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    t.ok(value.received_at >= before && value.received_at <= Date.now())
    t.match(value, {
      kind: 'start',
      run_id: UUID,
      client_at: 1_764_000_000_000,
      method: 'POST',
      // Its forwarded address is ignored, because it is not a configured proxy.
      source_class: 'loopback',
      body_bytes: 100_045
    })
    t.equal(value.user_agent?.length, 200)
    t.match(value.user_agent, /^cron\/1\.0 \(\[e-mail\]\) xxx/)
    t.match(value.body_excerpt, /^mail \[e-mail\], password=\[secret\]\nä+$/)
    t.equal(value.body_excerpt?.length, 512)
  })

  const inPieces = async (t: Test, token: string, bytes: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.write(`POST /api/v1/ping/${token} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
    for (let left = bytes; left > 0; left -= 10_000) {
      const part = Math.min(left, 10_000)
      socket.write(`${part.toString(16)}\r\n${'b'.repeat(part)}\r\n`)
    }
    socket.write('0\r\n\r\n')
    await until('an answer', () => text !== '')
    return text.split('\r\n')[0] ?? ''
  }
  /** Announces a body of this size and sends its beginning. */
  const announced = async (t: Test, token: string, bytes: number): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.write(`POST /api/v1/ping/${token} HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\nfirst`)
    await until('an answer', () => text !== '')
    return text.split('\r\n')[0] ?? ''
  }
  const OK = 'HTTP/1.1 200 OK'
  const TOO_LARGE = 'HTTP/1.1 413 Payload Too Large'

  t.test('a ping body may have 10 MiB but no byte more, whole or in pieces, and its beginning is kept', async (t) => {
    const answer = await fetch(`${url}/api/v1/ping/${beat.token}`, { method: 'POST', body: Buffer.alloc(MOST, 'a') })
    t.equal(answer.status, 200)
    t.equal(await inPieces(t, beat.token, MOST), OK)
    t.equal(await inPieces(t, beat.token, MOST + 1), TOO_LARGE)
    t.equal(await announced(t, beat.token, MOST + 1), TOO_LARGE)
    const big = await until('both', () => {
      const found = pings().filter(({ value }) => value.body_bytes === MOST)
      return found.length === 2 && found
    })
    t.same(
      big.map(({ value }) => value.body_excerpt),
      ['a'.repeat(512), 'b'.repeat(512)]
    )
  })

  t.test('where words of a body count, it may have the 100 KiB that are read', async (t) => {
    const strict = await stand.heartbeat()
    await stand.change('UPDATE heartbeats SET body_rules = $3 WHERE tenant_id = $1 AND heartbeat_id = $2', [
      stand.workspace.tenant_id,
      strict.heartbeat_id,
      JSON.stringify({ failure: ['ERROR'] })
    ])
    t.equal(await inPieces(t, strict.token, READ), OK)
    t.equal(await inPieces(t, strict.token, READ + 1), TOO_LARGE)
    t.equal(await announced(t, strict.token, READ + 1), TOO_LARGE)
    t.equal(await inPieces(t, `${strict.token}/0`, READ + 1), OK, 'a signal counts, whatever the words')
  })

  t.test('methods that are not allowed get 405, and words in the body decide the kind of a ping', async (t) => {
    const strict = await stand.heartbeat()
    await stand.change("UPDATE heartbeats SET allowed_methods = '{POST}', body_rules = $3 WHERE tenant_id = $1 AND heartbeat_id = $2", [
      stand.workspace.tenant_id,
      strict.heartbeat_id,
      JSON.stringify({ success: ['copied'], failure: ['ERROR'], start: ['begin'] })
    ])
    for (const method of ['GET', 'HEAD']) {
      const refused = await fetch(`${url}/ping/${strict.token}/start`, { method })
      t.equal(refused.status, 405, method)
      t.equal(refused.headers.get('allow'), 'POST')
    }
    const long = 'x'.repeat(90_000)
    const sent: [action: string, body: string, kind: string, exit_code: number | null][] = [
      ['', 'begin', 'start', null],
      ['', `${long}\n12 files copied`, 'success', null],
      ['', `${long}\n12 files copied\n1 error`, 'fail', null],
      ['', 'half way', 'log', null],
      ['/0', 'error', 'exit', 0],
      ['/start', 'error', 'start', null]
    ]
    for (const [action, body] of sent) t.equal((await fetch(`${url}/ping/${strict.token}${action}`, { method: 'POST', body })).status, 200)
    const mine = await until('the pings', () => {
      const found = pings().filter(({ value }) => value.heartbeat_id === strict.heartbeat_id)
      return found.length === sent.length && found
    })
    t.match(
      mine.map(({ value: { kind, exit_code, body_bytes } }) => ({ kind, exit_code, body_bytes })),
      sent.map(([, body, kind, exit_code]) => ({ kind, exit_code, body_bytes: body.length }))
    )
    t.equal(mine[1]?.value.body_excerpt, 'x'.repeat(512), 'no more of a body leaves the door than before')
    for (const [chars, excerpt] of [
      [5, 'abcde'],
      [0, null]
    ] as const) {
      const quiet = await stand.heartbeat()
      await stand.change('UPDATE heartbeats SET body_excerpt_chars = $3 WHERE tenant_id = $1 AND heartbeat_id = $2', [
        stand.workspace.tenant_id,
        quiet.heartbeat_id,
        chars
      ])
      await fetch(`${url}/ping/${quiet.token}`, { method: 'POST', body: 'abcdefg' })
      const one = await until('the ping', () => pings().find(({ value }) => value.heartbeat_id === quiet.heartbeat_id))
      t.match(one.value, { body_excerpt: excerpt, body_bytes: 7 })
    }
  })

  t.test('refused pings and their status codes', async (t) => {
    const before = pings().length
    //  a case                      method    path                                  status  headers
    const cases: [string, string, string, number, Record<string, string>?][] = [
      ['a token nobody has', 'GET', `/api/v1/ping/${randomUUID()}`, 404],
      ['a token nobody has, compatible', 'POST', `/ping/${randomUUID()}/fail`, 404],
      ['a heartbeat’s id instead of its token', 'GET', `/ping/${beat.heartbeat_id}`, 404],
      ['a slug nobody has', 'GET', `/ping/${pingKey}/nobody`, 404],
      ['a key nobody has', 'GET', `/ping/${'0'.repeat(32)}/${beat.slug}`, 404],
      ['no token', 'GET', '/ping/', 404],
      ['another word', 'GET', `/ping/${beat.token}/done`, 404],
      ['an exit code that is none', 'GET', `/ping/${beat.token}/256`, 400],
      ['a malformed run id', 'GET', `/ping/${beat.token}?rid=7`, 400],
      ['another method', 'DELETE', `/ping/${beat.token}`, 405, { allow: 'GET, HEAD, POST' }],
      ['another method', 'PUT', `/api/v1/ping/${beat.token}`, 405, { allow: 'GET, HEAD, POST' }],
      ['nothing for HEAD either', 'HEAD', `/ping/${randomUUID()}`, 404]
    ]
    for (const [name, method, path, status, headers = {}] of cases) {
      const answer = await fetch(url + path, { method })
      t.equal(answer.status, status, name)
      const text = await answer.text()
      if (method === 'HEAD') t.equal(text, '')
      else t.match(JSON.parse(text), { error: String, code: String, request_id: answer.headers.get('x-request-id') }, name)
      t.equal(answer.headers.get('access-control-allow-origin'), '*')
      t.notMatch(text, beat.token, 'no token in an answer')
      for (const [header, value] of Object.entries(headers)) t.equal(answer.headers.get(header), value)
    }
    const preflight = await fetch(`${url}/ping/${beat.token}`, { method: 'OPTIONS' })
    t.equal(preflight.status, 204)
    t.equal(preflight.headers.get('access-control-allow-methods'), 'GET, HEAD, POST')
    t.equal(preflight.headers.get('access-control-allow-origin'), '*')
    t.equal((await fetch(`${url}/ping/${other.token}`)).status, 200)
    await until('the last ping', () => pings().some(({ value }) => value.heartbeat_id === other.heartbeat_id))
    t.equal(pings().length, before + 1, 'nothing of it is on the log')
  })

  t.test('too many pings of one heartbeat get 429 after its burst, others still pass', async (t) => {
    const busy = await stand.heartbeat()
    // Sent at once: one passes each second, so on a slow machine sequential requests would never be
    // too many.
    const answers = await Promise.all(Array.from({ length: 40 }, () => fetch(`${url}/ping/${busy.token}`)))
    const refused = answers.find(({ status }) => status === 429)
    t.ok(refused)
    t.ok(answers.filter(({ status }) => status === 200).length >= 20, 'not before its burst')
    t.same([...new Set(answers.map(({ status }) => status))].sort(), [200, 429])
    t.match(refused?.headers.get('retry-after'), /^[1-9]\d*$/)
    t.equal(refused?.headers.get('x-ratelimit-remaining'), '0')
    t.match(await refused?.json(), { code: 'RATE_LIMITED' })
    t.equal((await fetch(`${url}/ping/${other.token}`)).status, 200, 'the others go on')
  })
  t.end()
})

t.test('the Opsgenie-compatible receiver accepts pings by the name of a heartbeat', async (t) => {
  const stand = await watchStand(t)
  const { url, workspace, pings } = stand
  const heartbeat = await stand.heartbeat()
  const others = await stand.heartbeat(await stand.makeWorkspace())
  const ping = (name: string, method = 'POST', key = workspace.door, authorization = `GenieKey ${key}`): Promise<Response> =>
    fetch(`${url}/api/v1/opsgenie/v2/heartbeats/${name}/ping`, { method, headers: { authorization, 'user-agent': 'lamp' } })
  const basic = `Basic ${Buffer.from(`:${workspace.door}`).toString('base64')}`
  for (const [method, authorization] of [['GET'], ['POST'], ['PUT'], ['PATCH'], ['POST', basic]] as const) {
    const answer = await ping(heartbeat.slug.toUpperCase(), method, workspace.door, authorization)
    t.equal(answer.status, 202, method)
    t.match(await answer.json(), { result: /^PONG/, took: Number, requestId: String })
  }
  await until('all on the log', () => pings().length === 5)
  t.match(
    pings().map(({ value }) => value),
    [
      { heartbeat_id: heartbeat.heartbeat_id, kind: 'success', method: 'GET', user_agent: 'lamp', source_class: 'loopback' },
      ...Array(4).fill({ heartbeat_id: heartbeat.heartbeat_id, kind: 'success', method: 'POST' })
    ]
  )
  for (const name of [others.slug, 'nothing']) {
    const answer = await ping(name)
    t.equal(answer.status, 404, 'nobody pings for another workspace')
    t.match(await answer.json(), { message: /slug/, code: 'NOT_FOUND', took: Number, requestId: String })
  }
  t.equal((await ping(heartbeat.slug, 'POST', 'svc_x')).status, 401)
  await stand.change('UPDATE heartbeats SET deleted_at = now() WHERE tenant_id = $1', [workspace.tenant_id])
  // Until the door has heard of the deletion, a ping is accepted.
  let accepted = 5
  await until(
    'it to be gone',
    async () => {
      const { status } = await ping(heartbeat.slug)
      if (status === 202) accepted += 1
      return status === 404
    },
    5000
  )
  t.equal((await fetch(`${url}/api/v1/opsgenie/v2/heartbeats/x/ping`, { method: 'DELETE' })).status, 405)
  await until('no more than was accepted on the log', () => pings().length === accepted)
})

t.test('which heartbeats a look-up finds', async (t) => {
  const stand = await watchStand(t)
  const { url, pingKey, change, workspace } = stand
  const status = async (path: string): Promise<number> => (await fetch(url + path)).status
  const becomes = (expected: number, path: string): Promise<boolean> =>
    until(`${expected} for ${path}`, async () => (await status(path)) === expected, 5000)

  t.test('a deleted heartbeat gets 404 within 5 s, by token and by slug', async () => {
    const beat = await stand.heartbeat()
    t.equal(await status(`/ping/${beat.token}`), 200)
    t.equal(await status(`/ping/${pingKey}/${beat.slug}`), 200)
    await change('UPDATE heartbeats SET deleted_at = now() WHERE tenant_id = $1 AND heartbeat_id = $2', [
      workspace.tenant_id,
      beat.heartbeat_id
    ])
    await becomes(404, `/ping/${beat.token}`)
    await becomes(404, `/ping/${pingKey}/${beat.slug}`)
  })
  t.test('a rotated token and a new slug work even if they were unknown before', async () => {
    const beat = await stand.heartbeat()
    const next = randomUUID()
    t.equal(await status(`/ping/${beat.token}`), 200)
    t.equal(await status(`/ping/${next}`), 404)
    t.equal(await status(`/ping/${pingKey}/new-name`), 404)
    await change("UPDATE heartbeats SET ping_token = $3, slug = 'new-name' WHERE tenant_id = $1 AND heartbeat_id = $2", [
      workspace.tenant_id,
      beat.heartbeat_id,
      next
    ])
    await becomes(404, `/ping/${beat.token}`)
    await becomes(200, `/ping/${next}`)
    await becomes(200, `/ping/${pingKey}/new-name`)
  })
  t.test('a ping of a paused heartbeat is still logged', async (t) => {
    const beat = await stand.heartbeat()
    await change('UPDATE heartbeats SET paused_at = now() WHERE tenant_id = $1 AND heartbeat_id = $2', [
      workspace.tenant_id,
      beat.heartbeat_id
    ])
    t.equal(await status(`/ping/${beat.token}`), 200)
    t.ok(await until('the ping', () => stand.pings().find(({ value }) => value.heartbeat_id === beat.heartbeat_id)))
    t.match(await stand.metrics(), /service_intake_pings_total\{kind="success",outcome="paused"\} 1/)
  })
  t.test('without Postgres cached heartbeats accept pings, others get 503, and a gap is written', async (t) => {
    const kept = await stand.heartbeat()
    const fresh = await stand.heartbeat()
    t.equal(await status(`/ping/${kept.token}`), 200)
    // The news of the creation may come late, and it makes the door drop its cached entry once.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    t.equal(await status(`/ping/${kept.token}`), 200)
    stand.postgres.refuse(true)
    stand.postgres.cutAll()
    const before = Date.now()
    const refused = await fetch(`${url}/ping/${fresh.token}`)
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^[1-9]/)
    t.equal(await status(`/ping/${randomUUID()}`), 503, 'nobody can say whether it is one')
    t.equal(await status(`/ping/${kept.token}`), 200)
    const gaps = await until('the gap', () => stand.gaps().length >= 12 && stand.gaps())
    t.equal(new Set(gaps.slice(0, 12).map(({ partition }) => partition)).size, 12)
    t.match(gaps[0]?.value, { reason: 'refused', instance: 'door-1' })
    t.ok((gaps[0]?.value.from ?? 0) >= before)
    stand.postgres.refuse(false)
    await until('the look-up', async () => (await status(`/ping/${fresh.token}`)) === 200)
  })
  t.end()
})

/** Starts the door alone, with a fake log and a fake look-up. */
async function alone(t: Test, bodyMs: number, more: Partial<ExchangeLimits> = {}) {
  const appended: unknown[] = []
  const gap: GapKeeper = { isOpen: () => true, notConfirmed: () => undefined, notLookedUp: () => undefined, close: async () => undefined }
  const heartbeat = {
    tenant_id: UUID,
    heartbeat_id: UUID,
    paused: false,
    team_id: null,
    visibility: 'org',
    plan: 'free',
    allowed_methods: ['GET', 'HEAD', 'POST'],
    body_rules: {},
    body_excerpt_chars: 512
  } as const
  const left: string[] = []
  const reception = createPingReception({
    watched: { heartbeat: () => heartbeat },
    append: async (records) => void appended.push(...records),
    gap,
    codec: localCodec(),
    instance: 'door-1',
    senderAddress: createSenderAddress([]),
    log: pino({ level: 'silent' }),
    metrics: { ping: () => undefined, closed: () => undefined, gapWritten: () => undefined },
    doorMetrics: { answered: () => undefined, left: (door) => void left.push(door) },
    limits: { bodyMs, requests: 5, ...more }
  })
  const app = createApp()
  openPingDoors(app, reception)
  const port = await app.listen('127.0.0.1', 0)
  t.teardown(async () => {
    await reception.close(0)
    app.close()
  })
  const dial = (text: string) => {
    const socket = connect(port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    const said = { text: '', socket }
    socket.on('data', (chunk) => {
      said.text += chunk
    })
    socket.on('error', () => undefined)
    socket.write(text)
    return said
  }
  return { reception, appended, left, dial, url: `http://127.0.0.1:${port}` }
}

const head = `POST /ping/${UUID} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`

t.test('ping senders that do not finish', async (t) => {
  t.test('a slow ping body gets 408', async (t) => {
    const { dial, appended } = await alone(t, 100)
    const slow = dial(`${head}part of it`)
    await until('408', () => slow.text.startsWith('HTTP/1.1 408'))
    t.match(slow.text, /Connection: close/)
    t.same(appended, [])
  })
  t.test('of a large ping body no more than its beginning is held', async (t) => {
    const { url, appended } = await alone(t, 8000, { heldBytes: 10_000 })
    const answer = await fetch(`${url}/ping/${UUID}`, { method: 'POST', body: Buffer.alloc(1024 * 1024, 'a') })
    t.equal(answer.status, 200)
    t.equal(appended.length, 1)
  })
  t.test('a sender that disconnects is forgotten and nothing of its ping is appended', async (t) => {
    const { dial, reception, left, appended } = await alone(t, 8000)
    const one = dial(`${head}part of it`)
    await until('the request', () => reception.inFlight() === 1)
    one.socket.destroy()
    await until('it to be gone', () => reception.inFlight() === 0)
    t.same(left, ['ping'])
    t.same(appended, [])
  })
  t.test('a ping above the limit of concurrent requests gets 503', async (t) => {
    const { dial, reception, url } = await alone(t, 8000)
    for (let nth = 0; nth < 3; nth++) dial(`${head}part`)
    await until('three', () => reception.inFlight() === 3)
    const answer = await fetch(`${url}/ping/${UUID}`)
    t.equal(answer.status, 503)
    t.equal(answer.headers.get('retry-after'), '1')
  })
  t.end()
})

/**
 * Tests of senders that misbehave on the wire: slow, endless, lying or gone. Each gets its answer
 * or is cut off; nothing is produced and nothing is kept.
 */
import t from 'tap'
import type { OutRecord } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'
import { integration } from './credential.ts'
import { PATH, stand, TOKEN } from './stand.ts'

const MEGABYTE = 1024 * 1024
const alert = '{"title":"Disk full","severity":"critical"}'
const head = (length: number | string, path = PATH): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`
const chunked = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
const chunk = (bytes: number): string => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`

t.test('a body that arrives in pieces is accepted', async (t) => {
  const { dial, alerts } = await stand(t)
  const byLength = dial()
  byLength.write(head(alert.length) + alert.slice(0, 7))
  byLength.write(alert.slice(7, 20))
  byLength.write(alert.slice(20))
  await byLength.says(/^HTTP\/1\.1 200 OK/)
  const inChunks = dial()
  inChunks.write(`${chunked}5\r\n${alert.slice(0, 5)}\r\n`)
  inChunks.write(`${(alert.length - 5).toString(16)}\r\n${alert.slice(5)}\r\n0\r\n\r\n`)
  await inChunks.says(/^HTTP\/1\.1 200 OK/)
  t.equal(alerts().length, 2)
})

t.test('a body announced as too large gets 413 before it is sent', async (t) => {
  const { dial, reception } = await stand(t)
  const connection = dial()
  connection.write(head(100 * MEGABYTE))
  await connection.says(/^HTTP\/1\.1 413 [\s\S]*BODY_TOO_LARGE/)
  t.equal(reception.bytesHeld(), 0)
  t.equal(reception.inFlight(), 0)
})

t.test('a chunked body gets 413 once it is too large, and the rest is dropped', async (t) => {
  const { dial, reception, records, alerts } = await stand(t)
  const connection = dial()
  connection.write(chunked)
  let held = 0
  // The answer waits at most a second for the end of the body. On a busy machine it comes earlier,
  // and then the connection ends.
  for (let megabytes = 0; megabytes < 100 && connection.text() === ''; megabytes++) {
    const drained = new Promise<void>((resolve) => connection.socket.once('drain', resolve))
    if (!connection.socket.write(chunk(MEGABYTE))) await Promise.race([drained, connection.closed])
    held = Math.max(held, reception.bytesHeld())
  }
  await connection.says(/^HTTP\/1\.1 413 [\s\S]*BODY_TOO_LARGE/)
  t.ok(held <= 2 * MEGABYTE, `${held} bytes were held`)
  t.equal(reception.bytesHeld(), 0)
  t.same(records, [])
  connection.write(`0\r\n\r\n${head(alert.length)}${alert}`)
  await connection.closed
  t.same(alerts(), [], 'nor is what follows on the connection read')
})

t.test('an invalid content length is refused', async (t) => {
  const { dial, records } = await stand(t)
  for (const length of ['-3', 'many', '3, 4', '99999999999999999999']) {
    const connection = dial()
    connection.write(head(length) + alert)
    await connection.closed
    t.match(connection.text(), /^$|^HTTP\/1\.1 4\d\d /, length)
  }
  t.same(records, [])
})

t.test('bytes after a too short content length are not read as a request', async (t) => {
  const { dial, records } = await stand(t)
  const connection = dial()
  connection.write(head(10) + alert)
  // One build of the server refuses the rest before it has answered the first request.
  await connection.says(/^HTTP\/1\.1 (400|505) /)
  await until('the raw payload', () => records.length > 0)
  t.equal(records.length, 1, 'and no alert')
  t.equal(records[0]?.topic, 'alerts.raw.v1')
})

t.test('requests that are never finished', async (t) => {
  t.jobs = 4
  const limits = { bodyMs: 500 }
  t.test('an unfinished body gets 408 and its connection is closed', async (t) => {
    const { dial, reception, records } = await stand(t, { limits })
    const connections = [head(alert.length), head(alert.length) + alert.slice(0, 9), chunked, `${chunked}5\r\nhel`].map((request) => {
      const connection = dial()
      connection.write(request)
      return connection
    })
    for (const connection of connections) {
      await connection.closed
      t.match(connection.text(), /^HTTP\/1\.1 408 [\s\S]*Connection: close[\s\S]*REQUEST_TIMEOUT/)
    }
    t.equal(reception.inFlight(), 0)
    t.equal(reception.bytesHeld(), 0)
    t.same(records, [])
  })
  t.test('a body that drips too slowly gets 408', async (t) => {
    const { dial } = await stand(t, { limits })
    const connection = dial()
    connection.write(head(1000))
    const drip = setInterval(() => connection.write('x'), 100)
    t.teardown(() => clearInterval(drip))
    await connection.closed
    t.match(connection.text(), /^HTTP\/1\.1 408 /)
  })
  t.test('a body that arrives steadily is accepted, however long it takes', async (t) => {
    const { dial } = await stand(t, { limits: { bodyMs: 500, bodyBytesPerSecond: 1000 } })
    const body = `{"title":"x","description":"${'y'.repeat(20_000)}"}`
    const connection = dial()
    connection.write(head(body.length))
    for (let at = 0; at < body.length; at += 2000) {
      connection.write(body.slice(at, at + 2000))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    await connection.says(/^HTTP\/1\.1 200 OK/)
  })
  t.test('a connection with unfinished headers is cut off', async (t) => {
    const { dial } = await stand(t)
    const connection = dial()
    connection.write(`POST ${PATH} HTTP/1.1\r\nHos`)
    await connection.closed
    t.equal(connection.text(), '')
  })
  t.end()
})

t.test('senders that disconnect', async (t) => {
  t.test('a sender that disconnects in the middle of its body leaves nothing behind', async (t) => {
    const { dial, reception, records, metrics } = await stand(t)
    const connection = dial()
    connection.write(head(alert.length) + alert.slice(0, 9))
    await until('the request', () => reception.bytesHeld() === 9)
    connection.socket.resetAndDestroy()
    await until('it to be forgotten', () => reception.inFlight() === 0)
    t.equal(reception.bytesHeld(), 0)
    t.same(records, [])
    t.match(await metrics(), /service_intake_abandoned_total\{door="incoming"\} 1/)
  })
  t.test('a sender that disconnects before the acknowledgement does not disturb the next request', async (t) => {
    const acknowledge: (() => void)[] = []
    const { dial, reception, post } = await stand(t, { append: () => new Promise((resolve) => acknowledge.push(resolve)) })
    const connection = dial()
    connection.write(head(alert.length) + alert)
    await until('the append', () => acknowledge.length === 1)
    connection.socket.resetAndDestroy()
    await until('it to be forgotten', () => reception.inFlight() === 0)
    acknowledge[0]?.()
    const next = post(PATH, alert)
    await until('the next append', () => acknowledge.length === 2)
    acknowledge[1]?.()
    t.equal((await next).status, 200)
  })
  t.test('a sender that disconnects while its token is looked up leaves nothing behind', async (t) => {
    const answers: ((found: null) => void)[] = []
    const { dial, reception } = await stand(t, { check: () => new Promise((resolve) => answers.push(resolve)) })
    const connection = dial()
    connection.write(head(alert.length) + alert)
    await until('the look-up', () => answers.length === 1)
    connection.socket.resetAndDestroy()
    await until('it to be forgotten', () => reception.inFlight() === 0)
    answers[0]?.(null)
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(reception.bytesHeld(), 0)
  })
  t.end()
})

t.test('alerts accepted while a body arrives count against its rate limit', async (t) => {
  const { dial, post, alerts, reception } = await stand(t)
  const slow = dial()
  slow.write(head(alert.length) + alert.slice(0, 9))
  await until('the slow request, admitted', () => reception.bytesHeld() === 9)
  t.equal((await post(PATH, JSON.stringify(Array(1000).fill({ title: 'x' })))).status, 200)
  slow.write(alert.slice(9))
  await slow.says(/^HTTP\/1\.1 429 [\s\S]*RATE_LIMITED/)
  t.equal(alerts().length, 1000)
})

t.test('limits on held requests and bytes', async (t) => {
  t.test('requests above the limit get 503', async (t) => {
    const acknowledge: (() => void)[] = []
    const { post, reception } = await stand(t, {
      limits: { requests: 5 },
      append: () => new Promise((resolve) => acknowledge.push(resolve))
    })
    const waiting = [post(PATH, alert), post(PATH, alert), post(PATH, alert)]
    await until('three requests', () => acknowledge.length === 3)
    const refused = await post(PATH, alert)
    t.equal(refused.status, 503)
    t.equal(refused.headers.get('retry-after'), '1')
    t.equal((await post('/nowhere', alert)).status, 404, 'other addresses still answer')
    for (const done of acknowledge) done()
    for (const { status } of await Promise.all(waiting)) t.equal(status, 200)
    t.equal(reception.inFlight(), 0)
  })
  t.test('a body above the limit of held bytes gets 503', async (t) => {
    const { dial, reception } = await stand(t, { limits: { heldBytes: 180_000 } })
    const first = dial()
    first.write(head(90_000) + 'x'.repeat(80_000))
    await until('the first body', () => reception.bytesHeld() === 80_000)
    const second = dial()
    second.write(head(90_000) + 'x'.repeat(30_000))
    await second.says(/^HTTP\/1\.1 503 [\s\S]*UNAVAILABLE/)
    t.equal(reception.bytesHeld(), 80_000)
  })
  t.end()
})

t.test('one connection serves 2,000 requests', async (t) => {
  let alerts = 0
  const append = async (records: readonly OutRecord[]): Promise<void> => {
    alerts += records.filter(({ topic }) => topic === 'alerts.inbound.v1').length
    await new Promise((resolve) => setImmediate(resolve))
  }
  // With a stopped clock no workspace is busy, so no payload waits to be batched
  // (paced-append.test.ts).
  const { dial, reception } = await stand(t, { integration: { plan: 'enterprise' }, append, clock: () => 0 })
  const { socket, write } = dial()
  const request = head(alert.length) + alert
  let answers = 0
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => {
      if (!chunk.toString().startsWith('HTTP/1.1 200 OK')) return reject(new Error(`after ${answers} answers: ${chunk}`))
      answers += 1
      if (answers === 2000) resolve()
      else write(request)
    })
    socket.on('close', () => reject(new Error(`closed after ${answers} answers`)))
    write(request)
  })
  t.equal(answers, 2000)
  t.equal(alerts, 2000)
  t.equal(reception.inFlight(), 0)
})

t.test('a request sent before the previous answer ends the connection', async (t) => {
  const acknowledge: (() => void)[] = []
  const { dial, reception } = await stand(t, { append: () => new Promise((resolve) => acknowledge.push(resolve)) })
  const connection = dial()
  connection.write((head(alert.length) + alert).repeat(3))
  await connection.closed
  t.equal(connection.text(), '', 'there is no answer before the log has acknowledged the alert')
  t.equal(acknowledge.length, 1, 'the log got the first, and not the others')
  acknowledge[0]?.()
  await until('nobody inside', () => reception.inFlight() === 0)
})

t.test('a closing door finishes running requests and refuses new ones', async (t) => {
  const acknowledge: (() => void)[] = []
  const { post, reception, dial } = await stand(t, { append: () => new Promise((resolve) => acknowledge.push(resolve)) })
  const inside = post(PATH, alert)
  await until('the append', () => acknowledge.length === 1)
  const closed = reception.close(10_000)
  const late = dial()
  late.write(head(alert.length) + alert)
  await late.closed
  t.match(late.text(), /^HTTP\/1\.1 503 [\s\S]*Connection: close/)
  acknowledge[0]?.()
  t.equal((await inside).status, 200)
  await closed
})

t.test('a body is held only up to its limit while its token is looked up', async (t) => {
  let answer: (found: ReturnType<typeof integration> | null) => void = () => undefined
  const { dial, reception } = await stand(t, {
    check: (token) => (token === TOKEN ? new Promise((resolve) => (answer = resolve)) : null)
  })
  const connection = dial()
  connection.write(chunked)
  for (let megabytes = 0; megabytes < 10; megabytes++) {
    if (!connection.socket.write(chunk(MEGABYTE))) await new Promise((resolve) => connection.socket.once('drain', resolve))
    t.ok(reception.bytesHeld() <= 2 * MEGABYTE)
  }
  answer(integration())
  await connection.says(/^HTTP\/1\.1 413 /)
})

/**
 * Tests that no acknowledged record is missing and none is on the log twice: the product's producer
 * runs through a proxy that loses replies. Beside each proof stands a control, the loss that
 * kafkajs 2.2.4's own producer suffers under the same fault. Each control fails once kafkajs no
 * longer loses records, and then this runtime may be removed.
 */
import kafkajs from 'kafkajs'
import t from 'tap'
import { createBatcher } from '../../../streams/runtime/batcher.ts'
import { Producer } from '../../../streams/runtime/producer.ts'
import { partitionOf } from '../../../streams/runtime/record-batch.ts'
import { OutcomeUnknown, type OutRecord, QueueFull, RecordRefused } from '../../../streams/runtime/stream.ts'
import { type KafkaRequest, METADATA, PRODUCE, startKafkaProxy } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { counts, ownTopics, readAll, type TestTopics, target, text } from './support.ts'

const TOPIC = 'dlq.v1'

t.setTimeout(300_000)
t.jobs = 3

/** An idempotent producer of kafkajs, set up as its documentation says. */
const control = (port: number, retries: number) =>
  new kafkajs.Kafka({
    brokers: [`127.0.0.1:${port}`],
    clientId: 'control',
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 10_000,
    requestTimeout: 10_000,
    retry: { retries, initialRetryTime: 50, maxRetryTime: 100 }
  }).producer({ idempotent: true, maxInFlightRequests: 1, createPartitioner: kafkajs.Partitioners.DefaultPartitioner })

const record = (topics: TestTopics, value: string, partition?: number): OutRecord => ({
  topic: topics.real(TOPIC),
  key: 'k',
  value: Buffer.from(value),
  ...(partition !== undefined && { partition })
})

/** The product's producer with its batcher, through the proxy. */
function ours(topics: TestTopics, port: number, options: { deadlineMs?: number; batchRecords?: number; lastSequence?: number } = {}) {
  const replaced: string[] = []
  const producer = new Producer({
    ...topics.client([`127.0.0.1:${port}`]),
    onReplaced: (reason) => replaced.push(reason),
    ...(options.lastSequence !== undefined && { lastSequence: options.lastSequence })
  })
  const { deadlineMs = 20_000, batchRecords } = options
  return { log: createBatcher(producer, { deadlineMs, ...(batchRecords !== undefined && { batchRecords }) }), producer, replaced }
}

/** Applies `plan` to the first `times` replies of Produce requests. */
const toReplies = (times: number, plan: 'cut' | 'hold' | 'tear') => {
  const state = { done: 0 }
  return { state, reply: ({ apiKey }: KafkaRequest) => (apiKey === PRODUCE && state.done++ < times ? plan : 'pass') }
}

t.test('(a) concurrent sends whose first reply is lost', { buffered: true }, async (t) => {
  t.test('control: kafkajs resolves both sends, loses one record and stores the other twice', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { reply } = toReplies(1, 'cut')
    const proxy = await startKafkaProxy(target(topics.brokers), { reply })
    t.teardown(() => proxy.close())
    const producer = control(proxy.port, 5)
    await producer.connect()
    t.teardown(() => producer.disconnect())
    const send = (value: string) => producer.send({ topic: topics.real(TOPIC), messages: [{ key: 'k', value, partition: 0 }] })
    await Promise.all([send('B'), send('C')])
    const found = counts((await readAll(topics, TOPIC)).map(text))
    t.equal(Object.keys(found).length, 1, 'one of the two is missing')
    t.equal(Object.values(found)[0], 2, 'the other was stored twice')
  })

  t.test('ours: both records are on the log once', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { reply, state } = toReplies(1, 'cut')
    const proxy = await startKafkaProxy(target(topics.brokers), { reply })
    t.teardown(() => proxy.close())
    const { log, replaced } = ours(topics, proxy.port)
    t.teardown(() => log.close())
    await Promise.all([log.append([record(topics, 'B', 0)]), log.append([record(topics, 'C', 0)])])
    t.ok(state.done >= 2, 'a reply was lost')
    t.same((await readAll(topics, TOPIC)).map(text), ['B', 'C'], 'in their order')
    t.same(replaced, [], 'under one producer id')
  })
})

/**
 * Makes a reply of Metadata version 6 in which two brokers share the partitions: node 1 at
 * `ports[0]`, and node 2, with the odd partitions, at `ports[1]`.
 */
function twoBrokers(body: Buffer, ports: [number, number]): Buffer {
  const parts: Buffer[] = []
  const int = (bytes: number, value: number) => {
    const buffer = Buffer.alloc(bytes)
    buffer.writeIntBE(value, 0, bytes)
    parts.push(buffer)
  }
  let at = 8
  const skipText = () => {
    at += 2 + Math.max(body.readInt16BE(at), 0)
  }
  parts.push(body.subarray(0, 4))
  int(4, 2)
  for (let brokers = body.readInt32BE(4); brokers > 0; brokers--) {
    at += 4
    skipText()
    at += 4
    skipText()
  }
  for (const [index, port] of ports.entries()) {
    int(4, index + 1)
    int(2, 9)
    parts.push(Buffer.from('127.0.0.1'))
    int(4, port)
    int(2, -1)
  }
  const rest = Buffer.from(body.subarray(at))
  let within = 2 + Math.max(rest.readInt16BE(0), 0) // cluster id
  rest.writeInt32BE(1, within) // controller
  within += 4
  let topics = rest.readInt32BE(within)
  within += 4
  for (; topics > 0; topics--) {
    within += 2
    within += 2 + rest.readInt16BE(within) + 1
    let partitions = rest.readInt32BE(within)
    within += 4
    for (; partitions > 0; partitions--) {
      const partition = rest.readInt32BE(within + 2)
      rest.writeInt32BE(1 + (partition % 2), within + 6)
      within += 10
      for (let list = 0; list < 3; list++) within += 4 + 4 * rest.readInt32BE(within)
    }
  }
  parts.push(rest)
  return Buffer.concat(parts)
}

/**
 * Makes a Produce reply, version 7, that refuses every partition of the request with `code`, which
 * may be a temporary or a permanent error.
 */
function refusalOf({ body }: KafkaRequest, code: number): Buffer {
  const parts: Buffer[] = []
  let at = 2 + Math.max(body.readInt16BE(0), 0) + 2 + 4
  const topics = body.readInt32BE(at)
  parts.push(body.subarray(at, at + 4))
  at += 4
  for (let left = topics; left > 0; left--) {
    const name = 2 + body.readInt16BE(at)
    parts.push(body.subarray(at, at + name + 4))
    at += name
    let partitions = body.readInt32BE(at)
    at += 4
    for (; partitions > 0; partitions--) {
      const partition = Buffer.alloc(30, 0xff)
      partition.writeInt32BE(body.readInt32BE(at), 0)
      partition.writeInt16BE(code, 4)
      parts.push(partition)
      at += 8 + body.readInt32BE(at + 4)
    }
  }
  parts.push(Buffer.alloc(4)) // throttle
  return Buffer.concat(parts)
}

/**
 * Shows the one broker as two. The second refuses its first Produce request with a temporary error.
 */
async function twoBrokerProxy(t: { teardown(handler: () => unknown): void }, topics: TestTopics, code = 6) {
  const state = { refused: 0 }
  const ports: [number, number] = [0, 0]
  const metadata = (body: Buffer) => twoBrokers(body, ports)
  const first = await startKafkaProxy(target(topics.brokers), { metadata })
  const second = await startKafkaProxy(target(topics.brokers), {
    metadata,
    request: (request) => (request.apiKey === PRODUCE && state.refused++ === 0 ? refusalOf(request, code) : 'pass')
  })
  ports[0] = first.port
  ports[1] = second.port
  t.teardown(() => Promise.all([first.close(), second.close()]))
  return { port: first.port, state }
}

t.test('(b) a retry of part of the records', { buffered: true }, async (t) => {
  const TOPIC = 'monitor.transitions.v1' // 6 partitions
  const values = Array.from({ length: 101 }, (_, index) => `r${index}`)

  t.test('control: kafkajs loses some keyless records, stores others twice and resolves', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { port, state } = await twoBrokerProxy(t, topics)
    const producer = control(port, 5)
    await producer.connect()
    t.teardown(() => producer.disconnect())
    await producer.send({ topic: topics.real(TOPIC), messages: values.map((value) => ({ value })) })
    t.ok(state.refused >= 2, 'a broker refused, then took')
    const found = counts((await readAll(topics, TOPIC)).map(text))
    t.ok(
      values.some((value) => !found[value]),
      'records are missing'
    )
    t.ok(
      Object.values(found).some((count) => count > 1),
      'records stand twice'
    )
  })

  t.test('ours: all keyed records are on the log once', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { port, state } = await twoBrokerProxy(t, topics)
    const { log } = ours(topics, port)
    t.teardown(() => log.close())
    await log.append(values.map((value) => ({ topic: topics.real(TOPIC), key: value, value: Buffer.from(value) })))
    t.ok(state.refused >= 2, 'a broker refused, then took')
    t.same(counts((await readAll(topics, TOPIC)).map(text)), counts(values))
  })

  t.test('ours: a keyless record is refused before anything is sent', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { log } = ours(topics, target(topics.brokers).port)
    t.teardown(() => log.close())
    await t.rejects(log.append([record(topics, 'a', 0), { topic: topics.real(TOPIC), key: '', value: Buffer.from('b') }]), RecordRefused)
    t.equal(log.depth(), 0)
    t.same(await readAll(topics, TOPIC), [])
  })
})

t.test('(c) the batch after an abandoned one', { buffered: true }, async (t) => {
  t.test('control: kafkajs reuses the lost sequence, and the broker drops the new batch as a repeat', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { reply, state } = toReplies(2, 'cut')
    const proxy = await startKafkaProxy(target(topics.brokers), { reply })
    t.teardown(() => proxy.close())
    const producer = control(proxy.port, 1)
    await producer.connect()
    t.teardown(() => producer.disconnect())
    const send = (value: string) => producer.send({ topic: topics.real(TOPIC), messages: [{ key: 'k', value, partition: 0 }] })
    await t.rejects(send('B'), 'B was given up')
    await send('C')
    t.equal(state.done, 3, 'the reply of C arrived')
    t.same((await readAll(topics, TOPIC)).map(text), ['B'], 'C was acknowledged and is not on the log')
  })

  t.test('ours: the next batch is on the log under a new producer id', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { reply, state } = toReplies(2, 'hold')
    const proxy = await startKafkaProxy(target(topics.brokers), { reply })
    t.teardown(() => proxy.close())
    // Enough time for two attempts.
    const { log, replaced } = ours(topics, proxy.port, { deadlineMs: 5000 })
    t.teardown(() => log.close())
    await t.rejects(log.append([record(topics, 'B', 0)]), OutcomeUnknown)
    t.ok(state.done >= 1, 'B was appended, and its reply lost')
    await until('B to be given up', () => replaced.length > 0)
    t.notOk(log.healthy())
    await log.append([record(topics, 'C', 0)])
    t.ok(log.healthy())
    t.same((await readAll(topics, TOPIC)).map(text), ['B', 'C'])
    t.same(replaced, ['a batch was given up'])
  })

  t.test('ours: a batch whose reply was lost several times is acknowledged and stored once', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { reply, state } = toReplies(4, 'cut')
    const proxy = await startKafkaProxy(target(topics.brokers), { reply })
    t.teardown(() => proxy.close())
    const { log, replaced } = ours(topics, proxy.port)
    t.teardown(() => log.close())
    await log.append([record(topics, 'B', 0), record(topics, 'B2', 1)])
    await log.append([record(topics, 'C', 0)])
    t.equal(state.done, 6)
    t.same(counts((await readAll(topics, TOPIC)).map(text)), { B: 1, B2: 1, C: 1 })
    t.same(replaced, [])
  })
})

t.test('a reply that is cut in the middle does not damage the next connection', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const { reply, state } = toReplies(2, 'tear')
  const proxy = await startKafkaProxy(target(topics.brokers), { reply })
  t.teardown(() => proxy.close())
  const { log } = ours(topics, proxy.port)
  t.teardown(() => log.close())
  await log.append([record(topics, 'B', 0)])
  await log.append([record(topics, 'C', 0)])
  t.equal(state.done, 4)
  t.same((await readAll(topics, TOPIC)).map(text), ['B', 'C'])
})

t.test('a silent connection is replaced, and the batch is stored once', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  let dead: object | null = null
  const held: number[] = []
  const proxy = await startKafkaProxy(target(topics.brokers), {
    reply: ({ apiKey, link }) => {
      if (apiKey === PRODUCE && dead === null) dead = link
      if (link === dead) held.push(apiKey)
      return link === dead ? 'hold' : 'pass'
    }
  })
  t.teardown(() => proxy.close())
  const { log, replaced } = ours(topics, proxy.port)
  t.teardown(() => log.close())
  await log.append([record(topics, 'B', 0)])
  t.ok(held.includes(PRODUCE))
  t.same((await readAll(topics, TOPIC)).map(text), ['B'], 'acknowledged within the deadline, once')
  t.same(replaced, [])
})

t.test('records that the broker refuses', { buffered: true }, async (t) => {
  const TOPIC = 'alerts.inbound.v1'

  t.test('only the calls of refused records are rejected, and nothing is sent twice', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { log } = ours(topics, target(topics.brokers).port)
    t.teardown(() => log.close())
    const out = (value: string, timestamp: number): OutRecord => ({
      topic: topics.real(TOPIC),
      partition: value.charCodeAt(0) % 3,
      key: value,
      value: Buffer.from(value),
      timestamp
    })
    const good = [...'abcdefghijklmnopqrstuvwxyz']
    const future = Date.now() + 10 * 86_400_000 // A broker of Kafka 4 takes at most an hour ahead.
    // The records that follow wait for it, and make one batch.
    const warm = log.append([out('first', Date.now())])
    const calls = good.map((value) => log.append([out(value, ['d', 'q'].includes(value) ? future : Date.now())]))
    const [, ...results] = await Promise.allSettled([warm, ...calls])
    const refused = results.flatMap((result, index) =>
      result.status === 'rejected' ? [[good[index], result.reason instanceof RecordRefused]] : []
    )
    t.same(refused, [
      ['d', true],
      ['q', true]
    ])
    t.ok(log.healthy(), 'a refusal is no outage')
    const found = counts((await readAll(topics, TOPIC)).map(text))
    t.same(found, counts(['first', ...good.filter((value) => value !== 'd' && value !== 'q')]))
  })

  t.test('records for an unknown topic are refused, and others are sent', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { log } = ours(topics, target(topics.brokers).port)
    t.teardown(() => log.close())
    const results = await Promise.allSettled([
      log.append([{ topic: topics.real(TOPIC), key: 'a', value: Buffer.from('first') }]),
      log.append([{ topic: topics.real('dlq.v1'), key: 'a', value: Buffer.from('nowhere') }]),
      log.append([{ topic: topics.real(TOPIC), key: 'a', value: Buffer.from('here') }])
    ])
    t.same(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled']
    )
    const [, refused] = results
    t.ok(refused?.status === 'rejected' && refused.reason instanceof RecordRefused)
    t.same((await readAll(topics, TOPIC)).map(text), ['first', 'here'])
  })

  t.test('an unknown topic is refused even when the deadline is shorter than the retries', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    // Less than the pauses between four requests.
    const { log } = ours(topics, target(topics.brokers).port, { deadlineMs: 300 })
    t.teardown(() => log.close())
    const reasons: unknown[] = []
    await until('the refusal', async () => {
      await log.append([{ topic: topics.real('dlq.v1'), key: 'a', value: Buffer.from('nowhere') }]).catch((reason) => reasons.push(reason))
      return reasons.at(-1) instanceof RecordRefused
    })
    t.ok(reasons[0] instanceof OutcomeUnknown, 'the first call could not tell')
  })

  t.test('the producer requests no metadata of other topics', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const asked: number[] = []
    const proxy = await startKafkaProxy(target(topics.brokers), {
      request({ apiKey, body }) {
        if (apiKey === METADATA) asked.push(body.readInt32BE(0))
        return 'pass'
      }
    })
    t.teardown(() => proxy.close())
    const { log } = ours(topics, proxy.port)
    t.teardown(() => log.close())
    const refusal = { name: 'RecordRefused', ofTopic: true }
    await t.rejects(log.append([{ topic: topics.real('dlq.v1'), key: 'a', value: Buffer.from('nowhere') }]), refusal)
    await log.append([{ topic: topics.real(TOPIC), key: 'a', value: Buffer.from('here') }])
    t.ok(asked.length > 4)
    t.notOk(asked.includes(-1), 'null stands for all topics')
  })

  t.test('a refusal after an unanswered attempt leaves the outcome unknown', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    let produced = 0
    const proxy = await startKafkaProxy(target(topics.brokers), {
      request: (request) => (request.apiKey === PRODUCE && ++produced === 2 ? refusalOf(request, 29) : 'pass'),
      reply: ({ apiKey }) => (apiKey === PRODUCE && produced === 1 ? 'cut' : 'pass')
    })
    t.teardown(() => proxy.close())
    const { log, replaced } = ours(topics, proxy.port)
    t.teardown(() => log.close())
    const out = (value: string): OutRecord => ({ topic: topics.real(TOPIC), partition: 0, key: 'k', value: Buffer.from(value) })
    await t.rejects(log.append([out('B')]), OutcomeUnknown)
    t.equal(produced, 2)
    await log.append([out('C')])
    t.same((await readAll(topics, TOPIC)).map(text), ['B', 'C'], 'C did not take the sequence of B')
    t.same(replaced, ['a batch was given up'])
  })

  t.test('an unknown producer id is replaced, and the refused batch is sent again', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    let produced = 0
    const proxy = await startKafkaProxy(target(topics.brokers), {
      request: (request) => (request.apiKey === PRODUCE && ++produced === 2 ? refusalOf(request, 59) : 'pass')
    })
    t.teardown(() => proxy.close())
    const { log, replaced } = ours(topics, proxy.port)
    t.teardown(() => log.close())
    const out = (value: string): OutRecord => ({ topic: topics.real(TOPIC), partition: 0, key: 'k', value: Buffer.from(value) })
    await log.append([out('A')])
    await log.append([out('B')])
    await log.append([out('C')])
    t.same((await readAll(topics, TOPIC)).map(text), ['A', 'B', 'C'])
    t.same(replaced, ['the broker no longer knows the producer id'])
  })
})

t.test('sequence numbers of a partition', { buffered: true }, async (t) => {
  t.test('a producer id is replaced before its sequence wraps', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const { log, replaced } = ours(topics, target(topics.brokers).port, { lastSequence: 2 })
    t.teardown(() => log.close())
    const values = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const value of values) await log.append([record(topics, value, 0)])
    t.same((await readAll(topics, TOPIC)).map(text), values)
    t.same(replaced, ['its sequence came near the wrap', 'its sequence came near the wrap'])
  })

  t.test('a request takes 1,000 records of one partition, and one more throws', async (t) => {
    const topics = await ownTopics(t, [TOPIC])
    const producer = new Producer(topics.client())
    t.teardown(() => producer.close())
    const many = Array.from({ length: 1000 }, (_, index) => record(topics, `r${index}`, 0))
    await producer.produce(many, Date.now() + 5000)
    t.equal((await readAll(topics, TOPIC)).length, 1000)
    await t.rejects(producer.produce([...many, record(topics, 'one more', 0)], Date.now() + 5000), RangeError)
    t.throws(() => createBatcher(producer, { batchRecords: 1001 }), RangeError)
  })
})

t.test('without a broker calls end by their deadline, and the log recovers when it is back', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const proxy = await startKafkaProxy(target(topics.brokers))
  t.teardown(() => proxy.close())
  proxy.refuse(true)
  const { log } = ours(topics, proxy.port, { deadlineMs: 600, batchRecords: 1 })
  // Both have the same deadline, however busy the machine is.
  const [first, second] = log.appendEach([[record(topics, 'sent, perhaps', 0)], [record(topics, 'never sent', 0)]])
  await t.rejects(first ?? Promise.resolve(), OutcomeUnknown, 'the first was tried')
  await t.rejects(second ?? Promise.resolve(), QueueFull, 'the second waited out its time behind it')
  t.notOk(log.healthy())
  proxy.refuse(false)
  let tries = 0
  const taken = await until('the log to take records again', () => {
    const value = `again ${++tries}`
    return log.append([record(topics, value, 0)]).then(
      () => value,
      () => null
    )
  })
  t.ok(log.healthy())
  await log.close()
  await t.rejects(log.append([record(topics, 'late', 0)]), QueueFull)
  const found = counts((await readAll(topics, TOPIC)).map(text))
  t.equal(found['never sent'], undefined, 'a clean refusal is never on the log')
  t.equal(found[taken], 1)
})

t.test('closing with a silent broker ends by the deadline and makes open calls unknown', { buffered: true }, async (t) => {
  const topics = await ownTopics(t, [TOPIC])
  const proxy = await startKafkaProxy(target(topics.brokers), { reply: ({ apiKey }) => (apiKey === PRODUCE ? 'hold' : 'pass') })
  t.teardown(() => proxy.close())
  const { log } = ours(topics, proxy.port, { deadlineMs: 400 })
  const call = log.append([record(topics, 'B', 0)])
  const settled = call.then(
    () => 'acknowledged',
    (error: unknown) => error
  )
  await log.close()
  t.ok((await settled) instanceof OutcomeUnknown)
  t.equal(log.depth(), 0)
})

t.test('through faulty connections accepted records are stored once and keys keep their order', { buffered: true }, async (t) => {
  const TOPIC = 'alerts.inbound.v1'
  const topics = await ownTopics(t, [TOPIC])
  const seed = Date.now() % 2 ** 31
  t.comment(`seed ${seed}`)
  let state = seed
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x7fffffff
  }
  const lost = { requests: 0, replies: 0 }
  const plans = ['cut', 'tear', 'hold'] as const
  let faulty = true
  const proxy = await startKafkaProxy(target(topics.brokers), {
    request: ({ apiKey, link }) => {
      if (!faulty || apiKey !== PRODUCE || random() > 0.1) return 'pass'
      lost.requests++
      link.cut()
      return 'drop'
    },
    reply: ({ apiKey }) => {
      if (!faulty || random() > (apiKey === PRODUCE ? 0.25 : 0.02)) return 'pass'
      lost.replies++
      return plans[Math.floor(random() * 2.2)] ?? 'cut'
    }
  })
  t.teardown(() => proxy.close())
  const { log, replaced } = ours(topics, proxy.port, { deadlineMs: 1200 })
  const accepted: string[] = []
  const unsent: string[] = []
  const keys = ['k0', 'k1', 'k2', 'k3', 'k4']
  await Promise.all(
    keys.map(async (key) => {
      for (let index = 0; index < 60 || lost.replies <= 10 || lost.requests <= 3; index++) {
        const values = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, part) => `${key}:${index}.${part}`)
        try {
          await log.append(values.map((value) => ({ topic: topics.real(TOPIC), key, value: Buffer.from(value) })))
          accepted.push(...values)
        } catch (error) {
          if (error instanceof QueueFull) unsent.push(...values)
          else if (!(error instanceof OutcomeUnknown)) throw error
        }
      }
    })
  )
  faulty = false
  await log.close()
  t.ok(
    lost.replies > 10 && lost.requests > 3,
    `${lost.replies} replies and ${lost.requests} requests were lost, ${replaced.length} producer ids given up`
  )
  const records = await readAll(topics, TOPIC)
  const found = counts(records.map(text))
  t.same(
    accepted.filter((value) => found[value] !== 1),
    [],
    `${accepted.length} accepted`
  )
  t.same(
    unsent.filter((value) => found[value]),
    [],
    'refused'
  )
  t.same(
    Object.entries(found).filter(([, count]) => count > 1),
    [],
    'twice'
  )
  for (const key of keys) {
    const own = accepted.filter((value) => value.startsWith(`${key}:`))
    const wanted = new Set(own)
    const stored = records.filter((one) => one.key === key).map(text)
    t.same(
      stored.filter((value) => wanted.has(value)),
      own,
      `order of ${key}`
    )
    t.ok(records.every((one) => one.key !== key || one.partition === partitionOf(key, 12)))
  }
})

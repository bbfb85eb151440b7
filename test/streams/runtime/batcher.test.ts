/**
 * Tests the batcher with a sender that the test controls: what is sent when, what is refused, and
 * that every call is answered exactly once.
 */
import fc from 'fast-check'
import t from 'tap'
import { type BatcherOptions, BatchRefused, type BatchSender, createBatcher } from '../../../streams/runtime/batcher.ts'
import { OutcomeUnknown, type OutRecord, QueueFull, RecordRefused } from '../../../streams/runtime/stream.ts'
import { until } from '../../harness/until.ts'

const record = (key: string, value = key, bytes = 0): OutRecord => ({ topic: 'dlq.v1', key, value: Buffer.from(value.padEnd(bytes)) })
const values = (records: readonly OutRecord[]): string[] => records.map(({ value }) => value?.toString().trim() ?? '')

interface Sent {
  values: string[]
  records: readonly OutRecord[]
  deadline: number
  resolve(): void
  reject(error: Error): void
}

/** A sender that answers when the test says so. */
function scripted(options: BatcherOptions = {}) {
  const sent: Sent[] = []
  let atOnce = false
  let together = 0
  let most = 0
  let closed = 0
  const sender: BatchSender = {
    produce: (records, deadline) =>
      new Promise((resolve, reject) => {
        together += 1
        most = Math.max(most, together)
        const end =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            together -= 1
            settle(value)
          }
        const one = { values: values(records), records, deadline, resolve: end(() => resolve()) as () => void, reject: end(reject) }
        sent.push(one)
        if (atOnce) one.resolve()
      }),
    close: async () => {
      closed += 1
      for (const one of sent) one.reject(new Error('closed'))
    }
  }
  const log = createBatcher(sender, options)
  const nth = (index: number): Promise<Sent> => until(`batch ${index}`, () => sent[index])
  /**
   * Answers every batch at once from now on, so that no deadline of a test expires between a batch
   * and its answer.
   */
  const answerAtOnce = (): void => {
    atOnce = true
  }
  return { log, sent, nth, answerAtOnce, most: () => most, closed: () => closed }
}

const outcome = (call: Promise<void>): Promise<string> =>
  call.then(
    () => 'acknowledged',
    (error: Error) => error.name
  )

t.test('one batch is in flight, and records that arrive meanwhile form the next', async (t) => {
  const { log, sent, nth, most } = scripted()
  const calls = ['a', 'b', 'c'].map((key) => log.append([record(key)]))
  t.same(
    sent.map((batch) => batch.values),
    [['a']],
    'the first leaves at once, without a linger'
  )
  t.equal(log.depth(), 3)
  sent[0]?.resolve()
  await calls[0]
  t.same((await nth(1)).values, ['b', 'c'])
  calls.push(log.append([record('d')]))
  sent[1]?.resolve()
  ;(await nth(2)).resolve()
  await Promise.all(calls)
  t.same(sent[2]?.values, ['d'])
  t.equal(most(), 1, 'never two at once')
  t.equal(log.depth(), 0)
  await log.close()
})

t.test('records are sent in the order of the append calls', async (t) => {
  const { log, sent, nth } = scripted({ batchRecords: 3 })
  const all = Array.from({ length: 10 }, (_, index) => `v${index}`)
  const calls = all.map((value) => log.append([record('k', value)]))
  for (let batch = 0; sent.flatMap((one) => one.values).length < all.length || batch < sent.length; batch++) (await nth(batch)).resolve()
  await Promise.all(calls)
  t.same(
    sent.flatMap((batch) => batch.values),
    all
  )
  await log.close()
})

t.test('limits of a batch', async (t) => {
  t.test('a call above the record limit is sent in several batches and settles with the last', async (t) => {
    const { log, sent, nth } = scripted({ batchRecords: 4 })
    const call = log.append(Array.from({ length: 10 }, (_, index) => record(`r${index}`)))
    let settled = false
    void call.then(() => {
      settled = true
    })
    ;(await nth(0)).resolve()
    ;(await nth(1)).resolve()
    await nth(2)
    t.notOk(settled)
    sent[2]?.resolve()
    await call
    t.same(
      sent.map((batch) => batch.values.length),
      [4, 4, 2]
    )
    await log.close()
  })

  t.test('a batch is limited in bytes, except for one record that is larger', async (t) => {
    const { log, sent, nth } = scripted({ batchBytes: 10_000 })
    const sizes = [100, 4000, 4000, 4000, 50_000, 100]
    const calls = sizes.map((bytes, index) => log.append([record(`r${index}`, `r${index}`, bytes)]))
    for (let batch = 0; batch < 5; batch++) {
      ;(await nth(batch)).resolve()
      if (sent.flatMap((one) => one.values).length === sizes.length) break
    }
    sent.at(-1)?.resolve()
    await Promise.all(calls)
    t.same(
      sent.map((batch) => batch.values),
      [['r0'], ['r1', 'r2'], ['r3'], ['r4'], ['r5']]
    )
    await log.close()
  })

  t.test('a batch size of 0 or above 1,000 records is rejected', async (t) => {
    t.throws(() => createBatcher({ produce: async () => undefined, close: async () => undefined }, { batchRecords: 1001 }), RangeError)
    t.throws(() => createBatcher({ produce: async () => undefined, close: async () => undefined }, { batchRecords: 0 }), RangeError)
  })
})

t.test('limits of the queue', async (t) => {
  t.test('a full queue refuses a call by its number of records', async (t) => {
    const { log, sent, nth } = scripted({ queueRecords: 3 })
    const first = log.append([record('in flight')])
    const calls = [log.append([record('a')]), log.append([record('b')])]
    await t.rejects(log.append([record('c'), record('d')]), QueueFull, 'two do not fit in place of one')
    t.equal(log.depth(), 3)
    calls.push(log.append([record('e')]))
    await t.rejects(log.append([record('f')]), QueueFull)
    sent[0]?.resolve()
    const second = await nth(1)
    t.same(second.values, ['a', 'b', 'e'])
    calls.push(log.append([record('g')]))
    second.resolve()
    ;(await nth(2)).resolve()
    await Promise.all([first, ...calls])
    t.same(sent[2]?.values, ['g'], 'there is room again')
    await log.close()
  })

  t.test('a full queue refuses a call by its bytes', async (t) => {
    const { log, sent, nth } = scripted({ queueBytes: 10_000 })
    const first = log.append([record('in flight')])
    const call = log.append([record('a', 'a', 6000)])
    await t.rejects(log.append([record('b', 'b', 6000)]), QueueFull)
    const small = log.append([record('c', 'c', 1000)])
    sent[0]?.resolve()
    const second = await nth(1)
    t.same(second.values, ['a', 'c'])
    const after = log.append([record('b', 'b', 6000)])
    second.resolve()
    ;(await nth(2)).resolve()
    await Promise.all([first, call, small, after])
    await log.close()
  })

  t.test('dropped and sent records free their room in the queue', async (t) => {
    const { log, sent, nth } = scripted({ queueRecords: 5, batchRecords: 2, deadlineMs: 60 })
    for (let round = 0; round < 8; round++) {
      const before = sent.length
      const first = outcome(log.append([record('x')]))
      const others = outcome(log.append([record('a'), record('b'), record('c'), record('d'), record('e')]))
      t.equal(await first, 'OutcomeUnknown')
      t.equal(await others, 'QueueFull')
      ;(await nth(before)).reject(new OutcomeUnknown('given up'))
      await until('an empty queue', () => log.depth() === 0)
    }
    await log.close()
  })
})

t.test('records without a key or above the size limit are refused before anything is sent', async (t) => {
  const { log, sent } = scripted()
  await t.rejects(log.append([record('fine'), record('')]), RecordRefused, 'without a key')
  await t.rejects(log.append([record('fine'), record('k', 'k', 1_000_001)]), RecordRefused, 'too large')
  t.same(sent, [])
  t.equal(log.depth(), 0)
  await log.append([])
  await log.close()
})

t.test('the deadline of a call', async (t) => {
  t.test('a call whose deadline passes in the queue is refused and never sent', async (t) => {
    const { log, sent, answerAtOnce } = scripted({ deadlineMs: 80 })
    const first = log.append([record('in flight')])
    const second = log.append([record('late')])
    await t.rejects(first, OutcomeUnknown, 'sent and not answered')
    await t.rejects(second, QueueFull, 'not sent')
    t.notOk(log.healthy())
    answerAtOnce()
    sent[0]?.reject(new OutcomeUnknown('given up'))
    await log.append([record('next')])
    t.same(sent[1]?.values, ['next'])
    t.ok(log.healthy())
    await log.close()
  })

  t.test('a queue deadline applies even when the event loop was blocked', async (t) => {
    const { log, sent, answerAtOnce } = scripted({ deadlineMs: 50 })
    const first = outcome(log.append([record('in flight')]))
    const second = outcome(log.append([record('late')]))
    for (const end = Date.now() + 60; Date.now() < end; );
    answerAtOnce()
    sent[0]?.resolve()
    t.equal(await first, 'acknowledged')
    t.equal(await second, 'QueueFull')
    t.equal(sent.length, 1, 'it was not sent')
    t.equal(log.depth(), 0)
    await log.close()
  })

  t.test('the deadline of a call counts from append', async (t) => {
    const { log, sent, nth } = scripted({ deadlineMs: 2000 })
    const first = log.append([record('first')])
    const second = log.append([record('second')])
    await until('half the time to pass', () => (sent[0]?.deadline ?? 0) - Date.now() < 1000)
    sent[0]?.resolve()
    await first
    t.ok((await nth(1)).deadline >= (sent[0]?.deadline ?? 0) + 1000, 'the sender has its whole time')
    await t.rejects(second, OutcomeUnknown, 'the caller is answered by its own')
    t.equal(log.depth(), 1, 'while the sender still tries')
    sent[1]?.resolve()
    await log.close()
  })

  t.test('the deadline ends a half-sent call, and its other records are not sent', async (t) => {
    const { log, sent, answerAtOnce } = scripted({ deadlineMs: 80, batchRecords: 2 })
    const call = log.append(['a', 'b', 'c', 'd'].map((key) => record(key)))
    t.equal(sent.length, 1)
    await t.rejects(call, { name: 'OutcomeUnknown', acknowledged: 0 })
    answerAtOnce()
    const next = log.append([record('e')])
    sent[0]?.resolve()
    await next
    t.same(sent[1]?.values, ['e'])
    await log.close()
  })
})

t.test('a failed batch', async (t) => {
  t.test('a failed batch makes its calls unknown, and their other records are not sent', async (t) => {
    const failures: unknown[] = []
    const { log, sent, nth } = scripted({ batchRecords: 2, onFailure: (error) => failures.push(error) })
    const call = log.append(['a', 'b', 'c'].map((key) => record(key)))
    const other = log.append([record('d')])
    sent[0]?.reject(new TypeError('a bug'))
    await t.rejects(call, OutcomeUnknown)
    t.notOk(log.healthy())
    t.same((await nth(1)).values, ['d'])
    sent[1]?.resolve()
    await other
    t.ok(log.healthy())
    t.equal(failures.length, 1)
    await log.close()
  })

  t.test('the error says how many of the first records are acknowledged', async (t) => {
    const { log, sent, nth } = scripted({ batchRecords: 2 })
    const before = log.append([record('a')])
    const call = log.append(['b', 'c', 'd', 'e', 'f', 'g'].map((key) => record(key)))
    const after = log.append([record('h')])
    for (const index of [0, 1, 2]) (await nth(index)).resolve()
    ;(await nth(3)).reject(new OutcomeUnknown('no answer'))
    t.same(sent.map((batch) => batch.values).slice(1), [
      ['b', 'c'],
      ['d', 'e'],
      ['f', 'g']
    ])
    await before
    await t.rejects(call, { name: 'OutcomeUnknown', acknowledged: 4 })
    ;(await nth(4)).resolve()
    await after
    await log.close()
  })

  t.test('a refused batch is halved until only bad records fail, and nothing is stored twice', async (t) => {
    const stored: string[] = []
    const sends: string[][] = []
    const bad = new Set(['v3', 'v11'])
    const sender: BatchSender = {
      async produce(records) {
        sends.push(values(records))
        // Refuses by partition, as a broker does: even numbers are in one partition, odd ones in
        // the other.
        const refused = [0, 1].flatMap((parity) => {
          const own = records.filter((one) => Number(values([one])[0]?.slice(1)) % 2 === parity)
          if (own.some((one) => bad.has(values([one])[0] ?? ''))) return own
          stored.push(...values(own))
          return []
        })
        if (refused.length > 0) throw new BatchRefused('INVALID_RECORD', refused, false)
      },
      close: async () => undefined
    }
    const log = createBatcher(sender)
    const all = Array.from({ length: 16 }, (_, index) => `v${index}`)
    const warm = log.append([record('w', 'v100')])
    const results = await Promise.all(all.map((value) => outcome(log.append([record('k', value)]))))
    await warm
    t.same(
      all.filter((_, index) => results[index] !== 'acknowledged'),
      ['v3', 'v11']
    )
    t.same([...new Set(results)].sort(), ['RecordRefused', 'acknowledged'])
    t.equal(new Set(stored).size, stored.length, 'nothing twice')
    t.equal(stored.length, 15)
    t.same(
      stored.filter((value) => Number(value.slice(1)) % 2 === 1),
      ['v1', 'v5', 'v7', 'v9', 'v13', 'v15'],
      'the order of a partition stays'
    )
    t.ok(log.healthy())
    await log.close()
  })

  t.test('a batch that names its refused records is not halved', async (t) => {
    const { log, sent, nth } = scripted()
    const first = log.append([record('w')])
    const calls = ['a', 'b', 'c'].map((key) => outcome(log.append([record(key)])))
    sent[0]?.resolve()
    await first
    const batch = await nth(1)
    batch.reject(new BatchRefused('no topic', batch.records.slice(0, 2), true))
    t.same(await Promise.all(calls), ['RecordRefused', 'RecordRefused', 'acknowledged'])
    t.equal(sent.length, 2)
    await log.close()
  })
})

t.test('closing the batcher', async (t) => {
  t.test('closing sends the queued records and then ends the producer', async (t) => {
    const { log, sent, nth, closed } = scripted({ batchRecords: 2 })
    const calls = ['a', 'b', 'c', 'd', 'e'].map((key) => log.append([record(key)]))
    const closing = log.close()
    await t.rejects(log.append([record('late')]), QueueFull)
    t.equal(closed(), 0)
    for (let batch = 0; batch < 3; batch++) (await nth(batch)).resolve()
    await Promise.all([...calls, closing])
    t.same(
      sent.flatMap((batch) => batch.values),
      ['a', 'b', 'c', 'd', 'e']
    )
    t.equal(closed(), 1)
  })

  t.test('closing ends by the deadline: sent records are unknown and unsent ones refused', async (t) => {
    const { log, sent, closed } = scripted({ batchRecords: 2, deadlineMs: 60 })
    const half = outcome(log.append(['a', 'b', 'c'].map((key) => record(key))))
    const unsent = outcome(log.append([record('d')]))
    await log.close()
    t.equal(await half, 'OutcomeUnknown', 'some of it went out')
    t.equal(await unsent, 'QueueFull')
    t.equal(sent.length, 1)
    t.equal(closed(), 1)
  })
})

t.test('a busy batcher collects records, and an idle one sends each at once', async (t) => {
  const batches: number[] = []
  const sender: BatchSender = { produce: async (records) => void batches.push(records.length), close: async () => undefined }
  const log = createBatcher(sender, { lingerAboveRate: 100 })
  await log.append([record('idle')])
  t.same(batches, [1])
  const end = Date.now() + 300 // The rate is measured over a quarter of a second.
  for (let calls = 0; Date.now() < end || calls < 200; calls++) await log.append([record('a'), record('b')])
  batches.length = 0
  await Promise.all(Array.from({ length: 50 }, () => Promise.resolve().then(() => log.append([record('c')]))))
  t.same(batches, [50], 'one batch, though the appends came one by one')
  await log.close()
})

t.test('each call gets one true answer whatever the sender does', async (t) => {
  const step = fc.record({ records: fc.integer({ min: 1, max: 9 }), wait: fc.boolean(), bytes: fc.constantFrom(1, 200, 3000) })
  const answer = fc.constantFrom('ok', 'ok', 'ok', 'unknown', 'bug', 'refuse', 'lost')
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      fc.array(answer, { minLength: 1, maxLength: 12 }),
      async (steps, answers) => {
        const stored = new Map<string, number>()
        let turn = 0
        let together = 0
        const sender: BatchSender = {
          async produce(records) {
            if (++together > 1) throw new Error('two in flight')
            await new Promise((resolve) => setImmediate(resolve))
            together -= 1
            const how = answers[turn++ % answers.length]
            // The record itself is the reason for the refusal, so a repeat is refused, too.
            const bad = how === 'refuse' ? records.filter((one) => values([one])[0]?.endsWith('3')) : []
            const store = (some: readonly OutRecord[]) => {
              for (const value of values(some)) stored.set(value, (stored.get(value) ?? 0) + 1)
            }
            if (how === 'unknown') throw new OutcomeUnknown('no answer')
            if (how === 'bug') throw new TypeError('a bug')
            if (how === 'lost') {
              store(records)
              throw new OutcomeUnknown('the answer was lost')
            }
            store(records.filter((one) => !bad.includes(one)))
            if (bad.length > 0) throw new BatchRefused('INVALID_RECORD', bad, false)
          },
          close: async () => undefined
        }
        const log = createBatcher(sender, { batchRecords: 4, batchBytes: 5000, queueRecords: 30, queueBytes: 40_000 })
        let answered = 0
        const calls: { own: string[]; result: Promise<string>; acknowledged(): number }[] = []
        for (const [index, { records, wait, bytes }] of steps.entries()) {
          const own = Array.from({ length: records }, (_, part) => `c${index}.${part}`)
          const call = log.append(own.map((value) => record('k', value, bytes)))
          const result = outcome(call)
          let acknowledged = 0
          call.catch((error: unknown) => {
            if (error instanceof OutcomeUnknown) acknowledged = error.acknowledged
          })
          void result.then(() => {
            answered += 1
          })
          calls.push({ own, result, acknowledged: () => acknowledged })
          if (wait) await result
        }
        for (const { own, result, acknowledged } of calls) {
          const said = await result
          const there = own.map((value) => stored.get(value) ?? 0)
          if (said === 'acknowledged' && there.some((count) => count !== 1)) throw new Error(`acknowledged, stored ${there}`)
          if (there.slice(0, acknowledged()).some((count) => count !== 1))
            throw new Error(`${acknowledged()} acknowledged, stored ${there}`)
          if (said === 'QueueFull' && there.some((count) => count !== 0)) throw new Error(`refused, stored ${there}`)
          if (there.some((count) => count > 1)) throw new Error(`stored ${there}`)
        }
        await log.close()
        if (answered !== steps.length) throw new Error(`${answered} of ${steps.length} calls answered`)
        if (log.depth() !== 0) throw new Error(`${log.depth()} left`)
      }
    ),
    { numRuns: 200 }
  )
  t.pass()
})

t.test('a wall clock that jumps does not end a call early', async (t) => {
  const { log, sent, nth } = scripted({ deadlineMs: 60_000 })
  const under = log.append([record('a')])
  const waiting = log.append([record('b')])
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + 120_000
  sent[0]?.resolve()
  await under
  // The batcher takes it out of the queue after the clock has jumped.
  ;(await nth(1)).resolve()
  t.equal(await outcome(waiting), 'acknowledged')
  t.ok((sent[1]?.deadline ?? 0) < now() + 90_000, 'nor does a batch get more time')
  await log.close() // Its timers would hold the process for the minute.
})

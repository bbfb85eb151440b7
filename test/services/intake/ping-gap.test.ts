/**
 * Tests of the ping door's promise when the log fails: before the next ping that it accepts, there
 * is one gap on every partition, and it spans everything that the door refused. They use a real
 * broker behind a proxy that cuts or delays, and the state machine alone with a fake log.
 */
import { pino } from 'pino'
import t, { type Test } from 'tap'
import type { DoorGap } from '../../../schemas/generated/events.ts'
import { createGapKeeper, type GapKeeper, type GapLimits } from '../../../services/intake/pings/gap.ts'
import { OutcomeUnknown, type OutRecord, QueueFull } from '../../../streams/runtime/stream.ts'
import { localCodec } from '../../harness/codec.ts'
import { PRODUCE } from '../../harness/tcp-proxy.ts'
import { until } from '../../harness/until.ts'
import { watchStand } from './watch-stand.ts'

t.jobs = 3

const codec = localCodec()
const partitions = Array.from({ length: 12 }, (_, partition) => partition)

interface Stand {
  gap: GapKeeper
  /** The attempts to write a gap: each has one DoorGap, and a function that settles it. */
  attempts: { value: DoorGap; records: readonly OutRecord[]; settle(error?: Error): void }[]
  health(well: boolean): void
  closed(): number
  written: DoorGap[]
}

function stand(t: Test, limits: Partial<GapLimits> = {}): Stand {
  const attempts: Stand['attempts'] = []
  const written: DoorGap[] = []
  let well = true
  let closings = 0
  const gap = createGapKeeper({
    log: {
      healthy: () => well,
      append: (records) =>
        new Promise((resolve, reject) => {
          const value = codec.decode('DoorGap', records[0]?.value ?? Buffer.alloc(0))
          attempts.push({ value, records, settle: (error) => (error ? reject(error) : resolve()) })
        })
    },
    codec,
    instance: 'door-1',
    boot: '0198e000-0000-4000-8000-00000000000b',
    logger: pino({ level: 'silent' }),
    onClosed: () => {
      closings += 1
    },
    onWritten: (gap) => written.push(gap),
    limits: { pauseMs: 5, watchMs: 5, rollMs: 20, ...limits }
  })
  t.teardown(async () => {
    const ended = gap.close()
    for (const attempt of attempts) attempt.settle()
    await ended
  })
  const health = (now: boolean): void => {
    well = now
  }
  return { gap, attempts, health, closed: () => closings, written }
}

const attempt = (stand: Stand, nth: number) => until(`attempt ${nth + 1}`, () => stand.attempts[nth])
const ticks = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60))

/** Converts a wall-clock time to the matching time of performance.now(). */
const mono = (wall: number): number => wall - Date.now() + performance.now()

t.test('an unconfirmed ping closes the ping door until the gap is acknowledged', async (t) => {
  const made = stand(t)
  const { gap, closed, written } = made
  t.ok(gap.isOpen())
  const from = Date.now() - 5000
  gap.notConfirmed(from, new OutcomeUnknown('x'), mono(from))
  t.notOk(gap.isOpen())
  gap.notConfirmed(from - 10, new QueueFull('x'), mono(from - 10))
  gap.notConfirmed(from + 10, new QueueFull('x'), mono(from + 10))
  const first = await attempt(made, 0)
  t.same(
    first.records.map(({ partition, key, topic, headers }) => [topic, partition, key, headers?.event_type]),
    partitions.map((partition) => ['heartbeat.pings.v1', partition, 'door-1', 'door_gap'])
  )
  t.equal(new Set(first.records.map(({ headers }) => headers?.event_id)).size, 1)
  first.settle(new OutcomeUnknown('still away'))
  const second = await attempt(made, 1)
  t.notOk(gap.isOpen())
  t.equal(second.value.from, from - 10, 'the earliest of them')
  t.equal(second.value.reason, 'unconfirmed', 'what came first')
  t.ok(second.value.to >= Date.now(), 'what is refused until the answer lies inside')
  t.not(second.value.event_id, first.value.event_id)
  second.settle()
  await until('the door to open', () => gap.isOpen())
  t.equal(closed(), 1)
  t.same(written, [second.value])
  gap.notConfirmed(second.value.from + 20, new OutcomeUnknown('x'), mono(second.value.from + 20))
  t.ok(gap.isOpen(), 'a ping that was under way when it closed is inside the gap')
  gap.notConfirmed(Date.now() + 1, new QueueFull('x'), mono(Date.now() + 1))
  t.notOk(gap.isOpen(), 'a later one is not')
  const third = await attempt(made, 2)
  t.equal(third.value.reason, 'refused')
  third.settle()
  await until('the door to open again', () => gap.isOpen())
})

t.test('a log reported as failing closes the ping door, with a gap since it last worked', async (t) => {
  const created = Date.now()
  const made = stand(t)
  await ticks()
  const before = Date.now()
  made.health(false)
  const { value, settle } = await attempt(made, 0)
  t.notOk(made.gap.isOpen())
  t.ok(value.from > created && value.from <= before, 'not since ever')
  t.equal(value.reason, 'refused')
  made.health(true)
  settle()
  await until('the door to open', () => made.gap.isOpen())
  await ticks()
  t.equal(made.attempts.length, 1)
})

t.test('when look-ups fail the ping door stays open and writes one gap after another', async (t) => {
  const made = stand(t)
  const { gap } = made
  const from = Date.now()
  gap.notLookedUp(from)
  const first = await attempt(made, 0)
  t.ok(gap.isOpen())
  t.equal(first.value.from, from)
  first.settle()
  await until('it to be written', () => made.written.length === 1)
  const again = Date.now()
  gap.notLookedUp(again)
  gap.notLookedUp(again + 5)
  const second = await attempt(made, 1)
  t.equal(second.value.from, again)
  t.ok(second.value.from <= first.value.to, 'no instant between them')
  second.settle(new OutcomeUnknown('now the log, too'))
  await until('the door to close', () => !gap.isOpen())
  const third = await attempt(made, 2)
  t.equal(third.value.from, again)
  third.settle()
  await until('the door to open', () => gap.isOpen())
  await ticks()
  t.equal(made.attempts.length, 3, 'and no more when nothing is refused')
})

t.test('an unconfirmed ping from before the gap being written gets a gap of its own', async (t) => {
  const made = stand(t)
  const { gap } = made
  const at = Date.now()
  gap.notLookedUp(at)
  const first = await attempt(made, 0)
  gap.notConfirmed(at - 3000, new OutcomeUnknown('x'), mono(at - 3000))
  first.settle()
  const second = await attempt(made, 1)
  t.notOk(gap.isOpen())
  t.equal(second.value.from, at - 3000)
  gap.notConfirmed(at - 4000, new OutcomeUnknown('x'), mono(at - 4000))
  second.settle()
  const third = await attempt(made, 2)
  t.notOk(gap.isOpen())
  t.equal(third.value.from, at - 4000)
  third.settle()
  await until('the door to open', () => gap.isOpen())
})

t.test('a gap acknowledged after its own end does not open the ping door', async (t) => {
  const made = stand(t, { aheadMs: -1 })
  made.gap.notConfirmed(Date.now() - 10, new OutcomeUnknown('x'), mono(Date.now() - 10))
  const first = await attempt(made, 0)
  first.settle()
  await attempt(made, 1)
  t.notOk(made.gap.isOpen())
})

t.test('a ping door that shuts down tries once more to write its gap', async (t) => {
  const made = stand(t, { pauseMs: 60_000 })
  made.gap.notConfirmed(1, new OutcomeUnknown('x'), mono(1))
  const first = await attempt(made, 0)
  first.settle(new OutcomeUnknown('x'))
  await ticks()
  const ended = made.gap.close()
  const last = await attempt(made, 1)
  last.settle()
  await ended
  t.equal(made.written.length, 1)
})

t.test('a broker outage puts one gap on every partition, over all refused pings', async (t) => {
  const made = await watchStand(t)
  const { url, kafka, stream, pings, gaps } = made
  const beat = await made.heartbeat()
  const ping = (action: string) => fetch(`${url}/ping/${beat.token}/${action}`)
  t.equal((await ping('1')).status, 200)
  kafka.refuse(true)
  kafka.cutAll()
  const from = Date.now()
  const refused = await ping('2')
  t.equal(refused.status, 503)
  t.match(refused.headers.get('retry-after'), /^[1-9]/)
  t.match(await refused.json(), { code: 'UNAVAILABLE' })
  const at = Date.now()
  t.match(await (await ping('3')).json(), { error: /nothing is missed for it/ }, 'refused at once')
  t.equal((await fetch(`${url}/ping/00000000-0000-4000-8000-000000000000`)).status, 404, 'an unknown token is unknown still')
  t.match(await made.metrics(), /service_intake_ping_door_open 0/)
  const last = Date.now()
  kafka.refuse(false)
  await until('the door to open', async () => (await made.metrics()).includes('service_intake_ping_door_open 1'), 30_000)
  const accepted = await ping('4')
  t.same([accepted.status, await accepted.text()], [200, 'OK'])
  await until('the ping', () => pings().some(({ value }) => value.exit_code === 4))
  await until('all gaps', () => gaps().length >= 12)

  t.same(
    pings().map(({ value }) => value.exit_code),
    [1, 4],
    'what was refused is not there'
  )
  const found = gaps()
  t.same(
    found.map(({ partition }) => partition).sort((one, other) => one - other),
    partitions,
    'exactly one on each partition'
  )
  t.equal(new Set(found.map(({ value }) => value.event_id)).size, 1)
  for (const { value, key, headers } of found) {
    t.equal(key, 'door-1')
    t.match(headers, { event_type: 'door_gap', event_id: value.event_id })
    t.ok(value.from >= from && value.from <= at, 'from the first that was not taken')
    t.ok(value.to >= last, 'to after the last that was refused')
    t.match(value, { instance: 'door-1', reason: 'unconfirmed' })
  }
  const mine = stream.partitionOf('heartbeat.pings.v1', beat.heartbeat_id)
  const [one, four] = pings()
  const gap = found.find(({ partition }) => partition === mine)
  t.ok(one && gap && four && one.offset < gap.offset && gap.offset < four.offset, 'before the next ping that was accepted')
  t.match(await made.metrics(), /service_intake_door_gaps_total\{reason="unconfirmed"\} 1/)
})

t.test('a ping whose acknowledgement is lost gets 503, is stored once and lies in a gap', async (t) => {
  let holding = false
  const made = await watchStand(t, {
    reply: ({ apiKey, body }) => (holding && apiKey === PRODUCE && !body.includes('door_gap') ? 'hold' : 'pass')
  })
  const { url, pings, gaps } = made
  const beat = await made.heartbeat()
  t.equal((await fetch(`${url}/ping/${beat.token}/1`)).status, 200)
  holding = true
  const answer = await fetch(`${url}/ping/${beat.token}/2`)
  holding = false
  t.equal(answer.status, 503)
  t.match(await answer.json(), { error: /may or may not be stored/ })
  await until('the door to open', async () => (await fetch(`${url}/ping/${beat.token}/3`)).status === 200, 30_000)
  await until('the last', () => pings().some(({ value }) => value.exit_code === 3))
  t.same(
    pings().map(({ value }) => value.exit_code),
    [1, 2, 3],
    'it was stored, once'
  )
  t.same(
    gaps()
      .map(({ partition }) => partition)
      .sort((one, other) => one - other),
    partitions
  )
  const unconfirmed = pings()[1]?.value.received_at ?? 0
  for (const { value } of gaps()) t.equal(value.from, unconfirmed)
})

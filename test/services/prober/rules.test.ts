/**
 * Tests of the pure parts of a prober: slots, shares, the buffer, retries, settings and the hosts
 * file.
 */

import fc from 'fast-check'
import t from 'tap'
import { uuidv4, uuidv5 } from '../../../schemas/uuid.ts'
import { parseHosts } from '../../../services/http/resolve.ts'
import { backOff } from '../../../services/prober/back-off.ts'
import { ResultBuffer } from '../../../services/prober/buffer.ts'
import { retryWait } from '../../../services/prober/check.ts'
import { checkId, DueQueue, nextSlot, slotOffset } from '../../../services/prober/schedule.ts'
import { readProberSettings } from '../../../services/prober/settings.ts'
import { ownerOf } from '../../../services/prober/share.ts'
import { ConfigError } from '../../../services/process/config.ts'

const ids = Array.from({ length: 6000 }, (_, n) => uuidv5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', String(n)))

t.test('slots of checks', async (t) => {
  t.test('the next slot is at most one interval ahead, at the offset of the monitor', async () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 10, max: 86_400 }), fc.uuid(), (instant, seconds, id) => {
        const interval = seconds * 1000
        const offset = slotOffset(id, interval)
        const slot = nextSlot(instant, interval, offset)
        return (
          slot > instant && slot <= instant + interval && slot % interval === offset && nextSlot(slot, interval, offset) === slot + interval
        )
      })
    )
  })
  t.test('slots are spread evenly over the interval', async (t) => {
    const buckets = new Array<number>(60).fill(0)
    for (const id of ids) {
      const second = Math.floor(slotOffset(id, 60_000) / 1000)
      buckets[second] = (buckets[second] ?? 0) + 1
    }
    // 100 are expected in each; the bounds are five standard deviations.
    t.ok(Math.min(...buckets) > 50 && Math.max(...buckets) < 150, `${Math.min(...buckets)} to ${Math.max(...buckets)}`)
  })
  t.test('a check id stays the same for a repeat, and differs between regions and slots', async (t) => {
    const [id = ''] = ids
    t.equal(checkId(id, 'eu-west', 1000), checkId(id, 'eu-west', 1000))
    t.equal(new Set([checkId(id, 'eu-west', 1000), checkId(id, 'us-east', 1000), checkId(id, 'eu-west', 2000)]).size, 3)
  })
  t.test('the queue returns due items by time, then in the order of adding', async () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (instants) => {
        const queue = new DueQueue<number>()
        for (const [order, at] of instants.entries()) queue.put(at, order)
        const taken: [number, number][] = []
        for (let due = queue.take(100); due; due = queue.take(100)) taken.push([due.at, due.item])
        const sorted = [...instants.entries()].map(([order, at]): [number, number] => [at, order]).sort(([a, i], [b, j]) => a - b || i - j)
        return JSON.stringify(taken) === JSON.stringify(sorted) && queue.size === 0
      })
    )
  })
  t.test('the queue returns no item before its time', async (t) => {
    const queue = new DueQueue<string>()
    queue.put(10, 'a')
    t.equal(queue.take(9), null)
    t.equal(queue.firstAt, 10)
    t.same(queue.take(10), { at: 10, item: 'a' })
    t.equal(queue.firstAt, null)
  })
})

t.test('shares of probers', async (t) => {
  const live = (...names: string[]) => names.map((instance_id) => ({ instance_id, kinds: ['http'] }))
  const shares = (...names: string[]) => new Map(ids.map((id) => [id, ownerOf(id, 'http', live(...names))]))
  t.test('each monitor has one owner, whatever the order of the list, and shares are even', async (t) => {
    const forward = shares('a', 'b', 'c')
    t.same([...forward], [...shares('c', 'a', 'b')])
    for (const name of ['a', 'b', 'c']) {
      const own = [...forward.values()].filter((owner) => owner === name).length
      t.ok(own > 1800 && own < 2200, `${name} has ${own} of 6,000`)
    }
  })
  t.test('a new prober takes its share, and no other monitor moves', async (t) => {
    const [before, after] = [shares('a', 'b', 'c'), shares('a', 'b', 'c', 'd')]
    const moved = ids.filter((id) => before.get(id) !== after.get(id))
    t.ok(moved.every((id) => after.get(id) === 'd'))
    t.ok(moved.length > 1300 && moved.length < 1700, `${moved.length} of 6,000 moved`)
  })
  t.test('a prober that leaves gives up its share, and no other monitor moves', async (t) => {
    const [before, after] = [shares('a', 'b', 'c'), shares('a', 'c')]
    t.ok(ids.every((id) => before.get(id) === 'b' || before.get(id) === after.get(id)))
  })
  t.test('probers with similar names have even shares', async (t) => {
    const own = [...shares('prober-eu-1', 'prober-eu-2').values()].filter((owner) => owner === 'prober-eu-1').length
    t.ok(own > 2700 && own < 3300, `${own} of 6,000`)
  })
  t.test('only a prober that knows the type of a monitor can own it', async (t) => {
    const mixed = [
      { instance_id: 'old', kinds: ['http'] },
      { instance_id: 'new', kinds: ['http', 'dns'] }
    ]
    t.ok(ids.every((id) => ownerOf(id, 'dns', mixed) === 'new'))
    t.equal(ownerOf(ids[0] ?? '', 'icmp', mixed), null)
    t.equal(ownerOf(ids[0] ?? '', 'http', []), null)
  })
})

t.test('the buffer of results', async (t) => {
  t.test('the buffer keeps the order, and keeps peeked results until their release', async (t) => {
    const buffer = new ResultBuffer({ count: 10, bytes: 1000 })
    for (const text of ['a', 'b', 'c']) t.equal(buffer.add(text), 0)
    const batch = buffer.peek(2, 1000)
    t.same(batch?.texts, ['a', 'b'])
    t.same(buffer.peek(2, 1000)?.texts, ['a', 'b'], 'again the same')
    buffer.add('d')
    buffer.release(batch?.last ?? 0)
    t.same(buffer.peek(9, 1000)?.texts, ['c', 'd'])
  })
  t.test('the buffer drops the oldest results by count and by bytes, and counts them', async (t) => {
    const byCount = new ResultBuffer({ count: 3, bytes: 1000 })
    t.same(
      [1, 2, 3, 4, 5].map((n) => byCount.add(String(n))),
      [0, 0, 0, 1, 1]
    )
    t.same(byCount.peek(9, 1000)?.texts, ['3', '4', '5'])
    t.equal(byCount.dropped, 2)
    const byBytes = new ResultBuffer({ count: 100, bytes: 10 })
    byBytes.add('xxxx')
    byBytes.add('yyyy')
    t.equal(byBytes.add('zzzzzzz'), 2)
    t.same([byBytes.size, byBytes.bytes], [1, 7])
  })
  t.test('the release of a partly dropped batch removes no newer result', async (t) => {
    const buffer = new ResultBuffer({ count: 2, bytes: 1000 })
    buffer.add('a')
    buffer.add('b')
    const batch = buffer.peek(2, 1000)
    buffer.add('c') // a goes
    buffer.release(batch?.last ?? 0)
    t.same(buffer.peek(9, 1000)?.texts, ['c'])
  })
  t.test('a result dropped while it is offered counts as lost only if it is not taken', async (t) => {
    for (const isTaken of [true, false]) {
      const buffer = new ResultBuffer({ count: 2, bytes: 1000 })
      buffer.add('a')
      buffer.add('b')
      const batch = buffer.peek(1, 1000)
      t.equal(buffer.add('c'), 0, 'a goes, and may have arrived')
      t.equal(buffer.add('d'), 1, 'b goes, and was not offered')
      if (isTaken) buffer.release(batch?.last ?? 0)
      t.equal(buffer.keep(), isTaken ? 0 : 1)
      t.equal(buffer.dropped, isTaken ? 1 : 2)
      t.same(buffer.peek(9, 1000)?.texts, ['c', 'd'])
    }
  })
  t.test('a batch is limited by bytes but holds at least one result', async (t) => {
    const buffer = new ResultBuffer({ count: 10, bytes: 1000 })
    for (const text of ['x'.repeat(100), 'y', 'z']) buffer.add(text)
    t.equal(buffer.peek(9, 10)?.texts.length, 1)
    t.equal(buffer.peek(9, 101)?.texts.length, 2)
  })
  t.test('the buffer counts bytes, not characters', async (t) => {
    const buffer = new ResultBuffer({ count: 10, bytes: 1000 })
    for (const text of ['€€', '€€', '€€']) buffer.add(text)
    t.equal(buffer.bytes, 18)
    const batch = buffer.peek(9, 12)
    t.equal(batch?.texts.length, 2)
    buffer.release(batch?.last ?? 0)
    t.equal(buffer.bytes, 6)
  })
  t.test('the buffer takes 100,000 results and returns them in order', async (t) => {
    const buffer = new ResultBuffer({ count: 1_000_000, bytes: 1e9 })
    for (let n = 0; n < 100_000; n++) buffer.add(String(n))
    let next = 0
    for (let batch = buffer.peek(500, 1e6); batch; batch = buffer.peek(500, 1e6)) {
      for (const text of batch.texts) if (text !== String(next++)) t.fail(`out of order at ${next}`)
      buffer.release(batch.last)
    }
    t.same([next, buffer.size, buffer.bytes], [100_000, 0, 0])
  })
})

t.test('pauses between attempts of each retry strategy', async (t) => {
  const retry = (strategy: 'none' | 'fixed' | 'linear' | 'exponential') =>
    [2, 3, 4, 5].map((nth) => retryWait({ count: 3, strategy, base_seconds: 5, max_total_seconds: 60 }, nth))
  t.same(retry('none'), [null, null, null, null])
  t.same(retry('fixed'), [5000, 5000, 5000, null])
  t.same(retry('linear'), [5000, 10_000, 15_000, null])
  t.same(retry('exponential'), [5000, 10_000, 20_000, null])
})

t.test('back-off grows, has jitter and a bound', async (t) => {
  t.same(
    [1, 2, 3, 4].map((failures) => backOff(failures, 1)),
    [500, 1000, 2000, 4000]
  )
  t.equal(backOff(1, 0), 250)
  t.equal(backOff(50, 1), 15_000)
})

t.test('good prober settings are read, and an error names each bad one without the token', async (t) => {
  const token = `prober_${'a'.repeat(64)}`
  const good = {
    SERVICE_PROBER_URL: 'http://127.0.0.1:8080/',
    SERVICE_PROBER_TOKEN: token,
    PROBER_ALLOW_CIDRS: '127.0.0.0/8, ::1/128',
    SERVICE_PROBER_BLOCK: '127.0.0.1:8080,[::1]:9092,kafka:9092'
  }
  t.match(readProberSettings(good, 'host-1'), {
    url: 'http://127.0.0.1:8080',
    instance: 'host-1',
    open: ['127.0.0.0/8', '::1/128'],
    own: ['127.0.0.1:8080', '[::1]:9092', 'kafka:9092']
  })
  t.same(readProberSettings({ SERVICE_PROBER_URL: 'https://a', SERVICE_PROBER_TOKEN: token }, uuidv4()).open, [])
  const bad = {
    ...good,
    SERVICE_PROBER_TOKEN: 'hunter2',
    PROBER_ALLOW_CIDRS: '10.0.0.0/33',
    SERVICE_PROBER_BLOCK: '8080',
    SERVICE_PROBER_URL: 'ftp://a'
  }
  try {
    readProberSettings(bad, 'host-1')
    t.fail('it must throw')
  } catch (error) {
    t.type(error, ConfigError)
    const { message } = error as Error
    for (const name of Object.keys(good)) t.match(message, name)
    t.notMatch(message, 'hunter2')
  }
  t.throws(() => readProberSettings({}, 'host-1'), ConfigError)
  t.throws(() => readProberSettings(good, 'a name with blanks'), ConfigError)
})

t.test('the hosts file is parsed, and its comments and nonsense lines are skipped', async (t) => {
  const hosts = parseHosts('# comment\n127.0.0.1 localhost\n10.0.0.5\tDB.internal db # the store\nfd00::5 db\nnonsense line\n\n')
  t.same(hosts.get('db'), ['10.0.0.5', 'fd00::5'])
  t.same(hosts.get('db.internal'), ['10.0.0.5'])
  t.equal(hosts.has('nonsense'), false)
})

/**
 * Tests of which payloads are appended at once and which wait to be batched, with a clock that the
 * test controls.
 */
import t from 'tap'
import { ALONE_MS, BUSY_RATE, createPacedAppend, GROUP_RECORDS, GROUP_SIZE } from '../../../services/intake/doors/paced-append.ts'
import type { OutRecord } from '../../../streams/runtime/stream.ts'

const BUSY = 'busy'
/** The window over which the rate is measured, ms. */
const WINDOW_MS = 250

const recordOf = (key: string): OutRecord => ({ topic: 'alerts.raw.v1', key, value: Buffer.from(key) })

/**
 * Makes a log that acknowledges all keys but those in `refused`, and a workspace that is busy on
 * it.
 */
function makeStand() {
  const log: string[] = []
  const refused = new Set<string>()
  let now = 1000
  const append = async ([record]: readonly OutRecord[]): Promise<void> => {
    const key = String(record?.key)
    if (refused.has(key)) throw new Error(`no ${key}`)
    log.push(key)
  }
  const paced = createPacedAppend({ append, appendEach: (calls) => calls.map(append) }, () => now)
  const send = (key: string, workspace = BUSY, records = 1): Promise<void> =>
    paced(
      workspace,
      Array.from({ length: records }, () => recordOf(key))
    )
  const wait = (ms: number): void => {
    now += ms
  }
  /**
   * Sends so many payloads within a window. The next one ends the window, and then the rate is
   * known.
   */
  async function sendMany(payloads: number): Promise<void> {
    await send('first')
    for (let nth = 1; nth < payloads; nth++) await send('more')
    wait(WINDOW_MS)
    log.length = 0
  }
  return { log, refused, send, wait, sendMany }
}

const perWindow = (BUSY_RATE * WINDOW_MS) / 1000

t.test('below the busy rate each payload is appended at once', async (t) => {
  const { log, send, sendMany } = makeStand()
  await sendMany(perWindow - 1)
  const sent = send('a')
  t.same(log, ['a'])
  await sent
})

t.test('above the busy rate a full group is appended at once, in order', async (t) => {
  const { log, send, sendMany } = makeStand()
  await sendMany(perWindow + 1)
  const keys = Array.from({ length: GROUP_SIZE }, (_, nth) => `${nth}`)
  const sent = keys.slice(1).map((key) => send(key))
  t.same(log, [], 'one is missing')
  sent.push(send('0'))
  t.same(log, [...keys.slice(1), '0'])
  await Promise.all(sent)
})

t.test('a payload with many records fills a group and takes earlier waiting payloads along', async (t) => {
  const { log, send, sendMany } = makeStand()
  await sendMany(perWindow + 1)
  const sent = ['a', 'b', 'c'].map((key) => send(key, BUSY, GROUP_RECORDS))
  t.same(log, ['a', 'b', 'c'])
  sent.push(send('d', BUSY, GROUP_RECORDS - 1))
  t.same(log, ['a', 'b', 'c'], 'one record is missing')
  sent.push(send('e'))
  t.same(log, ['a', 'b', 'c', 'd', 'e'])
  await Promise.all(sent)
})

t.test('a group that is not full is appended after its wait and does not delay other workspaces', async (t) => {
  const { log, send, sendMany } = makeStand()
  await sendMany(perWindow + 1)
  const sent = [send('a'), send('b')]
  await send('elsewhere', 'quiet')
  t.same(log, ['elsewhere'])
  await Promise.all(sent)
  t.same(log, ['elsewhere', 'a', 'b'])
})

t.test('a payload does not overtake a waiting one when its workspace is no longer busy', async (t) => {
  const { log, send, sendMany, wait } = makeStand()
  await sendMany(perWindow + 1)
  const first = send('a')
  wait(10 * WINDOW_MS)
  const second = send('b')
  t.same(log, [])
  await Promise.all([first, second])
  t.same(log, ['a', 'b'])
  const third = send('c')
  t.same(log, ['a', 'b', 'c'])
  await third
})

t.test('a sender without concurrent requests waits only twice, then not again for a while', async (t) => {
  const { log, send, sendMany, wait } = makeStand()
  await sendMany(perWindow + 1)
  for (const key of ['a', 'b']) {
    const sent = send(key)
    t.notOk(log.includes(key), `${key} waits`)
    await sent
  }
  const third = send('c')
  t.ok(log.includes('c'))
  await third
  wait(ALONE_MS - 1)
  for (let nth = 0; nth <= perWindow * 5; nth++) await send('more')
  wait(WINDOW_MS)
  log.length = 0
  const later = send('d')
  t.same(log, [], 'still busy: it waits again')
  await later
})

t.test('a payload that the log refuses does not fail the others of its group', async (t) => {
  const { log, refused, send, sendMany } = makeStand()
  await sendMany(perWindow + 1)
  refused.add('b')
  const [a, b, c] = await Promise.allSettled(['a', 'b', 'c'].map((key) => send(key)))
  t.same([a?.status, b?.status, c?.status], ['fulfilled', 'rejected', 'fulfilled'])
  t.match(b, { reason: { message: 'no b' } })
  t.same(log, ['a', 'c'])
})

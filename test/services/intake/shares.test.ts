/**
 * Tests on the wire, at a real door, that slow bodies of one workspace do not get another
 * workspace's alerts refused.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { integration } from './credential.ts'
import { stand } from './stand.ts'

const tokenOf = (letter: string): string => `svc_${letter.repeat(43)}`
const pathOf = (letter: string): string => `/api/v1/webhooks/incoming/${tokenOf(letter)}`
const alert = '{"title":"Disk full","severity":"critical"}'
const head = (length: number, letter: string): string => `POST ${pathOf(letter)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`

/** Each letter is a workspace. */
const known = new Map(
  ['a', 'b', 'c'].map((letter, nth) => [
    tokenOf(letter),
    integration({ tenant_id: `0198e000-0000-7000-8000-00000000001${nth}`, integration_id: `0198e000-0000-7000-8000-00000000002${nth}` })
  ])
)
const check = (token: string) => known.get(token) ?? null

t.test('places: a workspace with many slow requests does not block others', async (t) => {
  const { dial, post, reception, alerts } = await stand(t, { check, limits: { requests: 20 } })
  const slow = Array.from({ length: 40 }, () => dial())
  for (const connection of slow) connection.write(head(alert.length, 'a') + alert.slice(0, 9))
  await until('all forty to be held or refused', () => {
    const refused = slow.filter((connection) => /^HTTP\/1\.1 503 /.test(connection.text())).length
    return reception.inFlight() + refused === 40
  })
  t.equal(reception.inFlight(), 10, 'alone it has half')
  for (const letter of ['b', 'c']) t.equal((await post(pathOf(letter), alert)).status, 200, letter)
  t.equal((await post(pathOf('a'), alert)).status, 503, 'the one that holds them has no more')
  for (const connection of slow) connection.write(alert.slice(9))
  await until('its slow ones to be answered', () => reception.inFlight() === 0)
  t.equal((await post(pathOf('a'), alert)).status, 200, 'and has its places back')
  t.equal(alerts().length, 13)
})

t.test('places: two workspaces with many slow requests leave room for a third', async (t) => {
  const { dial, post, reception } = await stand(t, { check, limits: { requests: 30 } })
  for (const letter of ['a', 'b', 'a', 'b']) {
    const slow = Array.from({ length: 15 }, () => dial())
    for (const connection of slow) connection.write(head(alert.length, letter) + alert.slice(0, 9))
    const before = slow.length
    await until('them to be held or refused', () => slow.filter((one) => one.text() !== '').length + reception.inFlight() >= before)
  }
  t.equal((await post(pathOf('c'), alert)).status, 200)
})

t.test('bytes: a workspace with slow bodies leaves room for others', async (t) => {
  const { dial, reception } = await stand(t, { check, limits: { heldBytes: 200_000 } })
  const first = dial()
  first.write(head(120_000, 'a') + 'x'.repeat(90_000))
  await until('the first body', () => reception.bytesHeld() === 90_000)
  const more = dial()
  more.write(head(120_000, 'a') + 'x'.repeat(60_000))
  await more.says(/^HTTP\/1\.1 503 [\s\S]*UNAVAILABLE/)
  const other = dial()
  other.write(head(60_000, 'b') + 'x'.repeat(50_000))
  await until('the body of another', () => reception.bytesHeld() === 140_000)
  t.equal(other.text(), '')
})

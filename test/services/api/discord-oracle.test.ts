/**
 * Compares our verification of Discord's signatures with Discord's own library,
 * `discord-interactions`: both must accept and refuse the same requests. No engines.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { InteractionResponseFlags, InteractionResponseType, InteractionType, verifyKey } from 'discord-interactions'
import fc from 'fast-check'
import t from 'tap'
import { ANSWERS, discordCallIn, EPHEMERAL } from '../../../services/api/chat/discord-calls.ts'
import { discordKey, verifyDiscord } from '../../../services/channels/discord-signature.ts'

const pair = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { hex: Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex'), privateKey }
}

const NOW = 1_700_000_000
const ours = (hex: string, timestamp: string, signature: string, body: Buffer): boolean =>
  verifyDiscord(discordKey(hex), timestamp, signature, body, NOW * 1000)

t.test('our verification agrees with the library of Discord on good and bad signatures', async (t) => {
  const mine = pair()
  const other = pair()
  const body = Buffer.from('{"type":2,"name":"größer"}')
  const timestamp = String(NOW)
  const signed = (text: string, bytes: Buffer, { privateKey } = mine): string =>
    sign(null, Buffer.concat([Buffer.from(text), bytes]), privateKey).toString('hex')
  const good = signed(timestamp, body)
  const cases: [what: string, hex: string, timestamp: string, signature: string, body: Buffer, fits: boolean][] = [
    ['as it came', mine.hex, timestamp, good, body, true],
    ['in capital letters', mine.hex.toUpperCase(), timestamp, good.toUpperCase(), body, true],
    ['an empty body', mine.hex, timestamp, signed(timestamp, Buffer.alloc(0)), Buffer.alloc(0), true],
    ['bytes that are no text', mine.hex, timestamp, signed(timestamp, Buffer.of(0xff, 0)), Buffer.of(0xff, 0), true],
    ['of another key', other.hex, timestamp, good, body, false],
    ['by another key', mine.hex, timestamp, signed(timestamp, body, other), body, false],
    ['another time', mine.hex, String(NOW + 1), good, body, false],
    ['another body', mine.hex, timestamp, good, Buffer.from('{"type":2,"name":"grosser"}'), false],
    ['a digit moved from time to body', mine.hex, timestamp.slice(0, -1), good, Buffer.concat([Buffer.from('1'), body]), false],
    ['zeros', mine.hex, timestamp, '0'.repeat(128), body, false],
    ['half of it', mine.hex, timestamp, good.slice(0, 64), body, false],
    ['none', mine.hex, timestamp, '', body, false]
  ]
  for (const [what, hex, at, signature, bytes, fits] of cases) {
    t.equal(await verifyKey(bytes, signature, at, hex), fits, `the library: ${what}`)
    t.equal(ours(hex, at, signature, bytes), fits, `ours: ${what}`)
  }
})

t.test('our verification and the library refuse a call with one changed byte', async (t) => {
  const { hex, privateKey } = pair()
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 64 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (text, place, by) => {
        const body = Buffer.from(text)
        const signature = sign(null, Buffer.concat([Buffer.from(String(NOW)), body]), privateKey)
        const changed = Buffer.concat([signature, body])
        const at = place % changed.length
        changed[at] = (changed[at] ?? 0) ^ by
        const [asked, bytes] = [changed.subarray(0, 64).toString('hex'), changed.subarray(64)]
        const said = [await verifyKey(bytes, asked, String(NOW), hex), ours(hex, String(NOW), asked, bytes)]
        return !said[0] && !said[1] && ours(hex, String(NOW), signature.toString('hex'), body)
      }
    ),
    { numRuns: 200 }
  )
  t.pass('200 changes')
})

t.test('an old call is refused by our verification only, because the library has no time limit', async (t) => {
  const { hex, privateKey } = pair()
  const body = randomBytes(16)
  const old = String(NOW - 301)
  const signature = sign(null, Buffer.concat([Buffer.from(old), body]), privateKey).toString('hex')
  t.equal(await verifyKey(body, signature, old, hex), true)
  t.equal(ours(hex, old, signature, body), false)
})

t.test('numbers of calls and answers match the library of Discord', async (t) => {
  t.equal(discordCallIn({ type: InteractionType.PING }), 'ping')
  const call = { id: '1', application_id: '9', guild_id: '1', member: { user: { id: '1' } }, token: 'x' }
  const options = [{ type: 1, name: 'status' }]
  t.match(discordCallIn({ ...call, type: InteractionType.APPLICATION_COMMAND, data: { name: 'watch', options } }), {
    command: { word: 'status' }
  })
  const custom_id = 'inc:ack:01890000-0000-7000-8000-00000000abcd'
  t.match(discordCallIn({ ...call, type: InteractionType.MESSAGE_COMPONENT, data: { custom_id } }), { command: { word: 'ack' } })
  t.same(ANSWERS, {
    pong: InteractionResponseType.PONG,
    message: InteractionResponseType.CHANNEL_MESSAGE_WITH_SOURCE,
    later: InteractionResponseType.DEFERRED_CHANNEL_MESSAGE_WITH_SOURCE
  })
  t.equal(EPHEMERAL, InteractionResponseFlags.EPHEMERAL)
})

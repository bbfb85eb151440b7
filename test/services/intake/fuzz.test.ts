/**
 * A short run with hostile payloads for every source; `npm run fuzz` makes a million. First come
 * random JSON bodies with the source's own field names, which fast-check shrinks when one fails.
 * Then come mutations of fixtures, samples and real bodies. The seed is fixed, so every run makes
 * the same payloads.
 */
import fc from 'fast-check'
import t from 'tap'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import type { SequencedEvent } from '../../../services/intake/source.ts'
import { corpusOf } from '../../fuzz/corpus.ts'
import { createDoor } from '../../fuzz/door.ts'
import { arbitraries } from '../../fuzz/mutate.ts'
import { fuzz, told } from '../../fuzz/run.ts'
import { localCodec } from '../../harness/codec.ts'

const SEED = 20_261_122
const BODIES = 200
const EXECUTIONS = 2000

const codec = localCodec()
t.comment(`seed ${SEED}`)

for (const kind of sourceTypes) {
  t.test(kind, async (t) => {
    const corpus = corpusOf(kind)
    const door = createDoor(corpus.source, codec)
    const headers = Object.fromEntries((corpus.source.headers ?? []).map((name) => [name, '1']))
    const details = fc.check(
      fc.property(arbitraries(corpus).body, (body) => {
        door.take({ bytes: Buffer.from(JSON.stringify(body)), headers, options: {}, settings: {} })
      }),
      { seed: SEED, numRuns: BODIES }
    )
    t.equal(details.failed, false, fc.defaultReportMessage(details) ?? `${details.numRuns} bodies by fast-check`)
    const { outcomes, failures } = await fuzz({ kind, executions: EXECUTIONS, seed: SEED, codec, mostMs: null })
    for (const failure of failures) t.fail(told(failure, kind, SEED))
    const { accepted, ignored, refused } = outcomes
    t.equal(accepted + ignored + refused + failures.length, EXECUTIONS)
    t.ok(
      accepted > EXECUTIONS / 50 && refused > EXECUTIONS / 50,
      `some get through, some do not: ${accepted} accepted, ${ignored} ignored, ${refused} refused`
    )
  })
}

t.test('the fuzz run detects a door that breaks its contract', async (t) => {
  const { source } = corpusOf('generic')
  const bytes = Buffer.from('{"title":"x"}')
  const payload = { bytes, headers: {}, options: {}, settings: {} }
  const [event] = source.parse({ body: { title: 'x' }, headers: {}, received_at: 0, options: {}, warn: () => undefined })
  if (!event) throw new Error('a title is an event')
  const faults: [string, () => SequencedEvent][] = [
    ['an empty title', () => ({ ...event, title: '' })],
    ['an empty key', () => ({ ...event, dedup_key: '' })],
    ['half of a surrogate pair', () => ({ ...event, description: 'a\ud83d' })],
    ['a link with user information', () => ({ ...event, links: [{ title: 'Link', url: 'https://a:b@example.test/' }] })],
    ['a link that is none', () => ({ ...event, links: [{ title: 'Link', url: 'javascript:alert(1)' }] })],
    ['ignored without a reason', () => ({ ...event, action: 'ignore' })]
  ]
  for (const [name, fault] of faults)
    t.throws(() => createDoor({ ...source, sequence: 'position', parse: () => [fault()] }, codec).take(payload), { name: 'Broken' }, name)
  t.throws(
    () =>
      createDoor(
        {
          ...source,
          sequence: 'position',
          parse: () => {
            throw new TypeError('a fault of ours')
          }
        },
        codec
      ).take(payload),
    TypeError
  )
  let calls = 0
  await t.rejects(
    createDoor({ ...source, sequence: 'position', parse: () => [{ ...event, title: `x${calls++}` }] }, codec).takeClosely(payload),
    {
      message: 'the parser is not pure'
    }
  )
})

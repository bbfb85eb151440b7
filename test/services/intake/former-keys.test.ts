/**
 * Tests of recoveries across a change of how keys are made: which keys they try, what the sender is
 * told, and for how long.
 */
import t from 'tap'
import { FORMER_KEYS_MS, isOver, LABEL_NAMES } from '../../../services/intake/former-keys.ts'
import { signalKey, toInboundAlert, underFormerKey } from '../../../services/intake/normalise.ts'
import type { SequencedEvent, Source } from '../../../services/intake/source.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { integration } from './credential.ts'
import { PATH, stand } from './stand.ts'

const RECEIVED = Date.parse('2026-10-05T12:00:00.000Z')
const form = (fields: Record<string, string>): string => new URLSearchParams(fields).toString()
const test = { URL: 'https://shop.example.test/', Name: 'Shop', StatusCode: '503' }

const parsed = (source: Source, body: Record<string, unknown>): SequencedEvent => {
  const [event] = source.parse({ body, headers: {}, received_at: RECEIVED, options: {}, warn: () => undefined })
  if (!event) throw new Error('no alert')
  return event
}

t.test('StatusCake: a fire and its recovery share one key, with and without TestID', async (t) => {
  const { statuscake } = sources
  const fire = parsed(statuscake, { ...test, Status: 'Down', TestID: '6123001' })
  const recovery = parsed(statuscake, { ...test, Status: 'Up' })
  t.equal(recovery.dedup_key, fire.dedup_key)
  t.equal(parsed(statuscake, { ...test, Status: 'Up', TestID: '6123001' }).dedup_key, fire.dedup_key)
  t.equal(parsed(statuscake, { Status: 'Up', TestID: '6123001' }).dedup_key, '6123001', 'nothing else to go by')
  t.not(parsed(statuscake, { ...test, Name: 'Till', Status: 'Up' }).dedup_key, fire.dedup_key)
})

t.test('a recovery is repeated under its former key, a fire is not', async (t) => {
  const given = (fields: Partial<ReturnType<typeof integration>>, source: Source = sources.statuscake) => ({
    integration: integration({ source_type: source.kind, ...fields }),
    source,
    received_at: RECEIVED,
    escaped: true
  })
  const all = { tries: () => true }
  const recovery = parsed(sources.statuscake, { ...test, Status: 'Up', TestID: '6123001' })
  const plain = given({})
  const former = underFormerKey(recovery, toInboundAlert(recovery, plain), plain, all)
  t.match(former, {
    action: 'resolve',
    by_former_key: true,
    source_dedup_key: '6123001',
    dedup_key: signalKey(plain.integration, 'statuscake', '6123001')
  })
  const none: [string, SequencedEvent, ReturnType<typeof given>, (change: string) => boolean][] = [
    ['a fire', parsed(sources.statuscake, { ...test, Status: 'Down', TestID: '6123001' }), plain, () => true],
    ['the same key', parsed(sources.statuscake, { ...test, Status: 'Up' }), plain, () => true],
    ['its time is over', recovery, plain, (change) => change !== 'statuscake'],
    ['a template without that key', recovery, given({ dedup_template: '{title}' }), () => true]
  ]
  for (const [name, event, receipt, tries] of none)
    t.equal(underFormerKey(event, toInboundAlert(event, receipt), receipt, { tries }), null, name)

  // The names of labels are a separate part of the keys.
  const { generic } = sources
  const labels = { größe: 'L', ort: 'Köln' }
  const named = parsed(generic, { title: 'Voll', status: 'resolved', dedup_key: 'k', labels })
  const templated = given({ dedup_template: '{label.gr__e}/{label.ort}' }, generic)
  const before = underFormerKey(named, toInboundAlert(named, templated), templated, { tries: (change) => change === LABEL_NAMES })
  t.equal(before?.dedup_key, signalKey(templated.integration, 'generic', 'L/Köln'))
})

t.test('the door stores a recovery under both keys and reports one', async (t) => {
  const { post, alerts, records } = await stand(t, { integration: { source_type: 'statuscake' }, formerKeys: ['statuscake'] })
  const reply = await post(PATH, form({ ...test, Status: 'Up', TestID: '6123001' }), {
    'content-type': 'application/x-www-form-urlencoded'
  })
  t.match(reply, { status: 200, body: { processed: 1, ignored: 0, alerts: [{ dedup_key: 'https://shop.example.test/|Shop' }] } })
  t.same(
    alerts().map(({ by_former_key, source_dedup_key }) => [by_former_key, source_dedup_key]),
    [
      [false, 'https://shop.example.test/|Shop'],
      [true, '6123001']
    ]
  )
  t.equal(new Set(records.map(({ key }) => key)).size, 2, 'each behind what fired under its key')
})

t.test('a former key ends after seven days by both clocks', async (t) => {
  const since = RECEIVED
  const week = FORMER_KEYS_MS
  const cases: [string, number, number, boolean][] = [
    ['both say so', since + week, since + week, true],
    ['Postgres’s clock is ahead', since + 100 * week, since + week - 1, false],
    ['the door’s clock is ahead', since + week - 1, since + 100 * week, false],
    ['neither', since + week - 1, since + week - 1, false]
  ]
  for (const [name, read_at, now, over] of cases) t.equal(isOver({ name: 'x', since, read_at }, now), over, name)
})

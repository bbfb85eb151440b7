/**
 * Tests of the words that describe deliveries, and of the API queries that the addresses of their
 * list stand for. Pure functions.
 */
import t from 'tap'
import type { Incident, LedgerItem } from '../../../services/web/api/shapes.ts'
import { deliveriesSearch, toQuery } from '../../../services/web/pages/deliveries/search.ts'
import { byTarget, heldInWords, mineInWords, problemOf, toldCount, whyInWords } from '../../../services/web/pages/deliveries/words.ts'

const item = (over: Partial<LedgerItem>): LedgerItem => ({
  id: 'd',
  tenant_id: 't',
  intent_id: 'i',
  incident_id: 'n',
  incident_key: 'INC-1',
  incident_title: 'Checkout is down',
  event: 'down',
  channel_id: null,
  user_id: null,
  kind: 'email',
  target_name: null,
  step: null,
  state: 'queued',
  suppressed_by: null,
  suppressed_cause: null,
  error_code: null,
  manual: false,
  attempts: [],
  queued_at: '2026-03-04T05:00:00.000Z',
  next_attempt_at: null,
  first_sent_at: null,
  delivered_at: null,
  expires_at: '2026-03-05T05:00:00.000Z',
  why: {},
  ...over
})

const attempt = { n: 1, at: '2026-03-04T05:00:00.000Z', latency_ms: 1, outcome: 'network', http_status: null, provider_message_id: null }

t.test('people are listed before channels, each with all notifications', async (t) => {
  const targets = byTarget([
    item({ channel_id: 'c', target_name: 'Bot', state: 'delivered' }),
    item({ user_id: 'u', target_name: 'Ada', state: 'failed' }),
    item({ channel_id: 'c', target_name: 'Bot', event: 'up' })
  ])
  t.same(
    targets.map(({ name, items }) => [name, items.length]),
    [
      ['Ada', 1],
      ['Bot', 2]
    ]
  )
  t.equal(toldCount(targets), 1)
})

t.test('reasons why a notification did not arrive', async (t) => {
  t.equal(problemOf(item({ state: 'delivered', error_code: 'fault' })), null)
  t.equal(problemOf(item({ state: 'retrying', attempts: [{ ...attempt, error: 'no such host' }] })), 'no such host')
  t.match(problemOf(item({ state: 'expired', error_code: 'expired' })), /gave up/)
  t.match(heldInWords('a word of tomorrow'), /does not know/)
  t.match(heldInWords('preference'), /settings/)
  t.match(heldInWords('preference', 'a word of tomorrow'), /settings/)
  t.match(heldInWords('preference', 'ticket_gone'), /deleted/)
  t.match(heldInWords('dedup', 'ticket_gone'), /already been sent/, 'only what a kind of channel says has words of its own')
  t.match(whyInWords(item({ why: { by: 'policy' }, step: 1 })), /Step 2/)
  t.match(whyInWords(item({ why: { by: 'default_channel' } })), /default channel/)
  t.equal(whyInWords(item({ why: { by: 'a word of tomorrow' } })), null)
})

t.test('whether the person was notified, and why not', async (t) => {
  type About = Pick<Incident, 'held_by' | 'suppressed_by_rule_id' | 'escalation'>
  const escalation = (state: Incident['escalation']['state']): Incident['escalation'] => ({ state }) as Incident['escalation']
  const about = (over: Partial<About> = {}): About => ({
    held_by: [],
    suppressed_by_rule_id: null,
    escalation: escalation('none'),
    ...over
  })
  const words = { kindOf: () => 'E-mail', timeOf: () => 'now', heldBy: () => 'Silenced' }
  const of = (incident: About, ...items: LedgerItem[]): string => mineInWords(incident, items, words)
  t.equal(of(about(), item({ state: 'failed' }), item({ state: 'sent' })), 'Yes: E-mail, now.')
  t.match(of(about(), item({ state: 'failed' }), item({ state: 'retrying' })), /on its way/)
  t.match(of(about(), item({ state: 'expired' })), /did not arrive/)
  t.match(of(about(), item({ state: 'suppressed', suppressed_by: 'quiet_hours' })), /quiet hours/)
  t.match(of(about({ suppressed_by_rule_id: 'r' })), /routing rule/)
  t.match(of(about({ held_by: [{ kind: 'silence', id: 's', until: null }] })), /Silenced: nobody is notified/)
  t.match(of(about()), /No escalation policy/)
  t.match(of(about({ escalation: escalation('running') })), /may notify you/)
  t.match(of(about({ escalation: escalation('exhausted') })), /notified others\.$/)
})

t.test('addresses of the list of deliveries and their API queries', async (t) => {
  const now = Date.parse('2026-03-04T05:06:07.000Z')
  t.same(toQuery(deliveriesSearch({}), [], now), {})
  t.same(toQuery(deliveriesSearch({ state: 'failed,nonsense', event: 'up', kind: 'pigeon', span: 'day' }), ['email'], now), {
    state: ['failed'],
    event: ['up'],
    from: '2026-03-03T05:06:00.000Z'
  })
  t.same(toQuery(deliveriesSearch({ kind: 'email', channel_id: 'x' }), ['email'], now), { kind: ['email'] })
})

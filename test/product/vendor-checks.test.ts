/**
 * Tests the checks of the fault run with all kinds of vendors: each thing that is wrong fails with
 * its sentence.
 */
import t from 'tap'
import { judgeOpen, judgeVendors, type VendorFacts, type VendorReceipt, type VendorRow } from '../chaos/check-vendors.ts'
import { saidBy, toldBy } from '../chaos/vendor-words.ts'

const row = (kind: string, event: string, over: Partial<VendorRow> = {}): VendorRow => ({
  kind,
  event,
  delivery_id: `${kind}-${event}`,
  incident_id: 'one',
  target_id: kind,
  channel_id: kind,
  state: 'sent',
  suppressed_by: null,
  suppressed_cause: null,
  ver: 3,
  attempts: 1,
  ambiguous: 0,
  accepted: true,
  attempt_log: [{ n: 1, outcome: 'accepted', error: null }],
  ...over
})
const heard = (kind: string, event: VendorReceipt['event'], over: Partial<VendorReceipt> = {}): VendorReceipt => ({
  kind,
  event,
  incident_id: 'one',
  said: `${kind} ${event}`,
  answer: 'took',
  did: event,
  in_place: false,
  ...over
})
const twice = [
  { n: 1, outcome: 'unknown', error: 'worker_lost' },
  { n: 2, outcome: 'accepted', error: null }
]

/** A chat, a pager and a desk are told of a failure and its end. */
const well: VendorFacts = {
  rows: ['chat', 'pager', 'desk'].flatMap((kind) => [row(kind, 'down'), row(kind, 'up')]),
  receipts: ['chat', 'pager', 'desk'].flatMap((kind) => [heard(kind, 'down'), heard(kind, 'up')]),
  holding: [],
  holders: new Set(['pager', 'desk']),
  desks: new Set(['desk']),
  changing: new Set(['chat']),
  usual: new Map(['chat', 'pager', 'desk'].flatMap((kind) => [[`${kind} down`, 1] as const, [`${kind} up`, 1] as const]))
}
const replaced = (rows: readonly VendorRow[], ...others: VendorRow[]): VendorRow[] =>
  rows.map((one) => others.find(({ delivery_id }) => delivery_id === one.delivery_id) ?? one)

t.test('a correct run has no violations', async (t) => {
  t.same(judgeVendors(well).violations, [])
  t.match(judgeVendors(well).counts, { deliveries: 6, kinds: 3, targets_told_of_a_failure: 3 })
  const lost = row('chat', 'down', { attempts: 2, ambiguous: 1, attempt_log: twice })
  t.same(
    judgeVendors({ ...well, rows: replaced(well.rows, lost), receipts: [heard('chat', 'down', { answer: 'silence' }), ...well.receipts] })
      .violations,
    []
  )
  const edit = heard('chat', 'down', { said: 'chat down, silenced', did: 'edit', in_place: true })
  t.same(judgeVendors({ ...well, receipts: [...well.receipts, edit, edit] }).violations, [], 'what changes in place is told by no delivery')
  const failed = row('pager', 'up', { state: 'failed', accepted: false, attempt_log: [{ n: 1, outcome: 'refused', error: 'no' }] })
  const refused = well.receipts.map((one) =>
    one.kind === 'pager' && one.event === 'up' ? { ...one, answer: 'refused' as const, did: null } : one
  )
  t.same(
    judgeVendors({ ...well, rows: replaced(well.rows, failed), receipts: refused, holding: [{ kind: 'pager', incident_id: 'one' }] })
      .violations,
    [],
    'what visibly failed may be open'
  )
  const noted = well.receipts.map((one) =>
    one.kind === 'desk' && one.event === 'up' ? { ...one, answer: 'refused' as const, did: null } : one
  )
  const note = heard('desk', 'up', { said: 'a note in place of the end', did: 'note' })
  const open = { receipts: [...noted, note], holding: [{ kind: 'desk', incident_id: 'one' }] }
  t.same(judgeVendors({ ...well, ...open }).violations, [], 'a note says that it stays open')
  const anew = row('chat', 'acknowledged', { attempts: 2, ambiguous: 1, attempt_log: twice })
  const message = heard('chat', 'acknowledged', { did: 'message' })
  t.same(
    judgeVendors({ ...well, rows: [...well.rows, anew], receipts: [...well.receipts, message, { ...message, did: 'the same again' }] })
      .violations,
    [],
    'where it does not know what stands there it says it anew'
  )
  const never = row('desk', 'down', {
    state: 'suppressed',
    suppressed_by: 'stale',
    suppressed_cause: 'resolved',
    accepted: false,
    ambiguous: 1
  })
  const asked = row('desk', 'up', { state: 'suppressed', suppressed_by: 'preference', suppressed_cause: 'not_opened', accepted: false })
  t.same(
    judgeVendors({ ...well, rows: replaced(well.rows, never, asked), receipts: well.receipts.filter(({ kind }) => kind !== 'desk') })
      .violations,
    [],
    'what has not arrived cannot end'
  )
})

t.test('the checks find each planted fault', async (t) => {
  const lost = row('desk', 'down', { attempts: 2, ambiguous: 1, attempt_log: twice })
  const wrong: [string, Partial<VendorFacts>, RegExp][] = [
    ['not ended', { rows: replaced(well.rows, row('chat', 'up', { state: 'retrying', accepted: false })) }, /has not ended: retrying/],
    ['unknown', { receipts: [...well.receipts, heard('chat', 'acknowledged')] }, /the ledger does not know it/],
    ['twice', { receipts: [...well.receipts, heard('chat', 'up')] }, /done 2 times, and 0 outcomes were unknown/],
    [
      'other words',
      { receipts: [heard('chat', 'down', { said: 'else', answer: 'later', did: null }), ...well.receipts] },
      /something else than the one before/
    ],
    [
      'two tickets',
      { rows: replaced(well.rows, lost), receipts: [heard('desk', 'down', { answer: 'silence' }), ...well.receipts] },
      /opened 2 tickets/
    ],
    ['never heard', { receipts: well.receipts.filter(({ kind }) => kind !== 'chat') }, /accepted, and the vendor has heard nothing/],
    ['behind its end', { receipts: [...well.receipts].reverse() }, /heard of a failure behind its end: up down/],
    [
      'no end',
      { rows: well.rows.filter(({ kind, event }) => kind !== 'chat' || event !== 'up') },
      /heard of the failure and not of its end/
    ],
    ['still open', { holding: [{ kind: 'desk', incident_id: 'one' }] }, /is open there, and nothing says so/],
    ['open for nobody', { holding: [{ kind: 'desk', incident_id: 'two' }] }, /is open there, and the ledger does not know it/],
    [
      'refused',
      { receipts: well.receipts.map((one) => (one.kind === 'chat' ? { ...one, answer: 'refused', did: 'no text' } : one)) },
      /chat refuses what it is sent: no text/
    ]
  ]
  for (const [what, change, sentence] of wrong) t.match(judgeVendors({ ...well, ...change }).violations.join('\n'), sentence, what)
})

t.test('during a run, incidents open at vendors match the ledger', async (t) => {
  const rows = well.rows.filter(({ event }) => event === 'down')
  const holding = ['pager', 'desk'].map((kind) => ({ kind, incident_id: 'one' }))
  t.same(judgeOpen({ ...well, rows, holding }), { counts: { open_at_vendors: 2, open_by_the_ledger: 2 }, violations: [] })
  t.match(judgeOpen({ ...well, rows }).violations, [/is not open there, .*: pager one/, /is not open there, .*: desk one/])
})

t.test('requests to vendors are matched to their event and incident', async (t) => {
  const asked = (body: string, over = {}) => ({ method: 'POST', path: '/', headers: {}, body, ...over })
  t.match(toldBy(asked('{"text":"[CRITICAL] qzdown case-12-nobody"}')), { event: 'down', nth: 12 })
  t.match(toldBy(asked('To=%2B49&Body=qzup+case-7-resolved', { headers: { 'content-type': 'application/x-www-form-urlencoded' } })), {
    event: 'up',
    nth: 7
  })
  const id = '01890000-0000-7000-8000-000000000000'
  t.match(toldBy(asked(`{"event_action":"resolve","dedup_key":"svc-inc-${id}"}`)), { event: 'up', nth: null, ids: [id] })
  t.match(toldBy(asked('{}', { path: `/v2/alerts/svc-inc-${id}/acknowledge?identifierType=alias` })), { event: 'acknowledged', ids: [id] })
  t.equal(toldBy(asked('{"transition":{"id":"31"}}')), null)
  t.not(saidBy(asked('x', { headers: { 'idempotency-key': 'a' } })), saidBy(asked('x', { headers: { 'idempotency-key': 'b' } })))
})

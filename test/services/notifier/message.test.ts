/** Tests of the keys by which the other side recognises a message, and of who did it. */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { bodyOf } from '../../../services/channels/words.ts'
import { verifyLink } from '../../../services/credentials/links.ts'
import { messageOf } from '../../../services/notifier/message.ts'
import type { DeliveryRow } from '../../../services/store/deliveries.ts'
import { record } from '../../harness/records.ts'

const [tenant_id, incident_id] = [uuidv7(), uuidv7()]
const at = Date.UTC(2026, 0, 5)
const incident = record('Incident', {
  ...{ tenant_id, incident_id, number: 1, dedup_key: 'k', title: 'Disk full', severity: 'critical', status: 'resolved' },
  ...{ started_at: at, resolved_at: at + 60_000, updated_at: at + 60_000, team_id: null, visibility: 'org', ver: 3 }
})
const facts: DeliveryRow['facts'] = {
  incident,
  workspace: { name: 'Acme', slug: 'acme' },
  subject: null,
  team: null,
  assignee: null,
  acknowledged_by: null,
  resolved_by: null
}
const row = (event: DeliveryRow['event'], over: Partial<DeliveryRow> = {}): DeliveryRow => ({
  ...{ tenant_id, delivery_id: uuidv7(), intent_id: uuidv7(), incident_id, incident_ver: 3, event, lane: 0, kind: 'webhook' },
  ...{ channel_id: uuidv7(), user_id: null, method_id: null, target_id: uuidv7(), policy_id: null, cycle: null, step: null },
  ...{ seq: 1, ver: 1, attempts: 1, ambiguous: 0, accepted: false, combined: false, manual: false, queued_at: at, expires_at: at + 1 },
  ...{ facts, template: null, said: null, team_id: null, visibility: 'org' },
  ...over
})
const idOf = (one: DeliveryRow): string | undefined =>
  messageOf(one, { publicUrl: 'https://example.com', secretsKey: '', recipient: null, due_at: null }, false)?.event_id

t.test('every attempt of an event has the same id, and another event has another', async (t) => {
  t.equal(idOf(row('down')), idOf(row('down', { attempts: 2 })), 'every channel and attempt has one id of an event')
  // An incident that was over before anybody was notified: both are decided at its latest ver.
  t.not(idOf(row('down')), idOf(row('up')), 'its end is another event than its beginning')
  t.not(idOf(row('down')), idOf(row('down', { incident_ver: 4 })))
})

t.test('the links of a page are valid for a day after the page may be sent', async (t) => {
  const [secretsKey, day, user_id] = ['ab'.repeat(32), 24 * 3_600_000, uuidv7()]
  /** Returns whether both links can be used at that time. */
  const valid = (over: Partial<DeliveryRow>, due_at: number | null, then: number): boolean[] => {
    const page = row('down', {
      kind: 'email',
      channel_id: null,
      user_id,
      facts: { ...facts, incident: { ...incident, status: 'ongoing' } },
      ...over
    })
    const { act_urls } = messageOf(page, { publicUrl: 'https://example.com', secretsKey, recipient: 'a@example.com', due_at }, false) ?? {}
    return Object.values(act_urls ?? {}).map((url) => verifyLink(secretsKey, url.split('/').at(-1) ?? '', then))
  }
  const weekend = at + 2 * day
  t.same(valid({ expires_at: at + day }, at, at + day), [true, true], 'a page that is sent at its last moment')
  t.same(valid({ expires_at: at + day }, at, at + 2 * day), [false, false])
  t.same(valid({ expires_at: weekend + day }, weekend, weekend + day), [true, true], 'one that quiet hours held over a weekend')
  t.same(valid({ expires_at: weekend + day, manual: true }, at, weekend + day), [true, true], 'one that somebody sends again')
})

t.test('the person who acknowledged or resolved is named, and nobody as who assigned', async (t) => {
  const done = { ...facts, assignee: { id: uuidv7(), name: 'Ada' }, acknowledged_by: 'Bo', resolved_by: 'Cy' }
  const said = (event: DeliveryRow['event']) => {
    const message = messageOf(
      row(event, { facts: done }),
      { publicUrl: 'https://example.com', secretsKey: '', recipient: null, due_at: null },
      false
    )
    return message && [message.actor, bodyOf(message, at)]
  }
  t.same(said('acknowledged'), ['Bo', 'Acknowledged by Bo.'])
  t.equal(said('up')?.[0], 'Cy')
  t.same(said('assigned'), [null, 'Assigned to Ada.'])
})

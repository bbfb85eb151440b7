/** Tests of the test alert of an integration: the record in the outbox, and its effects. */
import t from 'tap'
import type { InboundAlert } from '../../../schemas/generated/events.ts'
import { localCodec } from '../../harness/codec.ts'
import { audited } from './people.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const codec = localCodec()

async function sent(s: Stand, { tenant_id }: Workspace): Promise<InboundAlert[]> {
  const { rows } = await s.systemPool.query<{ payload: Buffer }>(
    "DELETE FROM outbox WHERE tenant_id = $1 AND topic = 'alerts.inbound.v1' RETURNING payload",
    [tenant_id]
  )
  return rows.map(({ payload }) => codec.decode('InboundAlert', payload))
}

t.test('a test alert of an integration', async (t) => {
  const s = await stand(t)
  const path = `/api/v1/integrations/inbound/${s.acme.integration_id}`
  const send = () => s.call(s.acme, 'POST', `${path}/test`)
  await s.call(s.acme, 'PATCH', path, { labels_add: { stage: 'prod' } })

  await t.test('a test alert belongs to its integration and opens its own incident', async (t) => {
    const answer = await send()
    t.equal(answer.statusCode, 202)
    t.match(answer.json(), { action: 'fire', status: 'accepted', alert_id: String })
    const [record, ...others] = await sent(s, s.acme)
    t.same(others, [])
    t.match(record, {
      integration_id: s.acme.integration_id,
      source: 'alertmanager',
      severity: 'info',
      title: /^Test alert of /,
      dedup_key: answer.json().dedup_key,
      labels: { stage: 'prod' },
      sequence_kind: 'receipt'
    })
    await s.signal(s.acme, record)
    const { items } = (await s.call(s.acme, 'GET', `/api/v1/incidents?q=Test+alert`)).json()
    t.match(items, [{ severity: 'info', source: { kind: 'inbound', integration_id: s.acme.integration_id }, labels: { stage: 'prod' } }])
    t.same(await audited(s, s.acme.tenant_id, answer.json().alert_id), ['alert.sent'])

    const again = await send()
    t.equal(again.json().alert_id, answer.json().alert_id, 'a repeat is the same alert')
    for (const one of await sent(s, s.acme)) await s.signal(s.acme, one)
    t.equal((await s.call(s.acme, 'GET', `/api/v1/incidents?q=Test+alert`)).json().total, 1)

    const { id } = items[0]
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/resolve`, {})).statusCode, 200)
    const next = await send()
    t.not(next.json().alert_id, answer.json().alert_id)
    for (const one of await sent(s, s.acme)) await s.signal(s.acme, one)
    t.equal(
      (await s.call(s.acme, 'GET', `/api/v1/alerts/${next.json().alert_id}`)).statusCode,
      200,
      'it opens at once, though a person resolved the last'
    )
  })

  await t.test('a disabled integration sends no test alert', async (t) => {
    await s.call(s.acme, 'PATCH', path, { enabled: false })
    t.equal((await send()).statusCode, 409)
    t.same(await sent(s, s.acme), [])
  })
})

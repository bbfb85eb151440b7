/**
 * Tests, on a real Postgres, that a webhook says why a monitor or heartbeat fails, as far as the
 * folds know it.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { eventName, webhookBody } from '../../../services/channels/kinds/webhook.ts'
import { messageOf } from '../../../services/notifier/message.ts'
import type { DeliveryRow } from '../../../services/store/deliveries.ts'
import { readFacts } from '../../../services/store/delivery-facts.ts'
import { writeEffects } from '../../../services/store/effects.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { transaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { localCodec } from '../../harness/codec.ts'
import { fold, heartbeatInput, id, monitorInput } from '../../streams/incident/build.ts'
import { create, setState } from '../api/monitoring.ts'
import { type Stand, stand } from '../api/stand.ts'

t.setTimeout(120_000)
const codec = localCodec()

/** Folds a transition. Returns the id of the incident that it opened or changed. */
async function folded(s: Stand, input: Input): Promise<string> {
  return await transaction(s.systemPool, async (tx) => {
    const { saved, outgoing, jobs } = fold(await incidentStore.load(tx, [input]), [input])
    await incidentStore.save(tx, saved)
    await writeEffects(tx, { outgoing, jobs }, codec)
    const [event] = saved.events
    if (!event) throw new Error('no incident changed')
    return event.incident_id
  })
}

/** Returns the body of the webhook that is decided now. */
async function bodyNow(s: Stand, incident_id: string, event: DeliveryRow['event']) {
  const { tenant_id } = s.acme
  const facts = (await readFacts(s.systemPool, [{ tenant_id, incident_id }])).get(incident_id) ?? null
  const stored = JSON.parse(JSON.stringify(facts)) as DeliveryRow['facts']
  const row: DeliveryRow = {
    ...{ tenant_id, delivery_id: uuidv7(), intent_id: uuidv7(), incident_id, incident_ver: 1, event, lane: 0, kind: 'webhook' },
    ...{ channel_id: uuidv7(), user_id: null, method_id: null, target_id: uuidv7(), policy_id: null, cycle: null, step: null },
    ...{ seq: 1, ver: 1, attempts: 1, ambiguous: 0, accepted: false, combined: false, manual: false, queued_at: Date.now(), expires_at: 0 },
    ...{ facts: stored, template: null, said: null, team_id: null, visibility: 'org' }
  }
  const message = messageOf(row, { publicUrl: 'https://example.com', secretsKey: '', recipient: null, due_at: null }, false)
  if (!message) throw new Error('no message')
  return JSON.parse(webhookBody(message, eventName(message) ?? ''))
}

t.test('a webhook says why it fails', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const now = Date.now()

  await t.test('a monitor: the newest failed check, and the newest check at the end', async (t) => {
    const { id: monitor_id } = await create(s, s.acme)
    const region = (name: string, last: string, last_at: number, status_code: number, response_time_ms: number) => ({
      ...{ region: name, last, last_at, status_code, response_time_ms }
    })
    const last_failure = { region: 'eu', reason: 'http_status', message: 'HTTP 503', at: now - 1000, status_code: 503 }
    const regions = [region('eu', 'failure', now - 1000, 503, 87), region('us', 'success', now - 500, 200, 40)]
    await setState(s, s.acme, monitor_id, { status: 'down', phase: 'down', last_failure, regions })
    const changed = (status: 'up' | 'down', ver: number) =>
      monitorInput(
        {
          ...{ tenant_id, monitor_id, event_id: id(`${monitor_id} ${ver}`), ver, status, at: now, started_at: now - 2000 },
          ...(status === 'down'
            ? ({ phase: 'down', previous_status: 'up', previous_phase: 'validating' } as const)
            : ({ phase: 'ok', previous_status: 'down', previous_phase: 'down' } as const))
        },
        { offset: ver }
      )
    const incident_id = await folded(s, changed('down', 1))
    const policy_id = uuidv7()
    await s.systemPool.query("INSERT INTO escalation_policies (tenant_id, policy_id, name, body) VALUES ($1, $2, 'Shop', '{}')", [
      tenant_id,
      policy_id
    ])
    await s.systemPool.query('UPDATE incidents SET escalation_policy_id = $3 WHERE tenant_id = $1 AND incident_id = $2', [
      tenant_id,
      incident_id,
      policy_id
    ])
    t.match(await bodyNow(s, incident_id, 'down'), {
      ...{ event: 'monitor.down', monitor_id, reason: 'http_status', http_status: 503, response_time_ms: 87 },
      escalation_policy: { id: policy_id, name: 'Shop' }
    })

    const withPolicyOf = async (policyTeam: string | null, incidentTeam: string | null): Promise<unknown> => {
      await s.systemPool.query('UPDATE escalation_policies SET team_id = $2 WHERE policy_id = $1', [policy_id, policyTeam])
      await s.systemPool.query('UPDATE incidents SET team_id = $2 WHERE incident_id = $1', [incident_id, incidentTeam])
      return (await bodyNow(s, incident_id, 'down')).escalation_policy
    }
    const team = async (name: string, visibility: string): Promise<string> =>
      (await s.call(s.acme, 'POST', '/api/v1/teams', { name, visibility })).json().id
    const [open, closed] = [await team('Open', 'org'), await team('Closed', 'private')]
    t.match(await withPolicyOf(open, null), { name: 'Shop' }, 'the policy of an open team')
    t.match(await withPolicyOf(closed, closed), { name: 'Shop' }, 'the policy of the private team that has the incident')
    for (const other of [null, open]) t.equal(await withPolicyOf(closed, other), null, 'the policy of another private team')
    await withPolicyOf(null, null)

    const long_ago = { ...last_failure, at: now - 86_400_000 }
    await setState(s, s.acme, monitor_id, { last_failure: long_ago, regions })
    const slow = { event: 'incident.acknowledged', reason: null, http_status: null, response_time_ms: null }
    t.match(await bodyNow(s, incident_id, 'acknowledged'), slow, 'an old failure is not the one of this incident')

    await setState(s, s.acme, monitor_id, { last_failure, regions: [region('eu', 'success', now, 204, 51), ...regions.slice(1)] })
    t.equal(await folded(s, changed('up', 2)), incident_id)
    const up = await bodyNow(s, incident_id, 'up')
    t.match(up, { event: 'monitor.up', http_status: 204, response_time_ms: 51 })
    t.notOk('reason' in up)
    const late = { event: 'monitor.down', reason: 'http_status', http_status: 503, response_time_ms: null }
    t.match(await bodyNow(s, incident_id, 'down'), late, 'the beginning is told after the end')
  })

  await t.test('a heartbeat: its reason and its last ping', async (t) => {
    const made = await s.call(s.acme, 'POST', '/api/v1/heartbeats', {
      name: 'Backup',
      schedule: { kind: 'period', period_seconds: 86_400 }
    })
    const heartbeat_id: string = made.json().id
    const state = { kind: 'heartbeat', tenant_id, heartbeat_id, status: 'missed', reason: 'overrun', last_ping_at: now - 5000 }
    await s.systemPool.query("INSERT INTO partition_state (processor, partition, key, state) VALUES ('heartbeat', 0, $1, $2)", [
      heartbeat_id,
      state
    ])
    const incident_id = await folded(s, heartbeatInput({ tenant_id, heartbeat_id, status: 'missed', previous_status: 'up', at: now }))
    t.match(await bodyNow(s, incident_id, 'down'), {
      ...{ event: 'monitor.down', monitor_id: '', heartbeat_id, status: 'missed', reason: 'overrun', http_status: null },
      heartbeat: { last_ping_at: new Date(now - 5000).toISOString() }
    })
  })

  await t.test('what is not known is null', async (t) => {
    const { id: monitor_id } = await create(s, s.acme)
    const value = {
      tenant_id,
      monitor_id,
      event_id: id(monitor_id),
      ver: 1,
      status: 'down',
      phase: 'down',
      previous_status: 'up',
      at: now
    } as const
    const incident_id = await folded(s, monitorInput({ ...value, previous_phase: 'validating' }, { offset: 9 }))
    t.match(await bodyNow(s, incident_id, 'down'), { reason: null, http_status: null, response_time_ms: null, escalation_policy: null })
  })
})

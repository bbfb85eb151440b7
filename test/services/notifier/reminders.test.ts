/**
 * Tests of reminders of a monitor that is down, on a real Postgres. They begin with the
 * notification, end with the incident, and pause while it is acknowledged. Channels of an
 * escalation policy get none, but hear of the acknowledgement.
 */
import t from 'tap'
import { writeEffects } from '../../../services/store/effects.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { transaction } from '../../../services/store/pool.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { fold, id, monitorInput } from '../../streams/incident/build.ts'
import { create } from '../api/monitoring.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel } from './channels.ts'
import { asDefault, policy, step, stepped, worker } from './escalating.ts'

t.setTimeout(120_000)
const codec = localCodec()

interface Home {
  tenant_id: string
  monitor_id: string
}

async function turned(s: Stand, { tenant_id, monitor_id }: Home, status: 'up' | 'down', ver: number): Promise<void> {
  const down = status === 'down'
  const value = {
    tenant_id,
    monitor_id,
    event_id: id(`${monitor_id} ${ver}`),
    ver,
    status,
    phase: down ? 'down' : 'ok',
    previous_status: down ? 'up' : 'down',
    previous_phase: down ? 'validating' : 'down',
    at: Date.now()
  } as const
  const inputs = [monitorInput(value, { offset: ver })]
  await transaction(s.systemPool, async (tx) => {
    const { saved, outgoing, jobs } = fold(await incidentStore.load(tx, inputs), inputs)
    await incidentStore.save(tx, saved)
    await writeEffects(tx, { outgoing, jobs }, codec)
  })
}

t.test('reminders of a monitor that is down', async (t) => {
  const s = await stand(t, { jobs: true })
  worker(t, s)
  const { tenant_id } = s.acme
  const note = await channel(s, s.acme, { kind: 'ntfy', config: { topic: 'shop' } })
  await channel(s, s.acme, { config: { url: 'https://127.0.0.1/' } })
  const { id: monitor_id } = await create(s, s.acme, { repeat_interval_seconds: 300 })
  const home = { tenant_id, monitor_id }

  const reminders = async () =>
    (
      await s.systemPool.query<{ channel_id: string; suppressed_by: string | null; why: { nth: number } }>(
        "SELECT channel_id, suppressed_by, why FROM intents WHERE tenant_id = $1 AND event = 'reminder' ORDER BY at",
        [tenant_id]
      )
    ).rows
  const jobs = async () =>
    (
      await s.systemPool.query<{ payload: { nth: number }; run_at: number; in_ms: number }>(
        "SELECT payload, run_at, extract(epoch FROM run_at - now()) * 1000 AS in_ms FROM jobs WHERE tenant_id = $1 AND kind = 'incident_remind'",
        [tenant_id]
      )
    ).rows
  /** Makes the reminder due. Resolves once it has been processed. */
  const due = async (): Promise<void> => {
    const [before] = await jobs()
    await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE tenant_id = $1 AND kind = 'incident_remind'", [tenant_id])
    await until('the job to have run', async () => (await jobs())[0]?.payload.nth !== before?.payload.nth)
  }
  const incident = async (): Promise<string> =>
    (await s.call(s.acme, 'GET', `/api/v1/monitors/${monitor_id}`)).json().open_incident_id as string

  await t.test('a notified failure schedules a reminder after the interval', async (t) => {
    await turned(s, home, 'down', 2)
    await until('the job to be there', async () => (await jobs()).length === 1)
    const [job] = await jobs()
    t.match(job, { payload: { nth: 1, every_seconds: 300 } })
    t.ok(Number(job?.in_ms) > 200_000, 'later')
    t.same(await reminders(), [])
  })

  await t.test('a reminder goes to the notified note channel, not to a webhook', async (t) => {
    await due()
    t.match(await reminders(), [{ channel_id: note, suppressed_by: null, why: { by: 'told_before', nth: 1 } }])
    const { rows } = await s.systemPool.query("SELECT said, incident_id FROM deliveries WHERE tenant_id = $1 AND event = 'reminder'", [
      tenant_id
    ])
    t.match(rows, [{ said: { title: /^Still so: .* is down$/, path: `/incidents/${await incident()}` } }])
    await due()
    t.equal((await reminders()).length, 2)
  })

  await t.test('an acknowledged incident sends no reminder until the acknowledgement is taken back', async (t) => {
    const open = await incident()
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${open}/acknowledge`, {})).statusCode, 200)
    await due()
    t.equal((await reminders()).length, 2)
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${open}/unacknowledge`, {})).statusCode, 200)
    await due()
    t.equal((await reminders()).length, 3)
  })

  await t.test('a silenced incident sends no reminder', async (t) => {
    const open = await incident()
    t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${open}/silence`, { minutes: 60 })).statusCode, 200)
    await due()
    t.equal((await reminders()).length, 3)
    t.equal((await s.call(s.acme, 'DELETE', `/api/v1/incidents/${open}/silence`)).statusCode, 200)
  })

  await t.test('reminders stop when the incident ends', async (t) => {
    await turned(s, home, 'up', 3)
    await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE tenant_id = $1 AND kind = 'incident_remind'", [tenant_id])
    await until('the job to be gone', async () => (await jobs()).length === 0)
    t.equal((await reminders()).length, 3)
  })

  await t.test('a monitor without a repeat interval sends no reminders', async (t) => {
    await s.call(s.acme, 'PATCH', `/api/v1/monitors/${monitor_id}`, { repeat_interval_seconds: null })
    await turned(s, home, 'down', 4)
    const told = "SELECT FROM intents WHERE tenant_id = $1 AND event = 'down'"
    await until('the failure to be told', async () => (await s.systemPool.query(told, [tenant_id])).rowCount === 4)
    t.same(await jobs(), [])
  })
})

t.test('a channel that only a policy names hears of an acknowledgement and gets no reminders', async (t) => {
  const s = await stand(t, { jobs: true })
  worker(t, s)
  const { tenant_id } = s.acme
  const note = await channel(s, s.acme, { kind: 'ntfy', config: { topic: 'shop' } })
  const paged = await channel(s, s.acme, { kind: 'ntfy', config: { topic: 'paged' }, is_default: false })
  await asDefault(s, s.acme, await policy(s, s.acme, { steps: [step([{ type: 'channel', id: paged, urgency: 'default' }])] }))
  const { id: monitor_id } = await create(s, s.acme, { repeat_interval_seconds: 300 })
  await turned(s, { tenant_id, monitor_id }, 'down', 2)
  const { open_incident_id: incident_id } = (await s.call(s.acme, 'GET', `/api/v1/monitors/${monitor_id}`)).json()
  await stepped(s, incident_id, 1)
  const told = async (event: string): Promise<string[]> =>
    (
      await s.systemPool.query<{ channel_id: string }>('SELECT channel_id FROM intents WHERE tenant_id = $1 AND event = $2', [
        tenant_id,
        event
      ])
    ).rows.map(({ channel_id }) => channel_id)
  await until('both to be told', async () => (await told('down')).length === 2)
  await until('the reminder to be there', async () => {
    const { rowCount } = await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE tenant_id = $1 AND kind = 'incident_remind'", [
      tenant_id
    ])
    return rowCount === 1
  })
  await until('the reminder', async () => (await told('reminder')).length > 0)
  t.same(new Set(await told('reminder')), new Set([note]))
  t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${incident_id}/acknowledge`, {})).statusCode, 200)
  await until('the acknowledgement to be told', async () => (await told('acknowledged')).length > 1)
  t.same((await told('acknowledged')).sort(), [note, paged].sort())
})

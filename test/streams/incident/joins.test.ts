/** Tests, on real Postgres, that a person joins an alert without an incident to one. */
import t, { type Test } from 'tap'
import type { Alert, InboundAlert, Incident } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { replay } from '../../../services/operator/replay.ts'
import { joinIncident, lockJoin } from '../../../services/store/alert-joins.ts'
import { commandContext, declareIncident } from '../../../services/store/incident-commands.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { joinRefusal } from '../../../streams/incident/merging.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, declaration, id, integration_id, manual_key, monitorInput, T0, team_id, tenant_id, user_id } from './build.ts'
import { codec, stack } from './stack.ts'

const by = `user:${user_id}`
const title = (value: string) => ({ match: { all: [{ field: 'title', op: 'matches' as const, value }] } })
const rules = [
  ruleOf(id('kept'), { ...title('^kept'), actions: { promote: 'never' } }),
  ruleOf(id('group'), { ...title('^g'), actions: { group: { by: ['label.service'], window_seconds: 86_400, max_alerts: 100 } } })
]

async function stand(t: Test) {
  const s = await stack(t)
  await s.putRules(rules)
  let offset = 0
  const take = (name: string, seconds: number, over: Partial<InboundAlert> = {}) => {
    const at = T0 + seconds * 1000
    const own = { event_id: id(`${name} ${seconds}`), dedup_key: `int:${integration_id}:${name}`, occurred_at: at, received_at: at }
    return s.take(alertInput({ ...own, title: name, labels: { service: 'shop' }, ...over }, { offset: offset++ }))
  }
  return {
    s,
    fire: take,
    recover: (name: string, seconds: number) => take(name, seconds, { action: 'resolve' }),
    incidents: () => s.rows<Incident>('SELECT * FROM incidents ORDER BY number'),
    alerts: () => s.rows<Alert>('SELECT * FROM alerts ORDER BY title'),
    told: async () => (await s.rows<{ idem_key: string }>("SELECT idem_key FROM jobs WHERE kind = 'incident_notify'")).length,
    /** Joins as the api does. Returns the code of a refusal, or null. */
    join: (name: string, target: string, pause?: () => Promise<unknown>) =>
      tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        const { rows } = await tx.query<{ alert_id: string }>('SELECT alert_id FROM alerts WHERE title = $1', [name])
        const locked = await lockJoin(tx, tenant_id, rows[0]?.alert_id ?? uuidv7(), target)
        if ('missing' in locked) return locked.missing
        await pause?.()
        const refusal = joinRefusal(locked.alert, locked.target)
        if (refusal) return refusal.code
        await joinIncident(tx, codec, locked, by, commandContext(locked, { kind: 'command', src: by, request_id: null }))
        return null
      }),
    same: async () => {
      const lines: string[] = []
      const { differ } = await replay(s.pool, { workspace: null, incident: null, alert: null }, (line) => lines.push(line))
      t.same([lines, differ], [[], 0], 'all follows from its causes')
    }
  }
}

t.test('joining an alert to a plain incident notifies nobody, and it ends with the last alert', async (t) => {
  const { s, fire, recover, incidents, alerts, told, join, same } = await stand(t)
  await fire('plain', 0)
  await fire('kept a', 1, { severity: 'critical' })
  await s.obey('INC-1', { command: 'acknowledge', by, comment: null })
  const before = await told()
  t.equal(await join('kept a', 'INC-1'), null)
  t.equal(await told(), before, 'joining tells nobody')
  const [incident] = await incidents()
  t.match(incident, { status: 'ongoing', severity: 'critical', alert_count: 2, ongoing_alerts: 2, acknowledged_by: by, ver: 3 })
  t.equal(incident?.dedup_key, `grp:${incident?.incident_id}/${incident?.incident_id}`)
  t.match(await alerts(), [
    { title: 'kept a', incident_id: incident?.incident_id, promoted_at: Number, status: 'ongoing' },
    { title: 'plain', alert_id: incident?.incident_id, incident_id: incident?.incident_id, acknowledged_by: by }
  ])
  t.match(await s.rows('SELECT change, alert_id FROM incident_events ORDER BY ver DESC LIMIT 1'), [{ change: 'alerts_changed' }])
  t.equal(await join('kept a', 'INC-1'), 'ALREADY_PROMOTED')

  await fire('kept b', 2)
  t.equal(await join('kept b', 'INC-1'), null, 'a third one')
  await recover('plain', 10)
  await recover('kept b', 11)
  t.match(await incidents(), [{ status: 'ongoing', ongoing_alerts: 1, alert_count: 3 }])
  await recover('kept a', 12)
  t.match(await incidents(), [{ status: 'resolved', resolution_reason: 'recovered', ongoing_alerts: 0 }])
  await fire('kept a', 20)
  t.equal((await incidents()).length, 1, 'the next time it is kept again')
  await same()
})

t.test('an alert can join a group, a declared incident or a flapping one', async (t) => {
  const { s, fire, recover, incidents, join, same } = await stand(t)
  await fire('g1', 0)
  await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
    declareIncident(tx, codec, { tenant_id, dedup_key: manual_key }, { kind: 'command', src: by, request_id: null }, () => declaration(T0))
  )
  await s.take(monitorInput({ flapping: true, event_id: id('flaps') }))
  for (const name of ['kept a', 'kept b', 'kept c']) await fire(name, 1)
  for (const [at, name] of ['kept a', 'kept b', 'kept c'].entries()) t.equal(await join(name, `INC-${at + 1}`), null)
  t.match(await incidents(), [
    { alert_count: 2, ongoing_alerts: 2 },
    { alert_count: 1, ongoing_alerts: 1, source_kind: 'manual' },
    { alert_count: 2, ongoing_alerts: 2, flapping: false }
  ])
  t.equal((await s.rows("SELECT 1 FROM jobs WHERE kind = 'hold_end'")).length, 1, 'what held it by flapping is looked at')
  await fire('g2', 2)
  await recover('kept b', 3)
  t.match(await incidents(), [{ alert_count: 3 }, { status: 'ongoing', ongoing_alerts: 0, alert_count: 1 }, { ongoing_alerts: 2 }])
  await s.obey('INC-1', { command: 'resolve', by, note: null, until_recovered: true })
  t.match((await s.rows("SELECT status FROM alerts WHERE title = 'kept a'"))[0], { status: 'resolved' }, 'it ends with its incident')
  await same()
})

t.test('an invalid join is refused and changes nothing', async (t) => {
  const { s, fire, recover, incidents, join } = await stand(t)
  for (const [at, name] of ['one', 'two', 'three', 'kept a', 'kept b'].entries()) await fire(name, at)
  await s.merge('INC-1', 'INC-2')
  await s.obey('INC-3', { command: 'edit', by, edits: { team_id } })
  const before = await incidents()
  t.equal(await join('kept a', 'INC-1'), 'CONFLICT', 'merged away')
  t.equal(await join('kept a', 'INC-3'), 'CONFLICT', 'of another team')
  t.equal(await join('kept a', 'INC-9'), 'target')
  t.equal(await join('nothing', 'INC-2'), 'alert')
  await recover('kept b', 20)
  t.equal(await join('kept b', 'INC-2'), 'INCIDENT_RESOLVED', 'the alert is over')
  t.same(await incidents(), before)
  await s.obey('INC-2', { command: 'close', by, note: null, user_id })
  t.equal(await join('kept a', 'INC-2'), 'INCIDENT_RESOLVED')
})

t.test('a recovery that waits for a join sees the joined incident', async (t) => {
  const { s, fire, recover, incidents, join } = await stand(t)
  await fire('plain', 0)
  await fire('kept a', 1)
  let waiting: Promise<unknown> = Promise.resolve()
  await join('kept a', 'INC-1', async () => {
    waiting = recover('kept a', 10)
    await s.blocked()
  })
  await waiting
  t.match(await incidents(), [{ status: 'ongoing', alert_count: 2, ongoing_alerts: 1 }])
})

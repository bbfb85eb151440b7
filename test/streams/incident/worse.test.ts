/**
 * Tests, on real Postgres, that a fire that is worse than what a person resolved opens an incident
 * at once, and that no other fire does.
 */
import t, { type Test } from 'tap'
import type { Alert, InboundAlert, Incident } from '../../../schemas/generated/events.ts'
import type { RuleActions } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { replay } from '../../../services/operator/replay.ts'
import { lockAlert, obeyAlert } from '../../../services/store/alert-commands.ts'
import { commandContext } from '../../../services/store/incident-commands.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import type { Command } from '../../../streams/incident/rules.ts'
import { compileWindows } from '../../../streams/maintenance/windows.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, id, integration_id, T0, tenant_id, user_id, world } from './build.ts'
import { codec, stack } from './stack.ts'

const by = `user:${user_id}`
const resolve = { command: 'resolve', by, note: null, until_recovered: true } as const
const edit: Command = { command: 'edit', by, edits: { severity: 'critical' } }
const group = { by: ['label.service'], window_seconds: 86_400, max_alerts: 100 }

type Severity = InboundAlert['severity']

/** A fire of the key `name`, `seconds` after T0. */
const fireOf = (severity: Severity, seconds: number, name: string, over: Partial<InboundAlert> = {}) => {
  const at = T0 + seconds * 1000
  const own = { event_id: id(`${name} ${seconds}`), dedup_key: `int:${integration_id}:${name}`, occurred_at: at, received_at: at }
  return alertInput({ ...own, title: name, severity, labels: { service: 'shop' }, ...over }, { offset: seconds })
}

async function stand(t: Test, actions: RuleActions = {}) {
  const s = await stack(t)
  if (Object.keys(actions).length > 0) await s.putRules([ruleOf(id('rule'), { actions })])
  const incidents = () => s.rows<Incident>('SELECT * FROM incidents ORDER BY number')
  return {
    s,
    incidents,
    fire: (severity: Severity, seconds: number, over: Partial<InboundAlert> = {}, name = 'a') =>
      s.take(fireOf(severity, seconds, name, over)),
    alerts: () => s.rows<Alert>('SELECT * FROM alerts ORDER BY opened_at, alert_id'),
    /** Number, status and severity of each incident, and the number of the one that it reopens. */
    told: async () => {
      const all = await incidents()
      return all.map(({ number, status, severity, reopened_from }) => {
        const from = all.find(({ incident_id }) => incident_id === reopened_from)
        return `INC-${number} ${status} ${severity}${from ? ` of ${from.number}` : ''}`
      })
    },
    same: async () => {
      await s.rows('DELETE FROM routing_rule_sets')
      await s.rows('DELETE FROM routing_heads')
      const lines: string[] = []
      const { differ } = await replay(s.pool, { workspace: null, incident: null, alert: null }, (line) => lines.push(line))
      t.same([lines, differ], [[], 0], 'all follows from its causes')
    }
  }
}

t.test('a fire that is worse than what a person resolved opens an incident at once', async (t) => {
  const { s, fire, told, same } = await stand(t)
  await fire('warning', 0)
  await s.obey('INC-1', resolve)
  await fire('warning', 60)
  await fire('info', 120)
  t.same(await told(), ['INC-1 resolved warning'], 'the same and a lower severity stay quiet')
  await fire('critical', 150)
  t.same(await told(), ['INC-1 resolved warning', 'INC-2 ongoing critical of 1'])
  await s.obey('INC-2', resolve)
  await fire('warning', 180)
  await fire('critical', 240)
  t.same(await told(), ['INC-1 resolved warning', 'INC-2 resolved critical of 1'], 'nothing is worse than critical')
  await same()
})

t.test('what a person resolved is the worst that its source has said', async (t) => {
  const { s, fire, told } = await stand(t)
  await fire('warning', 0)
  await fire('critical', 10)
  await fire('warning', 20)
  await s.obey('INC-1', resolve)
  await fire('critical', 30)
  t.same(await told(), ['INC-1 resolved critical'], 'severities that go up and down page nobody')
  await fire('info', 40, { action: 'resolve' })
  await fire('info', 50)
  await s.obey('INC-2', resolve)
  await fire('warning', 60)
  t.same(await told(), ['INC-1 resolved critical', 'INC-2 resolved info', 'INC-3 ongoing warning of 2'], 'the next alert counts anew')
})

t.test('a worse fire from before the last one stays older, and the same again a repeat', async (t) => {
  const { s, fire, told } = await stand(t)
  await fire('warning', 60, { sequence: 5 })
  await s.obey('INC-1', resolve)
  await fire('critical', 70, { sequence: 4 })
  await fire('critical', 80, { sequence: 5 })
  await fire('critical', 50)
  t.same(await told(), ['INC-1 resolved warning'])
  await fire('critical', 90)
  t.same(await told(), ['INC-1 resolved warning', 'INC-2 ongoing critical of 1'])
})

t.test('what the source says counts, not a severity that a rule or a person gave', async (t) => {
  const rows: [name: string, actions: RuleActions, edited: boolean, first: Severity, opened: string][] = [
    ['a rule', { severity: 'critical' }, false, 'info', 'INC-2 ongoing critical of 1'],
    ['a rule that lowers it', { severity: 'info' }, false, 'warning', 'INC-2 ongoing info of 1'],
    ['a person', {}, true, 'warning', 'INC-2 ongoing critical of 1']
  ]
  for (const [name, actions, edited, first, opened] of rows) {
    await t.test(name, async (t) => {
      const { s, fire, told, same } = await stand(t, actions)
      await fire(first, 0)
      if (edited) await s.obey('INC-1', edit)
      await s.obey('INC-1', resolve)
      await fire(first, 30)
      t.equal((await told()).length, 1)
      await fire('critical', 60)
      t.equal((await told())[1], opened)
      await same()
    })
  }
})

t.test('rules decide about what gets worse as about any other alert', async (t) => {
  const { s, fire, incidents, same } = await stand(t, { suppress: true })
  await fire('warning', 0)
  await s.obey('INC-1', resolve)
  await fire('critical', 60)
  t.match((await incidents())[1], { status: 'ongoing', routing: { suppressed_by_rule_id: id('rule') } }, 'muted stays muted')
  await same()
})

t.test('one alert of a group that gets worse opens an incident, or joins the group', async (t) => {
  const { s, fire, told, alerts, same } = await stand(t, { group })
  await fire('warning', 0)
  await fire('critical', 1, {}, 'b')
  await s.obey('INC-1', resolve)
  await fire('critical', 60, {}, 'b')
  t.same(await told(), ['INC-1 resolved critical'], 'this one was critical')
  await fire('critical', 61)
  t.same(await told(), ['INC-1 resolved critical', 'INC-2 ongoing critical of 1'], 'the other was a warning')
  await fire('warning', 62, {}, 'c')
  const [first, , again, joined] = await alerts()
  t.match(again, { title: 'a', severity: 'critical', reopened_from: first?.incident_id })
  t.match(joined, { title: 'c', incident_id: again?.incident_id, reopened_from: null })
  await same()
})

t.test('an alert that a rule keeps from being an incident opens again as an alert', async (t) => {
  const { s, fire, incidents, alerts, same } = await stand(t, { promote: 'never' })
  await fire('warning', 0)
  const [alert] = await alerts()
  await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
    const locked = await lockAlert(tx, tenant_id, alert?.alert_id ?? '')
    if (!locked) throw new Error('no alert is ongoing')
    const context = commandContext(locked, { kind: 'command', src: by, request_id: null })
    await obeyAlert(tx, codec, locked, { ...resolve, reason: 'user' }, context)
  })
  await fire('warning', 60)
  t.equal((await alerts()).length, 1)
  await fire('critical', 61)
  t.match(await alerts(), [{ status: 'resolved' }, { status: 'ongoing', severity: 'critical' }])
  t.same(await incidents(), [])
  await same()
})

t.test('a maintenance window keeps what gets worse, as it keeps any alert', async (t) => {
  const acme = world()
  acme.take([fireOf('warning', 0, 'a')])
  acme.obey(resolve, T0 + 10_000, [...acme.incidents.keys()][0])
  const scope = { all: true, monitor_ids: [], heartbeat_ids: [], integration_ids: [], tags: [], matchers: [] }
  const spans = [{ starts_at: T0, ends_at: T0 + 600_000 }]
  const window = { window_id: id('window'), version: 1, effect: 'suppress_incidents', scope, settle_seconds: 0, spans, tagged: [] } as const
  acme.windows.set(tenant_id, compileWindows([window], []))
  acme.take([fireOf('critical', 60, 'a')])
  t.equal(acme.incidents.size, 1)
  const [alert] = acme.alerts.values()
  t.match(alert, { status: 'ongoing', severity: 'critical', incident_id: null, reopened_from: [...acme.incidents.keys()][0] })
  t.match(acme.jobs.at(-1), { start: 'maintenance_promote', payload: { alert_id: alert?.alert_id } }, 'it opens after the window')
})

t.test('a row that an older version wrote stays quiet until its alert has ended', async (t) => {
  const { s, fire, told } = await stand(t)
  await fire('warning', 0)
  await s.rows('UPDATE signals SET facts = NULL')
  await fire('warning', 10)
  await s.obey('INC-1', resolve)
  await fire('critical', 60)
  t.same(await told(), ['INC-1 resolved warning'])
  await fire('info', 70, { action: 'resolve' })
  await fire('warning', 80)
  await s.obey('INC-2', resolve)
  await fire('critical', 90)
  t.same((await told()).slice(1), ['INC-2 resolved warning', 'INC-3 ongoing critical of 2'])
})

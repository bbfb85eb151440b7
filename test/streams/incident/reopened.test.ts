/**
 * Tests, on real Postgres, that the decisions of rules stay in force when a failing target comes
 * back: what was muted stays muted, what was kept stays an alert, and both can be derived again
 * from their stored causes.
 */
import t, { type Test } from 'tap'
import type { Alert, Incident } from '../../../schemas/generated/events.ts'
import type { RuleActions } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { replay } from '../../../services/operator/replay.ts'
import { lockAlert, obeyAlert, promoteAlert } from '../../../services/store/alert-commands.ts'
import { commandContext, reopenIncident } from '../../../services/store/incident-commands.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import type { SignalRow } from '../../../streams/incident/signals.ts'
import { ruleOf } from '../routing/build.ts'
import { id, monitor_id, monitorInput, T0, team_id, tenant_id, user_id } from './build.ts'
import { codec, type Stack, stack } from './stack.ts'

const by = `user:${user_id}`
const dedup_key = `mon:${monitor_id}`
const resolve = { command: 'resolve', by, note: null, until_recovered: true } as const

const quiet: RuleActions = { suppress: true, severity: 'warning', team_id, labels_add: { kind: 'noise' }, priority: 'P4' }

/** Actions by the name of the monitor. */
const rules: Record<string, RuleActions> = {
  muted: { ...quiet, is_major: true, notify_resolved: false },
  kept: { promote: 'never', severity: 'warning', team_id },
  both: { promote: 'never', suppress: true }
}

async function stand(t: Test, name: string) {
  const s = await stack(t)
  const version = await putRules(s, rules)
  await s.take(monitorInput({ name, event_id: id('down'), severity: 'critical' }))
  await putRules(s, { later: { severity: 'info' } })
  const row = async () => (await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [dedup_key]))[0]
  return {
    s,
    /** The version of the rules that decided the first incident. */
    version,
    row,
    incidents: () => s.rows<Incident>('SELECT * FROM incidents ORDER BY number'),
    alerts: () => s.rows<Alert>('SELECT * FROM alerts ORDER BY opened_at, alert_id'),
    recover: () =>
      s.take(monitorInput({ event_id: id('up'), ver: 9, at: T0 + 90_000, status: 'up', previous_status: 'down' }, { offset: 5 })),
    /** Runs the timer at the end of the suppression, as the job does. */
    due: async (until?: number) => {
      const end = until ?? (await row())?.suppressed_until ?? 0
      await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
        reopenIncident(tx, codec, { tenant_id, dedup_key }, end, {
          kind: 'job',
          src: 'job:1',
          request_id: null,
          by: 'system:incident_reopen'
        })
      )
    },
    ofAlert: async (wanted: 'resolve' | 'promote') => {
      const [alert] = await s.rows<{ alert_id: string }>("SELECT alert_id FROM alerts WHERE status = 'ongoing'")
      await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        const locked = await lockAlert(tx, tenant_id, alert?.alert_id ?? '')
        if (!locked) throw new Error('no alert is ongoing')
        const context = commandContext(locked, { kind: 'command', src: by, request_id: null })
        if (wanted === 'promote') await promoteAlert(tx, codec, locked, { by, title: null }, context)
        else await obeyAlert(tx, codec, locked, { ...resolve, reason: 'user' }, context)
      })
    }
  }
}

const putRules = (s: Stack, named: Record<string, RuleActions>): Promise<number> =>
  s.putRules(
    Object.entries(named).map(([name, actions]) =>
      ruleOf(id(name), { match: { all: [{ field: 'title', op: 'matches', value: name === 'later' ? '.' : `^${name}` }] }, actions })
    )
  )

async function sameAgain(t: Test, s: Stack): Promise<void> {
  await s.rows('DELETE FROM routing_rule_sets')
  await s.rows('DELETE FROM routing_heads')
  const lines: string[] = []
  const { differ, changes } = await replay(s.pool, { workspace: null, incident: null, alert: null }, (line) => lines.push(line))
  t.same([lines, differ], [[], 0], `${changes} changes follow from their causes, without any rules`)
}

t.test('a muted incident reopens muted with the same routing, even after the rules changed', async (t) => {
  const { s, version, incidents, due } = await stand(t, 'muted')
  await s.obey('INC-1', resolve)
  await due()
  const [first, again] = await incidents()
  t.match(again, { number: 2, status: 'ongoing', reopened_from: first?.incident_id })
  t.match(again?.routing, { suppressed_by_rule_id: id('muted'), severity_by_rule: true, notify_resolved: false })
  const kept = ({ severity, team_id, visibility, labels, priority, is_major, routing, routing_version }: Incident) =>
    JSON.stringify({ severity, team_id, visibility, labels, priority, is_major, routing, routing_version })
  t.equal(again && kept(again), first && kept(first))
  t.match(again, { severity: 'warning', team_id, priority: 'P4', is_major: true, routing_version: version })

  await s.take(monitorInput({ event_id: id('worse'), ver: 8, at: T0 + 60_000, severity: 'critical' }, { offset: 4 }))
  t.match((await incidents())[1], { severity: 'warning' }, 'a rule gave the severity')
  await s.obey('INC-2', resolve)
  await due()
  t.match((await incidents())[2]?.routing, { suppressed_by_rule_id: id('muted') }, 'and once more')
  await sameAgain(t, s)
})

t.test('an alert that rules kept comes back as an alert, not as an incident', async (t) => {
  const { s, incidents, alerts, due, recover, ofAlert, row } = await stand(t, 'kept')
  await ofAlert('resolve')
  const until = (await row())?.suppressed_until ?? 0
  await due(until - 1)
  t.equal((await alerts()).length, 1, 'a timer of another quiet has nothing to do')
  await due(until)
  await due(until)
  t.same(await incidents(), [])
  const [first, again] = await alerts()
  t.match(first, { status: 'resolved', incident_id: null })
  t.match(again, {
    status: 'ongoing',
    incident_id: null,
    promoted_at: null,
    severity: 'warning',
    team_id,
    monitor_id,
    routing: { matched_rule_ids: [id('kept')] }
  })
  t.match(await row(), { alert_id: again?.alert_id, incident_id: null, suppressed_until: null })
  t.same(
    (await s.rows<{ kind: string }>('SELECT kind FROM jobs')).filter(({ kind }) => kind === 'incident_notify'),
    [],
    'nobody is told'
  )

  await ofAlert('promote')
  t.match(await incidents(), [{ number: 1, status: 'ongoing' }], 'a person may still promote it')
  await recover()
  t.match(await incidents(), [{ status: 'resolved', resolution_reason: 'recovered' }])
  await sameAgain(t, s)
})

t.test('a promoted alert reopens as an incident that its rule still mutes', async (t) => {
  const { s, incidents, due, ofAlert } = await stand(t, 'both')
  await ofAlert('promote')
  await s.obey('INC-1', resolve)
  await due()
  const [first, again] = await incidents()
  t.match(again, { status: 'ongoing', reopened_from: first?.incident_id, routing: { suppressed_by_rule_id: id('both') } })
  await sameAgain(t, s)
})

t.test('an incident opened without rules reopens without them', async (t) => {
  const s = await stack(t)
  await s.take(monitorInput({ name: 'muted' }))
  await s.obey('INC-1', resolve)
  const [row] = await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [dedup_key])
  await putRules(s, rules)
  await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
    reopenIncident(tx, codec, { tenant_id, dedup_key }, row?.suppressed_until ?? 0, { kind: 'job', src: 'job:1', request_id: null, by })
  )
  t.match((await s.rows<Incident>('SELECT * FROM incidents ORDER BY number'))[1], { status: 'ongoing', routing: null, routing_version: 1 })
  await sameAgain(t, s)
})

t.test('a monitor that still fails in a mass outage reopens as a part of it', async (t) => {
  const s = await stack(t)
  const both = { configured: 2, fresh: 2, down: 2, up: 0, needed: 2, regions: [] }
  const ids = ['a', 'b', 'c', 'd'].map((name) => id(`monitor ${name}`))
  const down = (nth: number, vote = both) =>
    monitorInput({ event_id: id(`down ${nth}`), monitor_id: ids[nth] ?? '', at: T0 + nth * 1000, vote }, { offset: nth })
  await s.take(down(0), down(1), down(2), down(3, { ...both, configured: 1 }))
  const [outage] = await s.rows<Incident>("SELECT * FROM incidents WHERE source_kind = 'mass_outage'")
  /** A person resolves the newest incident of a monitor, and its timer runs. */
  const again = async (nth: number): Promise<Incident | undefined> => {
    const key = { tenant_id, dedup_key: `mon:${ids[nth]}` }
    const newest = () => s.rows<Incident>('SELECT * FROM incidents WHERE dedup_key = $1 ORDER BY number DESC', [key.dedup_key])
    await s.obey((await newest())[0]?.incident_id ?? '', resolve)
    const [row] = await s.rows<SignalRow>('SELECT * FROM signals WHERE dedup_key = $1', [key.dedup_key])
    await tenantTransaction(s.pool, wholeWorkspace(tenant_id), (tx) =>
      reopenIncident(tx, codec, key, row?.suppressed_until ?? 0, { kind: 'job', src: 'job:1', request_id: null, by })
    )
    return (await newest())[0]
  }
  const heldBy = async (incident: Incident | undefined): Promise<unknown[]> =>
    (await s.rows<{ cause_id: string }>('SELECT cause_id FROM incident_holds WHERE incident_id = $1', [incident?.incident_id])).map(
      ({ cause_id }) => cause_id
    )
  for (const [nth, what, held] of [
    [2, 'it was held before', true],
    [0, 'people were told of it before the mass outage began', true],
    [3, 'one region checks it', false]
  ] as const) {
    const reopened = await again(nth)
    t.match(reopened, { status: 'ongoing', reopened_from: /./ }, what)
    t.same(await heldBy(reopened), held ? [outage?.incident_id] : [], what)
  }
  await s.obey(outage?.incident_id ?? '', resolve)
  t.same(await heldBy(await again(2)), [], 'a person ended the mass outage')
  await sameAgain(t, s)
})

/**
 * Folds a log on real Postgres while its workspace's rules change between the records and people
 * act. Then the rules are deleted, and every incident and alert is derived again from the stored
 * causes: the records of the topics byte by byte, and the rows by `npm run replay`.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { RuleActions, StoredRule } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { type ReplayWords, replay, verdictOf, wantedOf } from '../../../services/operator/replay.ts'
import { UsageError } from '../../../services/operator/tool.ts'
import { lockAlert, obeyAlert, promoteAlert } from '../../../services/store/alert-commands.ts'
import { commandContext } from '../../../services/store/incident-commands.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { replayAlert, replayIncident, wasBefore } from '../../../streams/incident/replay.ts'
import type { Command } from '../../../streams/incident/rules.ts'
import { seeded } from '../../chaos/senders.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, heartbeatInput, id, integration_id, monitorInput, T0, team_id, tenant_id, user_id } from './build.ts'
import { codec, type Stack, stack } from './stack.ts'

const by = `user:${user_id}`
const all: ReplayWords = { workspace: null, incident: null, alert: null }
const KEYS = 14

const rule = (name: string, n: readonly number[], actions: RuleActions, over: Partial<StoredRule> = {}): StoredRule =>
  ruleOf(id(name), { match: { all: [{ field: 'label.n', op: 'in', value: n.map(String) }] }, actions, ...over })

/** Rule sets to change between: groups come and go, and severities, teams and labels differ. */
const sets: readonly (readonly StoredRule[])[] = [
  [],
  [
    rule('label', [1, 2, 3, 4], { labels_add: { 'ünï 🙂': 'b', a: 'c' }, priority: 'P2' }, { continue: true }),
    rule('kept', [0, 1], { promote: 'never' }),
    rule('group', [2, 3, 4, 5, 6, 7, 8], { group: { by: ['label.service'], window_seconds: 86_400, max_alerts: 4 } })
  ],
  [rule('team', [2, 3, 4, 5, 6, 7, 8], { team_id, severity: 'info', is_major: true, notify_resolved: false, auto_resolve_minutes: 30 })],
  [
    rule('muted', [3, 4], { suppress: true }, { continue: true }),
    rule('wide', [0, 2, 3, 4, 5, 9], { team_id, group: { by: ['severity'], window_seconds: 60, max_alerts: 10 } })
  ],
  [rule('kept', [0, 1, 2, 3, 4, 5, 6], { promote: 'never', severity: 'critical' })],
  [rule('group', [2, 3, 4, 5, 6, 7, 8], { group: { by: ['label.service', 'title'], window_seconds: 600, max_alerts: 3 } })]
]

/** Folds batches of random signals; rules change and people act between them. */
async function history(s: Stack, batches: number): Promise<void> {
  const next = seeded(11)
  const below = (most: number): number => Math.floor(next() * most)
  let count = 0
  const signal = (): Input => {
    count += 1
    const n = below(KEYS)
    const place = { offset: count }
    const at = T0 + count * 1000
    const event_id = id(`event ${count}`)
    const [fails, severity] = [below(5) > 1, (['info', 'warning', 'critical'] as const)[below(3)] ?? 'info']
    const labels = { n: String(n), service: String(n % 2), 'z "\\': 'tab\t' }
    if (n === KEYS - 1) {
      const [status, previous_status] = fails ? (['down', 'up'] as const) : (['up', 'down'] as const)
      return monitorInput({ event_id, ver: count, at, status, previous_status, severity, affected_regions: [`r${below(4)}`] }, place)
    }
    if (n === KEYS - 2) {
      const [status, previous_status] = fails ? (['missed', 'up'] as const) : (['up', 'missed'] as const)
      return heartbeatInput({ event_id, ver: count, at, status, previous_status, severity }, place)
    }
    const action = fails ? 'fire' : (['resolve', 'note', 'update'] as const)[below(3)]
    return alertInput(
      {
        event_id,
        dedup_key: `int:${integration_id}:${n}`,
        ...(action && { action }),
        title: `Ünï ${below(3)} 🙂`,
        description: below(3) === 0 ? null : `words ${below(5)}`,
        severity,
        occurred_at: at,
        received_at: at,
        labels
      },
      place
    )
  }
  const ofIncident = async (): Promise<void> => {
    const found = await s.rows<{ incident_id: string }>('SELECT incident_id FROM incidents ORDER BY number DESC LIMIT 8')
    const commands: Command[] = [
      { command: 'acknowledge', by, comment: below(2) === 0 ? null : 'mine 🙂' },
      { command: 'unacknowledge', by, reason: 'not mine' },
      { command: 'resolve', by, note: 'done', until_recovered: below(2) === 0 },
      { command: 'close', by, note: null, user_id },
      { command: 'silence', by, until: Date.now() + 60_000, reason: 'noise' },
      { command: 'unsilence', by },
      { command: 'assign', by, user_id },
      { command: 'edit', by, edits: { title: 'Edited', team_id: below(2) === 0 ? team_id : null, labels: { b: '1', a: '2' } } }
    ]
    const [incident, command] = [found[below(found.length)], commands[below(commands.length)]]
    if (incident && command) await s.obey(incident.incident_id, command)
  }
  const ofAlert = async (): Promise<void> => {
    const found = await s.rows<{ alert_id: string }>('SELECT alert_id FROM alerts ORDER BY started_at DESC LIMIT 8')
    const alert = found[below(found.length)]
    if (!alert) return
    await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
      const locked = await lockAlert(tx, tenant_id, alert.alert_id)
      if (!locked) return
      const context = commandContext(locked, { kind: 'command', src: by, request_id: null })
      if (locked.alert.incident_id === null && below(2) === 0) await promoteAlert(tx, codec, locked, { by, title: 'By hand' }, context)
      else if (below(2) === 0) await obeyAlert(tx, codec, locked, { command: 'acknowledge', by, comment: 'seen' }, context)
      else await obeyAlert(tx, codec, locked, { command: 'resolve', by, note: null, reason: 'user' }, context)
    })
  }
  const merge = async (): Promise<void> => {
    const found = await s.rows<{ number: number }>("SELECT number FROM incidents WHERE status = 'ongoing' ORDER BY number DESC LIMIT 5")
    const [source, target] = [found[below(found.length)], found[below(found.length)]]
    // A merge with another team's incident, or of an incident with itself, is refused and changes
    // nothing.
    if (source && target && source !== target) await s.merge(`INC-${source.number}`, `INC-${target.number}`)
  }
  for (let batch = 0; batch < batches; batch++) {
    if (batch % 8 === 0) await s.putRules(sets[(batch / 8) % sets.length] ?? [])
    await s.take(...Array.from({ length: 1 + below(12) }, signal))
    if (below(2) === 0) await ofIncident()
    if (below(2) === 0) await ofAlert()
    if (below(6) === 0) await merge()
  }
}

/** The outgoing records of a topic, by aggregate, in order. */
async function recordsOf(s: Stack, topic: string): Promise<Map<string, Buffer[]>> {
  const rows = await s.rows<{ aggregate: string; payload: Buffer }>(
    'SELECT aggregate, payload FROM outbox WHERE topic = $1 ORDER BY aggregate, ver',
    [topic]
  )
  const byAggregate = new Map<string, Buffer[]>()
  for (const { aggregate, payload } of rows) byAggregate.set(aggregate, [...(byAggregate.get(aggregate) ?? []), payload])
  return byAggregate
}

/**
 * Derives each list of records again from its causes and compares. Returns how many records there
 * were.
 */
function sameRecords(
  t: Test,
  lists: Map<string, Buffer[]>,
  again: (records: Buffer[]) => { bytes: Buffer[]; fault: string | null }
): number {
  let count = 0
  const differ: string[] = []
  for (const [name, records] of lists) {
    const { bytes, fault } = again(records)
    count += records.length
    if (fault !== null) differ.push(`${name}: ${fault}`)
    else if (!records.every((record, at) => bytes[at]?.equals(record)) || bytes.length !== records.length) differ.push(name)
  }
  t.same(differ, [])
  return count
}

t.test('replay derives every record from its stored cause after the rules are deleted', async (t) => {
  const s = await stack(t)
  await history(s, 160)
  const versions = await s.rows<{ routing_version: number }>(
    'SELECT DISTINCT routing_version FROM incidents UNION SELECT routing_version FROM alerts'
  )
  t.ok(versions.length > 6, `${versions.length} versions of the rules decided`)
  const [merged] = await s.rows<{ n: number }>('SELECT count(*) AS n FROM incidents WHERE merged_into IS NOT NULL')
  t.ok((merged?.n ?? 0) > 3, `${merged?.n} merged incidents`)
  const [grouped] = await s.rows<{ n: number }>('SELECT count(*) AS n FROM alerts WHERE incident_id IS NOT NULL')
  t.ok((grouped?.n ?? 0) > 20, `${grouped?.n} alerts of groups`)

  await s.rows('DELETE FROM routing_rule_sets')
  await s.rows('DELETE FROM routing_heads')
  const incidents = await recordsOf(s, 'incident.events.v1')
  const alerts = await recordsOf(s, 'alert.events.v1')
  const ofIncidents = sameRecords(t, incidents, (records) => {
    const events = records.map((record) => codec.decode('IncidentEvent', record))
    const { events: again, fault } = replayIncident(events, events[0]?.incident.number ?? 0, uuidv5)
    return { bytes: again.map((event) => codec.encode('IncidentEvent', event)), fault }
  })
  const ofAlerts = sameRecords(t, alerts, (records) => {
    const events = records.map((record) => codec.decode('AlertEvent', record))
    // An incident that was its own alert before a merge.
    const before = (incidents.get(`incident:${events[0]?.alert_id}`) ?? []).map((record) => codec.decode('IncidentEvent', record))
    const { events: again, fault } = replayAlert(events, { opened_in: null, was: wasBefore(before, events[0]) }, uuidv5)
    return { bytes: again.map((event) => codec.encode('AlertEvent', event)), fault }
  })
  t.ok(ofIncidents > 100 && ofAlerts > 100, `${ofIncidents} events of ${incidents.size} incidents, ${ofAlerts} of ${alerts.size} alerts`)

  const lines: string[] = []
  const count = await replay(s.pool, all, (line) => lines.push(line))
  t.same(lines, [])
  t.same(count, { incidents: incidents.size, alerts: alerts.size, changes: ofIncidents + ofAlerts, differ: 0 })
  t.match(verdictOf(count), /replayed from their causes: the same bytes$/)

  await t.test('replay checks a single incident with its alerts, or a single alert', async (t) => {
    const [incident] = await s.rows<{ incident_id: string; number: number; alert_count: number }>(
      'SELECT incident_id, number, alert_count FROM incidents WHERE ongoing_alerts IS NOT NULL ORDER BY alert_count DESC LIMIT 1'
    )
    if (!incident) throw new Error('there is no group')
    for (const words of [
      ['--incident', incident.incident_id],
      ['--incident', `INC-${incident.number}`, '--workspace', 'acme']
    ]) {
      const lines: string[] = []
      t.match(await replay(s.pool, wantedOf(words), (line) => lines.push(line)), { incidents: 1, alerts: incident.alert_count, differ: 0 })
      t.match(lines[0], new RegExp(`^incident INC-${incident.number} .*: \\d+ versions, the same bytes$`))
      t.equal(lines.length, 1 + incident.alert_count)
    }
    const [alert] = await s.rows<{ alert_id: string }>('SELECT alert_id FROM alerts LIMIT 1')
    t.match(await replay(s.pool, wantedOf(['--alert', alert?.alert_id ?? '']), () => undefined), { incidents: 0, alerts: 1, differ: 0 })
    for (const words of [
      ['--incident', id('nobody')],
      ['--incident', 'INC-999999', '--workspace', 'acme'],
      ['--all', '--workspace', 'nowhere'],
      ['--alert', id('nobody')]
    ])
      await t.rejects(
        replay(s.pool, wantedOf(words), () => undefined),
        UsageError,
        words.join(' ')
      )
    t.match(await replay(s.pool, wantedOf(['--all', '--workspace', 'other']), () => undefined), { incidents: 0, alerts: 0 })
  })

  await t.test('the replay command prints its verdict', async (t) => {
    const url = s.pool.options.connectionString ?? ''
    const { stdout } = await promisify(execFile)(process.execPath, ['--import=tsx', 'services/operator/replay.ts', '--all'], {
      cwd: projectRoot,
      env: { ...process.env, NODE_OPTIONS: '', SERVICE_POSTGRES_SYSTEM_URL: url }
    })
    t.equal(stdout, `${verdictOf(count)}\n`)
  })

  await t.test('replay handles alerts that did not store the incident that they opened in', async (t) => {
    const { changed } = await withoutJoins(s)
    t.ok(changed > 10)
    t.match(await replay(s.pool, all, (line) => t.comment(line)), { differ: 0 })
  })

  await t.test('replay names each row and event that differs from its causes', async (t) => {
    const [one, two, three] = await s.rows<{ incident_id: string; number: number }>(
      'SELECT incident_id, number FROM incidents WHERE ver > 2 ORDER BY number LIMIT 3'
    )
    const [alert] = await s.rows<{ alert_id: string }>(
      'SELECT alert_id FROM alert_events GROUP BY alert_id HAVING min(ver) = 1 AND max(ver) > 1 LIMIT 1'
    )
    await s.rows("UPDATE incidents SET title = 'Another' WHERE incident_id = $1", [one?.incident_id])
    await s.rows('DELETE FROM incident_events WHERE incident_id = $1 AND ver = 2', [two?.incident_id])
    await s.rows("UPDATE incident_events SET comment = 'Never said' WHERE incident_id = $1 AND ver = 2", [three?.incident_id])
    await s.rows(`UPDATE alert_events SET cause = jsonb_set(cause, '{input}', '"{"') WHERE alert_id = $1 AND ver = 2`, [alert?.alert_id])
    const lines: string[] = []
    t.match(await replay(s.pool, all, (line) => lines.push(line)), { differ: 4 })
    const wanted = [
      `incident INC-${one?.number} (${one?.incident_id}): as it stands it differs in title`,
      `incident INC-${two?.number} (${two?.incident_id}): version 2 is missing`,
      `incident INC-${three?.number} (${three?.incident_id}): version 2 differs in comment`,
      `alert ${alert?.alert_id}: version 2 has no stored cause`
    ]
    t.same(lines.sort(), wanted.sort())
  })
})

/** Rewrites the first events of alerts as earlier versions wrote them. */
async function withoutJoins(s: Stack): Promise<{ changed: number }> {
  const rows = await s.rows<{ alert_id: string; input: string }>(
    "SELECT alert_id, cause ->> 'input' AS input FROM alert_events e WHERE ver = 1 AND NOT EXISTS (SELECT FROM alert_events m WHERE m.alert_id = e.alert_id AND m.cause ->> 'input' LIKE '%\"join\"%')"
  )
  let changed = 0
  for (const { alert_id, input } of rows) {
    const { joins, ...signal } = JSON.parse(input) as { joins?: string }
    if (joins === undefined) continue
    changed += 1
    await s.rows("UPDATE alert_events SET cause = jsonb_set(cause, '{input}', to_jsonb($2::text)) WHERE alert_id = $1 AND ver = 1", [
      alert_id,
      JSON.stringify(signal)
    ])
  }
  return { changed }
}

t.test('arguments of the replay command', async (t) => {
  t.same(wantedOf(['--all']), all)
  t.same(wantedOf(['--incident', 'inc-12', '--workspace', 'acme']), { workspace: 'acme', incident: 12, alert: null })
  for (const [words, message] of [
    [[], /^usage: npm run replay/],
    [['--help'], /^usage: npm run replay/],
    [['--nonsense'], /nonsense[\s\S]*usage:/],
    [['--all', '--alert', id('x')], /^usage:/],
    [['--incident', 'INC-12'], /--workspace: expected the workspace of the number/],
    [['--incident', '12'], /--incident: expected an id, or a number such as INC-12; got "12"/],
    [['--alert', 'x'], /--alert: expected an id, got "x"/]
  ] as const)
    t.throws(() => wantedOf([...words]), { name: 'UsageError', message }, words.join(' '))
})

/**
 * Runs folds, commands, promotions, joins and merges at random on real Postgres: nothing waits for
 * ever, and alerts and incidents agree. It runs until enough of each has happened, however slow the
 * machine is. LOCKS_SECONDS makes it longer; the requirement is 60.
 */
import t from 'tap'
import type { Incident } from '../../../schemas/generated/events.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { locksOf } from '../../../services/api/incidents/actions.ts'
import { lockAlert, obeyAlert, promoteAlert } from '../../../services/store/alert-commands.ts'
import { joinIncident, lockJoin } from '../../../services/store/alert-joins.ts'
import { commandContext, declareIncident } from '../../../services/store/incident-commands.ts'
import { tenantTransaction, transaction } from '../../../services/store/pool.ts'
import type { Input } from '../../../streams/define.ts'
import { joinRefusal } from '../../../streams/incident/merging.ts'
import type { Command, Step } from '../../../streams/incident/rules.ts'
import { seeded } from '../../chaos/senders.ts'
import { ruleOf } from '../routing/build.ts'
import { alertInput, declaration, id, integration_id, T0, tenant_id, user_id } from './build.ts'
import { codec, foldIn, stack } from './stack.ts'

const by = `user:${user_id}`
const SECONDS = Number(process.env.LOCKS_SECONDS ?? 4)
const KEYS = 12
const LEAST = { folded: 21, commanded: 21, merged: 11, joined: 4 }
/** The run fails after so many turns, in case merges never succeed. */
const MOST_TURNS = 20_000

const rules = [
  ruleOf(id('kept'), { match: { all: [{ field: 'label.n', op: 'in', value: ['0', '1'] }] }, actions: { promote: 'never' } }),
  ruleOf(id('group'), {
    match: { all: [{ field: 'label.n', op: 'in', value: ['2', '3', '4', '5', '6', '7', '8'] }] },
    actions: { group: { by: ['label.service'], window_seconds: 86_400, max_alerts: 4 } }
  })
]

t.test('random folds, commands, joins and merges do not deadlock, and their rows agree', async (t) => {
  const s = await stack(t)
  await s.putRules(rules)
  const next = seeded(7)
  const below = (most: number): number => Math.floor(next() * most)
  let offset = 0
  let count = 0
  const counts = { folded: 0, commanded: 0, repeated: 0, declared: 0, merged: 0, joined: 0, refused: 0 }
  const strange: string[] = []

  /**
   * Retries when a row was changed meanwhile, as the loop and the api do. A deadlock is a failure.
   */
  async function trying(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { code, detail = '', where = '' } = error as { code?: string; detail?: string; where?: string }
      if (code === '40001') counts.repeated += 1
      else strange.push([code, (error as Error).message, detail, where].join(' '))
    }
  }

  const signal = (n: number): Input => {
    count += 1
    const at = T0 + count * 1000
    return alertInput(
      {
        event_id: id(`event ${count}`),
        dedup_key: `int:${integration_id}:${n}`,
        action: below(2) === 0 ? 'fire' : 'resolve',
        occurred_at: at,
        received_at: at,
        labels: { n: String(n), service: String(n % 2) }
      },
      { offset: offset++ }
    )
  }
  // Keys of a partition have one owner: two folds never share a key, and often share a group.
  const fold = (lane: number) =>
    trying(async () => {
      await s.take(...Array.from({ length: 1 + below(6) }, () => signal(lane + 2 * below(KEYS / 2))))
      counts.folded += 1
    })

  /** Declared ones take over, and are taken over, too. */
  const declare = () =>
    trying(async () => {
      const key = { tenant_id, dedup_key: `man:${id(`declared ${below(3)}`)}` }
      await tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), (tx) =>
        declareIncident(tx, codec, key, { kind: 'command', src: by, request_id: null }, (now) =>
          declaration(now, { incident_id: uuidv7(), signal: { ...declaration(now).signal, dedup_key: key.dedup_key } })
        )
      )
      counts.declared += 1
    })

  async function merge(): Promise<void> {
    const incidents = await s.rows<{ incident_id: string }>(
      "SELECT incident_id FROM incidents ORDER BY (status = 'ongoing') DESC, number DESC LIMIT 8"
    )
    const [from, into] = [incidents[below(incidents.length)], incidents[below(incidents.length)]]
    if (!from || !into || from.incident_id === into.incident_id) return
    await trying(async () => {
      if ((await s.merge(from.incident_id, into.incident_id)) === null) counts.merged += 1
      else counts.refused += 1
    })
  }

  async function join(): Promise<void> {
    const alerts = await s.rows<{ alert_id: string }>("SELECT alert_id FROM alerts WHERE incident_id IS NULL AND status = 'ongoing'")
    const incidents = await s.rows<{ incident_id: string }>(
      "SELECT incident_id FROM incidents ORDER BY (status = 'ongoing') DESC, number DESC LIMIT 8"
    )
    const [alert, incident] = [alerts[below(alerts.length)], incidents[below(incidents.length)]]
    if (!alert || !incident) return
    await trying(() =>
      tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        const locked = await lockJoin(tx, tenant_id, alert.alert_id, incident.incident_id)
        if ('missing' in locked) throw new Error(`nothing to join: ${locked.missing}`)
        if (joinRefusal(locked.alert, locked.target)) counts.refused += 1
        else {
          await joinIncident(tx, codec, locked, by, commandContext(locked, { kind: 'command', src: by, request_id: null }))
          counts.joined += 1
        }
      })
    )
  }

  async function command(): Promise<void> {
    const incidents = await s.rows<{ incident_id: string }>('SELECT incident_id FROM incidents ORDER BY number DESC LIMIT 6')
    const alerts = await s.rows<{ alert_id: string }>('SELECT alert_id FROM alerts ORDER BY started_at DESC LIMIT 6')
    const incident = incidents[below(incidents.length)]
    const alert = alerts[below(alerts.length)]
    const asked: Command[] = [
      { command: 'acknowledge', by, comment: null },
      { command: 'resolve', by, note: null, until_recovered: below(2) === 0 },
      { command: 'close', by, note: null, user_id },
      { command: 'silence', by, until: Date.now() + 60_000, reason: null }
    ]
    const chosen = asked[below(asked.length)]
    if (incident && chosen && below(2) === 0) await trying(() => s.obey(incident.incident_id, chosen))
    else if (alert)
      await trying(() =>
        tenantTransaction(s.tenantPool, wholeWorkspace(tenant_id), async (tx) => {
          const locked = await lockAlert(tx, tenant_id, alert.alert_id)
          if (!locked) return
          const context = commandContext(locked, { kind: 'command', src: by, request_id: null })
          if (locked.alert.incident_id === null) await promoteAlert(tx, codec, locked, { by, title: null }, context)
          else await obeyAlert(tx, codec, locked, { command: 'resolve', by, note: null, reason: 'user' }, context)
        })
      )
    counts.commanded += 1
  }

  const end = process.hrtime.bigint() + BigInt(SECONDS) * 1_000_000_000n
  let turns = 0
  const kinds = Object.keys(LEAST) as (keyof typeof LEAST)[]
  const enough = (): boolean => kinds.every((kind) => counts[kind] >= LEAST[kind])
  const goesOn = (): boolean => process.hrtime.bigint() < end || (!enough() && strange.length === 0 && turns < MOST_TURNS)
  const lane = async (work: () => Promise<void>): Promise<void> => {
    while (goesOn()) {
      turns += 1
      await work()
    }
  }
  await Promise.all([
    lane(() => fold(0)),
    lane(() => fold(1)),
    lane(command),
    lane(command),
    lane(declare),
    lane(join),
    lane(merge),
    lane(merge)
  ])

  t.same(strange, [], 'no deadlock, no broken index')
  t.ok(enough(), `enough of each: ${JSON.stringify(counts)}`)
  t.comment(JSON.stringify(counts))
  const wrong = await s.rows<Incident & { ongoing: number; members: number }>(`
    SELECT * FROM (
      SELECT i.*, (SELECT count(*) FROM alerts a WHERE a.incident_id = i.incident_id AND a.status = 'ongoing') AS ongoing,
             (SELECT count(*) FROM alerts a WHERE a.incident_id = i.incident_id) AS members
        FROM incidents i) x
     WHERE x.ongoing_alerts IS NOT NULL AND (x.ongoing_alerts <> x.ongoing OR x.alert_count <> x.members
        OR (x.status = 'resolved' AND x.ongoing > 0) OR (x.status = 'ongoing' AND x.ongoing = 0 AND x.source_kind <> 'manual'))`)
  t.same(wrong, [], 'an incident counts its alerts, and ends with them, unless somebody declared it')
  const both = await s.rows(
    `SELECT a.dedup_key FROM alerts a JOIN incidents i ON i.tenant_id = a.tenant_id AND i.dedup_key = a.dedup_key AND i.status = 'ongoing'
      WHERE a.status = 'ongoing' AND i.ongoing_alerts IS NULL`
  )
  t.same(both, [], 'no key has an alert and an incident of its own')
  const unlocked = await s.rows(
    `SELECT i.incident_id FROM incidents i WHERE i.alert_count > 1 AND i.dedup_key NOT LIKE 'grp:%'
     UNION ALL SELECT a.alert_id FROM alerts a JOIN incidents i ON i.tenant_id = a.tenant_id AND i.incident_id = a.incident_id
      WHERE i.dedup_key NOT LIKE 'grp:%' AND i.dedup_key <> a.dedup_key`
  )
  t.same(unlocked, [], 'what has several alerts is locked by a group')
  const merged = await s.rows(
    `SELECT i.incident_id FROM incidents i LEFT JOIN incidents o ON o.incident_id = i.merged_into
      WHERE i.merged_into IS NOT NULL AND (i.status <> 'resolved' OR i.alert_count <> 0 OR o.incident_id IS NULL)`
  )
  t.same(merged, [], 'what was merged is over, and has no alerts')
  const lost = await s.rows(
    `SELECT a.alert_id FROM alerts a JOIN signals s ON s.tenant_id = a.tenant_id AND s.dedup_key = a.dedup_key
      WHERE a.status = 'ongoing' AND s.alert_id IS DISTINCT FROM a.alert_id`
  )
  t.same(lost, [], 'an ongoing alert is the newest of its key')
})

t.test('a command that ends nothing takes effect at once while an alert joins its incident', async (t) => {
  const s = await stack(t)
  await s.putRules(rules)
  const fire = (n: number): Input =>
    alertInput(
      { event_id: id(`joins ${n}`), dedup_key: `int:${integration_id}:${n}`, labels: { n: String(n), service: 'shop' } },
      { offset: n, timestamp: T0 + n }
    )
  await s.take(fire(2))
  const commands: Command[] = [
    { command: 'acknowledge', by, comment: null },
    { command: 'silence', by, until: Date.now() + 600_000, reason: null }
  ]
  for (const [nth, command] of commands.entries()) {
    let asked: Promise<Step | null> | undefined
    await transaction(s.pool, async (tx) => {
      await foldIn(tx, [fire(3 + nth)])
      asked = s.obey('INC-1', command, locksOf(command.command === 'silence' ? 'silence' : 'acknowledge'))
      await s.blocked()
    })
    const step = await asked
    t.match(step?.incident, { alert_count: 2 + nth, ongoing_alerts: 2 + nth }, `${command.command}: with the alert that has just joined`)
    t.equal(step?.events.length, 1)
  }
  let ended: Promise<unknown> | undefined
  const end: Command = { command: 'resolve', by, note: null, until_recovered: true }
  await transaction(s.pool, async (tx) => {
    await foldIn(tx, [fire(5)])
    ended = s.obey('INC-1', end, locksOf('resolve')).catch((error: unknown) => error)
    await s.blocked()
  })
  t.match(await ended, { code: '40001' }, 'an end is that of all alerts, so it is tried again')
  await t.rejects(s.obey('INC-1', end, { alerts: false }), /were not locked for resolve/)
  t.match(await s.obey('INC-1', end), { incident: { status: 'resolved', ongoing_alerts: 0 } })
})

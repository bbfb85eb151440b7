/**
 * Tests that Postgres's clock alone decides when people are notified: neither the clock of the
 * machine that appended a record nor that of a notifier delays or hastens anything.
 */
import t, { type Test } from 'tap'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { perform } from '../../../services/notifier/perform.ts'
import { leaseJobs } from '../../../services/store/jobs.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { alertInput, id, integration_id, tenant_id } from '../../streams/incident/build.ts'
import { stack } from '../../streams/incident/stack.ts'
import { ruleOf } from '../../streams/routing/build.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, ledger, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

const MINUTE = 60_000

/** Moves the clock of this process by `ms` until the test ends. */
function off(t: Test, ms: number): void {
  const { now } = Date
  t.teardown(() => {
    Date.now = now
  })
  Date.now = () => now() + ms
}

/** Runs the jobs that are due. Returns their kinds. */
async function runDue(s: Stand): Promise<string[]> {
  const asked = { kinds: Object.keys(runs), most: 100, perTenant: 100, held: new Map(), leaseMs: MINUTE }
  const due = await leaseJobs(s.systemPool, asked)
  for (const job of due) await perform({ pool: s.systemPool, codec: localCodec(), runs }, job, () => false)
  return due.map(({ kind }) => kind)
}

t.test('a record of a clock that is ahead delays no first notification and no first step', async (t) => {
  const s = await stack(t)
  await s.rows('UPDATE tenants SET storm_threshold = 1')
  await s.putRules([ruleOf(id('rule'), { actions: { escalation_policy_id: id('policy') } })])
  const ahead = Date.now() + 5 * MINUTE
  const fire = (name: string) =>
    alertInput(
      { event_id: id(name), dedup_key: `int:${integration_id}:${name}`, occurred_at: ahead, received_at: ahead },
      { offset: name.length, timestamp: ahead }
    )
  await s.take(fire('a'), fire('bb'))
  const due = await s.rows<{ kind: string; due: boolean }>('SELECT kind, run_at <= now() AS due FROM jobs ORDER BY kind, run_at')
  t.same(
    due.map(({ kind, due }) => [kind, due]),
    [
      ['escalation_step', true],
      ['escalation_step', true],
      ['incident_notify', true],
      ['incident_notify', true],
      ['storm_end', false]
    ]
  )
  const held =
    "SELECT storm_until <= clock_timestamp() + interval '1 minute' AS soon FROM incidents WHERE tenant_id = $1 AND storm_until IS NOT NULL"
  t.same(await s.rows(held, [tenant_id]), [{ soon: true }], 'nor does it make a storm longer')
})

t.test('a notifier whose clock is behind sees that a silence is over', async (t) => {
  const s = await stand(t, { jobs: true })
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  const made = await s.call(s.acme, 'POST', '/api/v1/silences', {
    matchers: [{ field: 'title', op: 'eq', value: 'Disk' }],
    comment: 'Tonight',
    ends_at: new Date(Date.now() + 60 * MINUTE).toISOString()
  })
  t.equal(made.statusCode, 201, made.body)
  await s.incident(s.acme, { title: 'Disk' })
  off(t, -10 * MINUTE)
  t.same(await runDue(s), ['incident_notify'])
  const states = async () => (await ledger(s)).map(({ state, suppressed_by }) => [state, suppressed_by])
  t.same(await states(), [['suppressed', 'silence']])
  await s.systemPool.query("UPDATE silences SET starts_at = now() - interval '1 hour', ends_at = now() - interval '1 second'")
  await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE kind = 'pattern_silence_end'")
  t.same(await runDue(s), ['pattern_silence_end'])
  t.same(await runDue(s), ['incident_notify'])
  t.same(await states(), [
    ['suppressed', 'silence'],
    ['queued', null]
  ])
})

t.test('a notifier whose clock is ahead makes messages that are due at once', async (t) => {
  const s = await stand(t, { jobs: true })
  await channel(s, s.acme, { config: { url: 'http://127.0.0.1:9/' } })
  await s.incident(s.acme)
  off(t, 10 * MINUTE)
  t.same(await runDue(s), ['incident_notify'])
  const { rows } = await s.systemPool.query('SELECT next_at <= now() AS due FROM deliveries')
  t.same(rows, [{ due: true }])
})

t.test('a notifier whose clock is behind waits before it sends again', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  target.answers.set('/hook', (response) => void response.writeHead(500).end())
  await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  off(t, -10 * MINUTE)
  notifier(t, s)
  const { rows: began } = await s.systemPool.query<{ now: number }>('SELECT clock_timestamp() AS now')
  await s.incident(s.acme)
  await until('it to wait', async () => (await ledger(s))[0]?.state === 'retrying')
  const { rows } = await s.systemPool.query<{ next_at: number }>('SELECT next_at FROM deliveries')
  t.ok((rows[0]?.next_at ?? 0) >= (began[0]?.now ?? 0) + 4000)
})

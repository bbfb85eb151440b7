/**
 * Tests of the delivery ledger, with receivers that record everything and fail in every way, and a
 * notifier that is killed at each of its crash points. In every case each delivery ends in one
 * state. It is repeated, under its own key, only if its arrival was unknown. Nobody is told of a
 * failure after they were told of its end.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { type CrashPointName, crashPoints } from '../../../streams/runtime/crash-point.ts'
import { groupBy, judgeDeliveries, type Receipt } from '../../chaos/check-deliveries.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, isQuiet, type LedgerRow, ledger, notifier } from './channels.ts'
import { type Answer, type Received, receiver } from './receiver.ts'

/** The behaviour of receivers, by path. */
const behaviours: Record<string, Answer> = {
  '/ok': (response) => void response.writeHead(204).end(),
  '/fails-first': (response, _request, nth) => void response.writeHead(nth === 0 ? 500 : 200).end(),
  '/overloaded-first': (response, _request, nth) => void response.writeHead(nth === 0 ? 429 : 200, { 'retry-after': '1' }).end(),
  '/resets-first': (response, _request, nth) => void (nth === 0 ? response.destroy() : response.writeHead(200).end()),
  // It accepts the message but never answers.
  '/silent-first': (response, _request, nth) => void (nth > 0 && response.writeHead(200).end()),
  '/refuses': (response) => void response.writeHead(400).end('no'),
  '/gone': (response) => void response.writeHead(410).end()
}

const program = fileURLToPath(new URL('notifier-process.js', import.meta.url))

function started(s: Stand, failAt: CrashPointName): ChildProcess {
  const { connectionString } = s.systemPool.options
  return spawn(process.execPath, [program], {
    env: { ...process.env, SERVICE_POSTGRES_SYSTEM_URL: connectionString, FAIL_AT: failAt },
    stdio: ['ignore', 'ignore', 'inherit']
  })
}

const keyOf = ({ headers }: Received): string => String(headers['x-service-delivery'])
const eventOf = ({ headers }: Received): string => String(headers['x-service-event'])
const incidentOf = ({ body }: Received): string => (JSON.parse(body) as { incident: { id: string } }).incident.id

/** Returns what each request was answered, in the form that the judge of fault runs needs. */
function heardBy(received: readonly Received[]): Receipt[] {
  const counts = new Map<string, number>()
  return received.map((one) => {
    const { path, body } = one
    const nth = counts.get(path) ?? 0
    counts.set(path, nth + 1)
    const silent = path === '/resets-first' || path === '/silent-first'
    const answer = path === '/refuses' || path === '/gone' ? 'refused' : nth > 0 || path === '/ok' ? 'took' : silent ? 'silence' : 'later'
    return { key: keyOf(one), event: eventOf(one), incident_id: incidentOf(one), path, body, answer }
  })
}

t.test('every delivery ends in one final state despite failures and crashes', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  for (const [path, answer] of Object.entries(behaviours)) {
    target.answers.set(path, answer)
    await channel(s, s.acme, { config: { url: `${target.url}${path}` } })
  }
  const points = crashPoints.filter((name) => name.startsWith('deliver.'))
  t.equal(points.length, 3)
  const incidents: string[] = []
  let killed = 0
  for (const point of points) {
    incidents.push((await s.incident(s.acme, { dedup_key: `int:x:${point}` })).incident_id)
    const [, signal] = await once(started(s, point), 'exit')
    if (signal === 'SIGKILL') killed += 1
    // Ends its leases; a new notifier would have to wait for them to expire.
    await s.systemPool.query('UPDATE deliveries SET next_at = now() WHERE open')
  }
  t.equal(killed, points.length, 'each point was reached')

  const last = notifier(t, s, { limits: { connectMs: 2000, totalMs: 1000 } })
  const settle = () =>
    until(
      'all to have ended',
      async () => {
        await s.systemPool.query("UPDATE deliveries SET next_at = now() WHERE state = 'retrying'")
        last.deliverer.wake()
        return isQuiet(s)
      },
      240_000
    )
  await settle()
  for (const id of incidents) t.equal((await s.call(s.acme, 'POST', `/api/v1/incidents/${id}/resolve`, { note: 'Done.' })).statusCode, 200)
  await settle()

  const rows = await ledger(s)
  t.ok(
    rows.every(({ state }) => ['sent', 'delivered', 'failed', 'expired', 'suppressed'].includes(state)),
    'final states only'
  )
  t.same(judgeDeliveries(rows, heardBy(target.received)).violations, [])
  const byKey = groupBy(target.received, keyOf)
  t.ok(byKey.size > 0)
  for (const row of rows) {
    const got = byKey.get(row.delivery_id) ?? []
    t.ok(got.length <= row.attempts, `${row.event}: received ${got.length} times by ${row.attempts} attempts`)
    t.equal(new Set(got.map(({ body }) => body)).size <= 1, true, 'the same bytes')
    // An attempt after one that arrived exists only because the arrival was unknown.
    const known = row.attempt_log.filter(({ outcome }) => outcome === 'accepted' || outcome === 'refused')
    t.ok(known.length <= 1, 'nothing is sent behind an outcome that was recorded')
    t.equal(row.accepted, row.state === 'sent' || row.state === 'delivered')
  }
  t.same(
    [...byKey.keys()].filter((key) => !rows.some(({ delivery_id }) => delivery_id === key)),
    [],
    'nothing was sent that the ledger does not know'
  )
  ordered(t, target.received)
  recovered(t, rows)
})

/** Checks that nobody is told of a failure after its end. */
function ordered(t: Test, received: readonly Received[]): void {
  for (const [stream, of] of groupBy(received, (one) => `${one.path} ${incidentOf(one)}`)) {
    const events = of.map(eventOf)
    const end = events.indexOf('incident.resolved')
    t.ok(end < 0 || !events.slice(end).includes('incident.created'), `${stream}: ${events.join(' ')}`)
  }
}

/**
 * Checks that the end was sent to everybody who was told of the failure, or may have been, and to
 * nobody else.
 */
function recovered(t: Test, rows: readonly LedgerRow[]): void {
  const ofTarget = groupBy(rows, ({ channel_id, incident_id }) => `${channel_id} ${incident_id}`)
  for (const of of ofTarget.values()) {
    const down = of.find(({ event }) => event === 'down')
    const up = of.find(({ event, state }) => event === 'up' && state !== 'suppressed')
    const heard = down !== undefined && (down.accepted || down.ambiguous > 0)
    const off = of.at(-1)?.suppressed_by === 'disabled'
    if (!off) t.equal(up !== undefined, heard, JSON.stringify(of.map(({ event, state, suppressed_by }) => [event, state, suppressed_by])))
  }
}

/**
 * Tests monitors and incidents together: the transitions of the status fold are the signals of the
 * incident fold.
 */
import t from 'tap'
import type { MonitorConfig } from '../../../schemas/generated/events.ts'
import { world as incidentWorld, monitorInput, tenant_id, user_id } from '../incident/build.ts'
import { configInput, monitor_id, play, T0, tickInput, world } from './build.ts'

const key = `mon:${monitor_id}`

/** A monitor, and the incidents that its transitions open. */
function pair(over: Partial<MonitorConfig> = {}) {
  const acme = world()
  const incidents = incidentWorld()
  acme.take(configInput(over), tickInput(T0))
  let at = T0
  let read = 0
  let version = 1
  const tell = (): void => {
    const inputs = acme.transitions().map((value, nth) => monitorInput(value, { offset: nth, timestamp: value.at + 5 }))
    incidents.take(inputs.slice(read))
    read = inputs.length
  }
  return {
    incidents,
    /** Plays rounds a minute apart, then lets the incident fold read the decisions. */
    rounds(...letters: string[]): void {
      at = play(acme, letters, at)
      tell()
    },
    /** The next version of its settings is read. */
    set(next: Partial<MonitorConfig>): void {
      acme.take(configInput({ ...over, version: ++version, ...next }, at))
      tell()
    },
    /** A person resolves the ongoing incident. */
    resolve(): void {
      const command = { command: 'resolve', by: `user:${user_id}`, note: null, until_recovered: true } as const
      incidents.obey(command, at, incidents.of(key).at(-1)?.incident_id)
    }
  }
}

t.test('regions that fail later are added to the incident and stay', async (t) => {
  const { incidents, rounds } = pair()
  rounds('SSS', 'FFS', 'FFS')
  t.match(incidents.of(key), [{ status: 'ongoing', affected_regions: ['a', 'b'] }])
  rounds('FFF', 'FFF')
  t.match(incidents.of(key), [{ status: 'ongoing', affected_regions: ['a', 'b', 'c'], title: 'Shop is down' }])
  t.same(
    incidents.events.map(({ change }) => change),
    ['created', 'updated']
  )
  rounds('SFF', 'SFF', 'FFF', 'FFF')
  t.match(incidents.of(key), [{ affected_regions: ['a', 'b', 'c'] }], 'none twice')
  t.equal(incidents.events.length, 2)
  rounds('SSS', 'SSS')
  t.match(incidents.of(key), [{ status: 'resolved', affected_regions: ['a', 'b', 'c'] }])
})

t.test('another failing region does not reopen an incident that a person ended', async (t) => {
  const { incidents, rounds, resolve } = pair()
  rounds('SSS', 'FFS', 'FFS')
  resolve()
  rounds('FFF', 'FFF')
  t.match(incidents.of(key), [{ status: 'resolved', affected_regions: ['a', 'b'] }])
})

t.test('a degraded monitor opens an incident only if its settings say so', async (t) => {
  const quiet = pair()
  quiet.rounds('SSS', 'DDD', 'DDD', 'SSS')
  t.same(quiet.incidents.of(key), [], 'not unless it is asked for')

  const { incidents, rounds } = pair({ open_on_degraded: true, severity_degraded: 'info' })
  rounds('SSS', 'DDD', 'DDD')
  t.match(incidents.of(key), [{ status: 'ongoing', severity: 'info', title: 'Shop is degraded' }])
  rounds('FDD', 'DDD')
  t.equal(incidents.events.length, 1, 'a failure of one region changes nothing')
  rounds('FFF', 'FFF')
  t.match(incidents.of(key), [{ status: 'ongoing', severity: 'critical', title: 'Shop is down', affected_regions: ['a', 'b', 'c'] }])
  rounds('DDD', 'DDD')
  t.match(incidents.of(key), [{ status: 'ongoing', severity: 'critical' }], 'no longer down, but not well')
  rounds('SSS')
  t.match(incidents.of(key), [{ status: 'resolved', resolution_reason: 'recovered' }])
  rounds('DDD')
  t.equal(incidents.of(key).length, 2)
})

t.test('an incident of a degraded monitor that a person ended stays quiet until recovery', async (t) => {
  const { incidents, rounds, resolve } = pair({ open_on_degraded: true })
  rounds('SSS', 'DDD')
  resolve()
  rounds('FDD', 'DDD', 'FDD', 'DDD')
  t.match(incidents.of(key), [{ status: 'resolved' }])
  rounds('SSS', 'DDD')
  t.match(incidents.of(key), [{ status: 'resolved' }, { status: 'ongoing', reopened_from: null }])
})

t.test('who says that a degraded state opens no incident ends the one that it opened', async (t) => {
  const off = { open_on_degraded: false }
  for (const [name, letters] of [
    ['degraded', ['DDD']],
    ['one region fails', ['DDD', 'FDD']],
    ['nothing is heard', ['DDD', '...', '...', '...']]
  ] as const) {
    const { incidents, rounds, set, resolve } = pair({ open_on_degraded: true })
    rounds('SSS', ...letters)
    t.match(incidents.of(key), [{ status: 'ongoing' }], name)
    set(off)
    t.match(incidents.of(key), [{ status: 'resolved', resolution_reason: 'user' }], name)
    t.match(incidents.events.at(-1), { comment: 'A degraded state no longer opens an incident.' })
    set({ ...off, name: 'Other' })
    rounds('DDD', 'FDD', 'DDD', 'SSS', 'DDD')
    resolve()
    t.equal(incidents.events.length, 2, 'nothing more comes of it')
    t.notOk(
      incidents.jobs.some((job) => 'start' in job && job.start === 'incident_reopen'),
      'and it never comes back'
    )
  }
})

t.test('who says so also ends the timer of the one that a person resolved', async (t) => {
  const { incidents, rounds, set, resolve } = pair({ open_on_degraded: true })
  rounds('SSS', 'DDD')
  resolve()
  t.match(incidents.signals.get(`${tenant_id}|${key}`), { last_action: 'fire' })
  set({ open_on_degraded: false })
  t.match(incidents.signals.get(`${tenant_id}|${key}`), { last_action: 'resolve', suppressed_until: null }, 'no timer reopens it')
})

t.test('a monitor that becomes degraded just before its deletion leaves no incident', async (t) => {
  const { incidents, rounds, set } = pair({ open_on_degraded: true })
  rounds('SSS', 'DDD')
  set({ deleted: true })
  t.match(incidents.of(key), [{ status: 'resolved', resolution_reason: 'monitor_deleted' }])
})

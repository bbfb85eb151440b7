/**
 * Tests mass outages: how many monitors make one, which incidents are part of it, and when it is
 * over.
 */
import t from 'tap'
import type { MonitorTransition } from '../../../schemas/generated/events.ts'
import { MAX_INCIDENT_REGIONS } from '../../../schemas/limits.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import {
  cameUp,
  noOutage,
  OUTAGE_KEY,
  OUTAGE_MS,
  type Outage,
  type OutageSettings,
  outageWords,
  wentDown
} from '../../../streams/incident/outages.ts'
import { replayIncident } from '../../../streams/incident/replay.ts'
import { tellingJobs } from '../../../streams/incident/telling.ts'
import { id, monitorInput, pending, T0, tenant_id, user_id, world } from './build.ts'

const SECOND = 1000
const settings = (over: Partial<OutageSettings> = {}): OutageSettings => ({ min_monitors: 3, monitors: 6, private_team_ids: [], ...over })

const BOTH = ['eu', 'us']
const wentDownAt = (outage: Outage, name: string, seconds: number, regions: readonly string[], own = settings()): Outage =>
  wentDown(outage, { id: name, name, at: T0 + seconds * SECOND, regions }, own, `outage ${name}`)
/** What is remembered after monitors went down, given by name and second. */
const after = (downs: readonly [string, number][], own = settings(), from: Outage = noOutage): Outage =>
  downs.reduce((outage, [name, seconds]) => wentDownAt(outage, name, seconds, BOTH, own), from)

t.test('how many down monitors start a mass outage', (t) => {
  const minutes = OUTAGE_MS / SECOND
  const rows: [string, readonly [string, number][], Partial<OutageSettings>, string | null][] = [
    [
      'two of six',
      [
        ['a', 0],
        ['b', 1]
      ],
      {},
      null
    ],
    [
      'the third',
      [
        ['a', 0],
        ['b', 1],
        ['c', 2]
      ],
      {},
      'outage c'
    ],
    [
      'the third, just within the time',
      [
        ['a', 0],
        ['b', 1],
        ['c', minutes - 1]
      ],
      {},
      'outage c'
    ],
    [
      'the first is too long ago',
      [
        ['a', 0],
        ['b', 1],
        ['c', minutes]
      ],
      {},
      null
    ],
    [
      'the same one three times',
      [
        ['a', 0],
        ['a', 1],
        ['a', 2]
      ],
      {},
      null
    ],
    [
      'half of four',
      [
        ['a', 0],
        ['b', 1]
      ],
      { monitors: 4 },
      'outage b'
    ],
    [
      'not half of five',
      [
        ['a', 0],
        ['b', 1]
      ],
      { monitors: 5 },
      null
    ],
    ['one of one is no two', [['a', 0]], { monitors: 1 }, null],
    [
      'two suffice where people say so',
      [
        ['a', 0],
        ['b', 1]
      ],
      { min_monitors: 2 },
      'outage b'
    ],
    [
      'a record that is late',
      [
        ['a', 10],
        ['b', 11],
        ['c', 5]
      ],
      {},
      'outage c'
    ]
  ]
  for (const [what, downs, over, begins] of rows) t.equal(after(downs, settings(over)).ongoing?.incident_id ?? null, begins, what)
  t.end()
})

t.test('the members of a mass outage, its end and its words', (t) => {
  const three = after([
    ['a', 0],
    ['b', 1],
    ['c', 2]
  ])
  t.match(three, { downs: [], ongoing: { failing: ['a', 'b', 'c'], count: 3, names: ['a', 'b', 'c'], regions: ['eu', 'us'] } })
  const more = after([['d', 600]], settings(), three)
  t.match(more.ongoing, { incident_id: 'outage c', failing: ['a', 'b', 'c', 'd'], count: 4 }, 'whoever follows, however late')
  t.equal(after([['d', 601]], settings(), more), more)
  const rest = ['a', 'b', 'c'].reduce(cameUp, more)
  t.match(rest.ongoing, { failing: ['d'] })
  t.match(cameUp(rest, 'd').ongoing, { failing: [], count: 4 })
  t.equal(cameUp(rest, 'x'), rest)
  t.same(
    cameUp(
      after([
        ['a', 0],
        ['b', 1]
      ]),
      'a'
    ).downs.map(({ id }) => id),
    ['b'],
    'who is up again does not count'
  )
  t.match(outageWords(three.ongoing as never), { title: 'Mass outage: 3 monitors went down together', summary: 'a, b, c.' })
  t.equal(outageWords(rest.ongoing as never).summary, 'a, b, c, d. 1 of them are still down.')
  const many = after(Array.from({ length: 12 }, (_, n) => [`m${n}`, n]))
  t.match(outageWords(many.ongoing as never).summary, /m9 and 2 more\.$/)
  t.end()
})

t.test('a mass outage has the regions of all its monitors, also of the first ones', (t) => {
  const two = wentDownAt(wentDownAt(noOutage, 'a', 0, ['eu']), 'b', 1, ['us', 'eu'])
  const three = wentDownAt(two, 'c', 2, ['asia'])
  t.same(three.ongoing?.regions, ['eu', 'us', 'asia'])
  t.same(wentDownAt(three, 'd', 3, ['us', 'africa']).ongoing?.regions, ['eu', 'us', 'asia', 'africa'])
  t.same(wentDownAt(cameUp(two, 'b'), 'c', 2, ['asia']).ongoing, null)
  const left = wentDownAt(cameUp(two, 'b'), 'c', 2, ['asia'])
  t.same(wentDownAt(left, 'd', 3, ['asia']).ongoing?.regions, ['eu', 'asia'], 'those of a monitor that is up again are left out')
  const stored: Outage = { downs: two.downs.map(({ id, name, at }) => ({ id, name, at })), ongoing: null }
  t.same(wentDownAt(stored, 'c', 2, ['asia']).ongoing?.regions, ['asia'], 'a row that an earlier version wrote')
  const wide = (name: string): string[] => Array.from({ length: 40 }, (_, n) => `${name}-${n}`)
  const most = ['a', 'b', 'c', 'd'].reduce((outage, name, n) => wentDownAt(outage, name, n, wide(name)), noOutage)
  t.equal(most.ongoing?.regions.length, MAX_INCIDENT_REGIONS)
  t.equal(wentDownAt(noOutage, 'a', 0, wide('a')).downs[0]?.regions?.length, 30)
  t.end()
})

const monitors = ['a', 'b', 'c', 'd', 'e'].map((name) => id(`monitor ${name}`))
let offset = 0
const change = (n: number, status: 'up' | 'down', seconds: number, over: Partial<MonitorTransition> = {}) =>
  monitorInput(
    {
      event_id: id(`${n} ${status} ${seconds}`),
      monitor_id: monitors[n] ?? '',
      name: `Monitor ${n}`,
      status,
      phase: status === 'up' ? 'ok' : 'down',
      previous_status: status === 'up' ? 'down' : 'up',
      previous_phase: status === 'up' ? 'down' : 'validating',
      ver: seconds,
      at: T0 + seconds * SECOND,
      ...over
    },
    { offset: offset++ }
  )

function workspace(over: Partial<OutageSettings> = {}) {
  const w = world()
  w.outages.set(tenant_id, settings(over))
  return w
}
const held = (w: ReturnType<typeof workspace>): unknown[] =>
  w.holds.map((hold) => ('outage_id' in hold ? [w.incidents.get(hold.incident_id)?.title, hold.outage_id] : null))

t.test('the third down monitor opens a mass outage, which holds the incidents after the first two', (t) => {
  const w = workspace()
  w.take([change(0, 'down', 1, { affected_regions: ['eu-west', 'ap-south'] })])
  w.take([change(1, 'down', 2)])
  t.same(w.of(OUTAGE_KEY), [])
  w.take([change(2, 'down', 3), change(3, 'down', 4)])
  w.take([change(4, 'down', 5)])
  const [outage, ...others] = w.of(OUTAGE_KEY)
  t.same(others, [])
  t.match(outage, {
    status: 'ongoing',
    severity: 'critical',
    source_kind: 'mass_outage',
    title: 'Mass outage: 5 monitors went down together',
    affected_regions: ['eu-west', 'ap-south', 'us-east'],
    alert_count: 0,
    ongoing_alerts: null,
    ver: 2
  })
  t.equal(monitors.filter((one) => w.of(`mon:${one}`).length === 1).length, 5, 'each has its incident')
  t.same([...w.incidents.values()].map(({ number }) => number).sort(), [1, 2, 3, 4, 5, 6])
  t.same(
    held(w),
    [2, 3, 4].map((n) => [`Monitor ${n} is down`, outage?.incident_id])
  )
  const told = w.events.filter(({ incident_id }) => incident_id === outage?.incident_id)
  t.match(
    told.map(({ change }) => change),
    ['created', 'updated'],
    'a batch makes one version'
  )
  t.match(told[0]?.incident.title, 'Mass outage: 4 monitors went down together')
  t.match(
    told.map(({ cause }) => JSON.parse(cause.input ?? '').keeps_edited_title),
    [undefined, true],
    'a title that a person gives stays'
  )
  t.equal(tellingJobs(told).length, 1, 'people are told of its begin')
  t.equal(tellingJobs(told.slice(1)).length, 0, 'and not of each that follows')

  w.take([change(0, 'up', 60), change(1, 'up', 61), change(2, 'up', 62), change(3, 'up', 63)])
  t.match(w.of(OUTAGE_KEY)[0], { status: 'ongoing', summary: /1 of them are still down/ })
  w.take([change(4, 'up', 64)])
  const over = w.of(OUTAGE_KEY)[0]
  t.match(over, { status: 'resolved', resolution_reason: 'recovered', summary: /Monitor 0, .* All are up again\.$/ })
  const events = w.events.filter(({ incident_id }) => incident_id === outage?.incident_id)
  t.same(replayIncident(events, outage?.number ?? 0, uuidv5), { events, fault: null }, 'it follows once more from its causes')
  const [member] = w.of(`mon:${monitors[2]}`)
  const own = w.events.filter(({ incident_id }) => incident_id === member?.incident_id)
  t.same(replayIncident(own, member?.number ?? 0, uuidv5), { events: own, fault: null })
  t.equal(JSON.parse(own[0]?.cause.input ?? '').bundled_into, outage?.incident_id)

  w.take([change(0, 'down', 70), change(1, 'down', 71)])
  t.equal(w.of(OUTAGE_KEY).length, 1, 'the next one begins anew')
  w.take([change(2, 'down', 72)])
  t.match(
    w.of(OUTAGE_KEY).map(({ status }) => status),
    ['resolved', 'ongoing']
  )
  t.end()
})

t.test('a mass outage can open and end in one batch', (t) => {
  const w = workspace()
  w.take([
    ...[0, 1, 2].map((n) => change(n, 'down', n + 1)),
    ...[0, 1, 2].map((n) => change(n, 'up', n + 11)),
    ...[0, 1].map((n) => change(n, 'down', n + 21))
  ])
  t.match(
    w.of(OUTAGE_KEY).map(({ status, title }) => [status, title]),
    [['resolved', 'Mass outage: 3 monitors went down together']]
  )
  t.match(w.signals.get(`${tenant_id}|${OUTAGE_KEY}`)?.facts?.outage, { downs: [{ id: monitors[0] }, { id: monitors[1] }], ongoing: null })
  t.end()
})

t.test('monitors and transitions that do not count towards a mass outage', (t) => {
  const rows: [string, Partial<MonitorTransition>][] = [
    ['one region', { vote: { configured: 1, fresh: 1, down: 1, up: 0, needed: 1, regions: [] } }],
    ['it flaps', { flapping: true }],
    ['it is degraded', { status: 'up', phase: 'degraded', previous_status: 'up', open_on_degraded: true }],
    ['a private team', { team_id: id('closed') }],
    ['private itself', { visibility: 'private', team_id: id('open') }]
  ]
  for (const [what, over] of rows) {
    const w = workspace({ private_team_ids: [id('closed')] })
    w.take([0, 1, 2].map((n) => change(n, 'down', n + 1, over)))
    t.equal(w.incidents.size, 3, what)
    t.same(
      [...w.signals.keys()].filter((name) => name.endsWith(OUTAGE_KEY)),
      [],
      what
    )
  }
  const off = world()
  off.take([0, 1, 2].map((n) => change(n, 'down', n + 1)))
  t.equal(off.incidents.size, 3, 'a workspace that wants none')
  t.notOk(off.events.some(({ cause }) => cause.input?.includes('bundled_into')))
  t.end()
})

t.test('after a person ends a mass outage a job checks its members, and counting starts again', (t) => {
  const w = workspace()
  w.take([0, 1, 2].map((n) => change(n, 'down', n + 1)))
  const [outage] = w.of(OUTAGE_KEY)
  const incident_id = outage?.incident_id ?? ''
  w.obey({ command: 'resolve', by: `user:${user_id}`, note: null, until_recovered: true }, T0 + 10 * SECOND, incident_id)
  t.match(
    pending(w.jobs).filter(({ start }) => start === 'outage_end'),
    [{ payload: { incident_id }, run_at: T0 + 10 * SECOND }]
  )
  t.same(
    pending(w.jobs).filter(({ start }) => start === 'incident_reopen'),
    [],
    'no timer opens it again'
  )
  w.take([change(3, 'down', 20)])
  t.equal(w.of(OUTAGE_KEY).length, 1)
  t.notOk(w.holds.at(-1)?.incident_id === w.of(`mon:${monitors[3]}`)[0]?.incident_id, 'the next one is told of')
  t.end()
})

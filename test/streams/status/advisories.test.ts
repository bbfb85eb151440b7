/**
 * Tests regions that fail alone, one sentence a row: who reads of it, and what is no such case.
 * Source: docs/design/api/monitors.md#s3-5.
 */
import t from 'tap'
import type { MonitorConfig } from '../../../schemas/generated/events.ts'
import { advisoryAt, begunAdvisories, withAdvisories } from '../../../streams/status/advisories.ts'
import { flapNotice, regionNotice } from '../../../streams/status/notices.ts'
import type { RegionRow } from '../../../streams/status/state.ts'
import { regionState, unheard } from '../../../streams/status/votes.ts'
import { world as incidentWorld, monitorInput } from '../incident/build.ts'
import { configInput, confirmation, frozen, monitor_id, play, SECOND, T0, team_id, tenant_id, tickInput, ticks, world } from './build.ts'

const MINUTE = 60 * SECOND
const rule = confirmation({ advisory_after_seconds: 120 })
const down: RegionRow = { ...unheard('a'), vote: 'down', last: 'failure', heard_at: T0 }
const alone: RegionRow = { ...down, alone_at: T0 }
const told: RegionRow = { ...alone, advisory: true }

const rows: [name: string, region: RegionRow, status: 'up' | 'down' | 'paused', after: number, byTick: boolean, now: Partial<RegionRow>][] =
  [
    ['a region that votes up is not alone', { ...down, vote: 'up' }, 'up', 0, true, {}],
    ['nor is one that has no vote yet', unheard('a'), 'up', 0, true, {}],
    ['one that votes down while the monitor is up is', down, 'up', 5, true, { alone_at: T0 + 5 * SECOND }],
    ['not while the monitor is down', down, 'down', 5, true, {}],
    ['nor one that is stale', { ...down, stale: true }, 'up', 5, true, {}],
    ['it keeps the time since when', alone, 'up', 60, true, { alone_at: T0 }],
    ['and is told of once that is long', alone, 'up', 120, true, { alone_at: T0, advisory: true }],
    ['by a tick, not by a result', alone, 'up', 120, false, { alone_at: T0 }],
    ['it stays told of', told, 'up', 121, false, { alone_at: T0, advisory: true }],
    ['until it votes up', { ...told, vote: 'up' }, 'up', 200, true, {}],
    ['or the others fail, too', told, 'down', 200, true, {}],
    ['or the monitor is paused', told, 'paused', 200, false, {}],
    ['or it falls silent', { ...told, stale: true }, 'up', 200, true, {}]
  ]
for (const [name, region, status, after, byTick, now] of rows) {
  t.test(name, async (t) => {
    const given = frozen([region, unheard('b')])
    const [first] = withAdvisories(given, status, rule, { clock: T0 + after * SECOND, byTick })
    t.equal(first?.alone_at, now.alone_at)
    t.equal(first?.advisory, now.advisory)
  })
}

t.test('unchanged advisories keep the same array and give the time of the next advisory', async (t) => {
  const regions = frozen([alone, told, unheard('c')])
  t.equal(withAdvisories(regions, 'up', rule, { clock: T0 + SECOND, byTick: true }), regions)
  t.equal(advisoryAt(regions, rule), T0 + 120 * SECOND)
  t.equal(advisoryAt([told], rule), null)
  t.same(begunAdvisories([alone, unheard('b')], [told, unheard('b')]), ['a'])
  t.same(begunAdvisories([told], [told]), [])
  t.match(regionState(told), { advisory: true })
  t.match(regionState(alone), { advisory: false, down_by: 'rounds' })
  t.match(regionState({ ...alone, by_rate: true, failures: [1, 2] }), { down_by: 'failure_rate', failures: 2 })
})

const begun = (over: Partial<MonitorConfig> = {}) => {
  const acme = world()
  acme.take(configInput({ confirmation: rule, ...over }), tickInput(T0))
  return acme
}

t.test('a region that fails alone gives one transition, one feed item and no incident', async (t) => {
  const acme = begun({ team_id, visibility: 'private' })
  const end = play(acme, ['SSS', 'FSS', 'FSS', 'FSS', 'FSS', 'FSS', 'FSS'], T0)
  const [advisory, ...others] = acme.transitions().filter(({ advisory_regions }) => advisory_regions.length > 0)
  t.same(others, [])
  t.match(advisory, { advisory_regions: ['a'], status: 'up', previous_status: 'up', phase: 'validating', previous_phase: 'validating' })
  t.match(advisory?.vote.regions[0], { region: 'a', state: 'down', advisory: true })
  t.equal(advisory?.at, T0 + 4 * MINUTE, 'two minutes after its vote for down')
  t.ok(acme.outgoing.some(({ event_type }) => event_type === 'monitor.region_advisory'))
  t.match(acme.feed, [
    {
      tenant_id,
      type: 'incident',
      severity: 'info',
      title: 'Shop has failed for long from a alone',
      about: { team_id, visibility: 'private' },
      monitor_id
    }
  ])
  t.equal(acme.feed.length, 1)
  const incidents = incidentWorld()
  incidents.take(acme.transitions().map((value, nth) => monitorInput(value, { offset: nth })))
  t.same(incidents.of(`mon:${monitor_id}`), [])
  play(acme, ['SSS', 'SSS'], end)
  t.equal(acme.row().regions[0]?.advisory, undefined)
  t.same(acme.told().at(-1), 'up/ok')
  t.equal(acme.feed.length, 1, 'its end is told to nobody')
})

t.test('after other regions failed too, the time of a lone failure starts again', async (t) => {
  const acme = begun()
  const end = play(acme, ['SSS', 'FFS', 'FFS', 'FSS', 'FSS'], T0)
  t.match(acme.row(), { status: 'up', since: T0 + 4 * MINUTE + 200 })
  t.equal(acme.row().regions[0]?.alone_at, T0 + 4 * MINUTE, 'from when the monitor was up again')
  t.equal(acme.feed.length, 0)
  play(acme, ['FSS'], end)
  t.equal(acme.feed[0]?.at, T0 + 6 * MINUTE)
})

t.test('with 0 seconds an advisory comes after the failure is confirmed', async (t) => {
  const acme = begun({ confirmation: confirmation({ advisory_after_seconds: 0 }) })
  play(acme, ['SSS', 'FSS'], T0)
  acme.take(...ticks(T0 + 2 * MINUTE, T0 + 2 * MINUTE))
  t.equal(acme.feed.length, 0, 'one failure is not confirmed')
  play(acme, ['FSS'], T0 + 2 * MINUTE)
  t.equal(acme.feed.length, 1)
})

t.test('a shorter advisory time takes effect with the next tick', async (t) => {
  const acme = begun({ confirmation: confirmation() })
  const end = play(acme, ['SSS', 'FSS', 'FSS', 'FSS', 'FSS'], T0)
  t.equal(acme.feed.length, 0)
  acme.take(configInput({ version: 2, confirmation: rule }), tickInput(end + SECOND))
  t.equal(acme.feed.length, 1)
})

t.test('a restart keeps the lone failure of a region', async (t) => {
  const acme = begun()
  const end = play(acme, ['SSS', 'FSS', 'FSS'], T0)
  acme.state = new Map(acme.stored)
  play(acme, ['FSS', 'FSS', 'FSS'], end)
  t.equal(acme.feed.length, 1)
})

t.test('flapping is announced once to all watchers', async (t) => {
  const flap = { enabled: true, window_rounds: 20, high_percent: 30, low_percent: 15 }
  const acme = begun({ regions: ['a'], flap, confirmation: confirmation({ rounds: 1, recovery_rounds: 1 }) })
  play(acme, [...'SSSSFSFSFSFSFSFS'], T0)
  t.equal(acme.row().flapping, true)
  t.match(acme.feed, [{ severity: 'warning', title: 'Shop changes between up and down too often', audience: 'watchers' }])
  t.equal(acme.feed.length, 1)
})

t.test('a lone region and a flapping monitor have one notice key for each transition', async (t) => {
  const watched = { tenant_id, monitor_id: 'm', ver: 7, name: 'Shop', about: { team_id: null, visibility: 'org' } as const, at: T0 }
  const [a, b] = ['eu-west', 'us-east'].map((region) => regionNotice({ ...watched, region }))
  t.match(a, { type: 'incident', severity: 'info', audience: 'watchers', monitor_id: 'm', title: /Shop .* eu-west alone/ })
  t.not(a?.key, b?.key)
  t.equal(flapNotice(watched).key, flapNotice({ ...watched, name: 'Store' }).key)
  t.not(flapNotice(watched).key, flapNotice({ ...watched, ver: 9 }).key)
})

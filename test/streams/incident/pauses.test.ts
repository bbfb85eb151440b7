/**
 * Tests a pause or deletion of a target while earlier decisions about it are still on their way.
 * However the configuration, the decisions and a person's commands interleave, a target that is no
 * longer watched has no ongoing incident once everything is read, unless the pause was to leave it
 * open.
 *
 * The folds and rules are the real ones. The api is modelled after its transaction: the
 * configuration goes to the log, and the ongoing incident that it finds is resolved.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Input } from '../../../streams/define.ts'
import { World as Beats, configInput as beatConfigInput, config as beatConfigOf, ping, pingInput, tickInput } from '../heartbeat/build.ts'
import { config, configInput, round, SECOND, world as statusWorld, T0 } from '../status/build.ts'
import { heartbeatInput, world as incidentWorld, monitorInput, user_id, type World } from './build.ts'

type Watch = { paused: boolean; deleted: boolean; resolve_open: boolean }

/** A target, the fold that judges it, and the records on their way to and from that fold. */
interface Target {
  key: string
  /** Plays one more minute, in which the target fails or succeeds. */
  minute(fails: boolean): void
  /** The configuration is appended to the log. */
  configure(watch: Watch, version: number): void
  /** The decisions of the fold so far, as input of the incident fold. */
  decided(): Input[]
  isDown(): boolean
}

function monitor(): Target {
  const acme = statusWorld()
  let now = T0
  acme.take(configInput({ regions: ['a'] }, T0))
  return {
    key: `mon:${config().monitor_id}`,
    minute(fails) {
      now += 60 * SECOND
      acme.take(...round(now, fails ? 'F' : 'S'))
    },
    configure: (watch, version) => acme.take(configInput({ regions: ['a'], version, ...watch }, now)),
    decided: () => acme.transitions().map((value, nth) => monitorInput(value, { offset: nth, timestamp: value.at + 5 })),
    isDown: () => acme.state.size > 0 && acme.row().status === 'down'
  }
}

function heartbeat(): Target {
  const beats = new Beats().take(beatConfigInput(beatConfigOf()), pingInput(ping(T0)), tickInput(T0))
  let now = T0
  return {
    key: `hb:${beatConfigOf().heartbeat_id}`,
    minute(fails) {
      beats.ticks(now, now + 60 * SECOND)
      now += 60 * SECOND
      beats.take(pingInput(ping(now, { kind: fails ? 'fail' : 'success' })))
    },
    configure: (watch, version) => void beats.take(beatConfigInput(beatConfigOf({ version, at: now, ...watch }))),
    decided: () => beats.told.map((value, nth) => heartbeatInput(value, { offset: nth, timestamp: value.at + 5 })),
    isDown: () => beats.state.has(beatConfigOf().heartbeat_id) && beats.row().status === 'missed'
  }
}

type Step =
  | { do: 'minute'; fails: boolean }
  | { do: 'pause'; resolve_open: boolean }
  | { do: 'resume' | 'delete' | 'resolve' | 'configurations' | 'decisions' | 'timers' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('minute' as const), fails: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pause' as const), resolve_open: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('resume' as const, 'resolve', 'configurations', 'decisions', 'timers') })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const) }) }
)

/** Plays the steps, then reads what is left. Returns the api's last setting and the incidents. */
function play(target: Target, steps: readonly Step[]): { watch: Watch; incidents: World } {
  const incidents = incidentWorld()
  const onTheWay: { watch: Watch; version: number }[] = []
  let watch: Watch = { paused: false, deleted: false, resolve_open: false }
  let version = 1
  let read = 0
  let now = T0

  const decisions = (): void => {
    const inputs = target.decided().slice(read)
    read += inputs.length
    if (inputs.length > 0) incidents.take(inputs)
  }
  const configurations = (): void => {
    for (const one of onTheWay.splice(0)) target.configure(one.watch, one.version)
  }
  const close = (): void => {
    const open = incidents.of(target.key).find(({ status }) => status === 'ongoing')
    if (!open) return
    const by = `user:${user_id}`
    incidents.obey({ command: 'resolve', by, note: null, until_recovered: false, unwatched: true }, now, open.incident_id)
  }
  const change = (next: Watch): void => {
    watch = next
    onTheWay.push({ watch, version: ++version })
  }
  for (const one of steps) {
    now += 60 * SECOND
    if (one.do === 'minute') target.minute(one.fails)
    else if (one.do === 'decisions') decisions()
    else if (one.do === 'configurations') configurations()
    else if (one.do === 'timers') incidents.reopenDue(now)
    else if (one.do === 'resolve') {
      const open = incidents.of(target.key).find(({ status }) => status === 'ongoing')
      const command = { command: 'resolve', by: `user:${user_id}`, note: null, until_recovered: true } as const
      if (open && !watch.paused) incidents.obey(command, now, open.incident_id)
    } else if (watch.deleted) continue
    else if (one.do === 'pause' && !watch.paused) {
      change({ paused: true, deleted: false, resolve_open: one.resolve_open })
      if (one.resolve_open) close()
    } else if (one.do === 'resume' && watch.paused) change({ paused: false, deleted: false, resolve_open: false })
    else if (one.do === 'delete') {
      change({ ...watch, deleted: true, resolve_open: true })
      close()
    }
  }
  configurations()
  decisions()
  return { watch, incidents }
}

const ongoing = (incidents: World, key: string): number => incidents.of(key).filter(({ status }) => status === 'ongoing').length

for (const [name, make] of [
  ['monitor', monitor],
  ['heartbeat', heartbeat]
] as const) {
  t.test(`${name}: a pause resolves an incident even if it overtakes the decision that opens it`, async (t) => {
    const target = make()
    const { incidents } = play(target, [
      { do: 'minute', fails: true },
      { do: 'minute', fails: true },
      { do: 'pause', resolve_open: true }
    ])
    t.equal(incidents.of(target.key).length, 1, 'the decision opened it')
    t.match(incidents.of(target.key), [{ status: 'resolved', resolution_reason: 'user' }])
  })

  t.test(`${name}: deleting the target resolves the incident that a pause left open`, async (t) => {
    const target = make()
    const { incidents } = play(target, [
      { do: 'minute', fails: true },
      { do: 'minute', fails: true },
      { do: 'pause', resolve_open: false },
      { do: 'delete' }
    ])
    t.match(incidents.of(target.key), [{ status: 'resolved', resolution_reason: 'monitor_deleted' }])
  })

  t.test(`${name}: a pause can leave the incident ongoing`, async (t) => {
    const target = make()
    const { incidents } = play(target, [
      { do: 'minute', fails: true },
      { do: 'minute', fails: true },
      { do: 'pause', resolve_open: false }
    ])
    t.match(incidents.of(target.key), [{ status: 'ongoing' }])
  })

  t.test(`${name}: a deleted target, or one paused with resolve_open, never has an ongoing incident`, async (t) => {
    const property = fc.property(fc.array(step, { maxLength: 24 }), (steps) => {
      const target = make()
      const { watch, incidents } = play(target, steps)
      const open = ongoing(incidents, target.key)
      if (watch.deleted || (watch.paused && watch.resolve_open)) assert.equal(open, 0)
      if (!watch.paused && !watch.deleted && !target.isDown()) assert.equal(open, 0)
      if (watch.deleted || (watch.paused && watch.resolve_open)) {
        incidents.reopenDue(Number.MAX_SAFE_INTEGER)
        assert.equal(ongoing(incidents, target.key), 0, 'and none comes back')
      }
    })
    fc.assert(property, { numRuns: 400 })
    t.pass('400 runs')
  })
}

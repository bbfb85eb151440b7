/**
 * Tests the topology against the folds, the topics and the picture: what a processor declares must
 * be what its fold causes, what schemas/topics.ts says of it, and what the documents show. The
 * compiler refuses a fold that causes something undeclared; a fold that is wrong on purpose shows
 * it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../schemas/files.ts'
import { stale } from '../../schemas/generate.ts'
import { type TopicSpec, topics } from '../../schemas/topics.ts'
import type { Effects, Emission, Hint, PartitionProcessor } from '../../streams/define.ts'
import { documents, withPicture } from '../../streams/flow-page.ts'
import { type Drawn, flow, sentFor } from '../../streams/picture.ts'
import { compile } from '../../streams/routing/rules.ts'
import { type ProcessorName, processors } from '../../streams/topology.ts'
import * as budget from './budget/build.ts'
import * as heartbeat from './heartbeat/build.ts'
import * as incident from './incident/build.ts'
import { ruleOf } from './routing/build.ts'
import * as status from './status/build.ts'

type Caused = Effects & { hints?: readonly Hint[] }

/** For each processor a story in which its fold causes everything that it can cause. */
const stories: Readonly<Record<ProcessorName, () => Caused>> = {
  status() {
    const world = status.world()
    world.take(status.configInput(), status.tickInput(status.T0))
    const end = status.play(world, ['SSS', 'FFF', 'FFF', 'FFF'], status.T0)
    world.take(status.tickInput(end + 60 * status.SECOND))
    world.take(status.configInput({ version: 2, confirmation: status.confirmation({ advisory_after_seconds: 60 }) }))
    status.play(world, ['SSS', 'SSS', 'FSS', 'FSS', 'FSS', 'FSS'], end + 120 * status.SECOND)
    return world
  },
  heartbeat() {
    const world = new heartbeat.World()
    world.take(heartbeat.configInput(heartbeat.config()), heartbeat.tickInput(heartbeat.T0))
    world.take(heartbeat.pingInput(heartbeat.ping(heartbeat.T0))).ticks(heartbeat.T0, heartbeat.T0 + 600 * heartbeat.SECOND)
    world.take(heartbeat.gapInput(heartbeat.T0 + 600 * heartbeat.SECOND, heartbeat.T0 + 610 * heartbeat.SECOND))
    world.take(heartbeat.configInput(heartbeat.config({ version: 2, paused: true, unpause_on_ping: true })))
    world.take(heartbeat.pingInput(heartbeat.ping(heartbeat.T0 + 620 * heartbeat.SECOND)))
    return world
  },
  budget() {
    const partition = budget.partition()
    partition.fold([budget.config(), budget.counter({ refused: 5 })])
    return partition
  },
  incident() {
    const world = incident.world()
    world.take([incident.alertInput()])
    world.obey({ command: 'silence', by: `user:${incident.user_id}`, until: incident.T0 + 3_600_000, reason: null }, incident.T0 + 1000)
    world.outgoing.length = 0
    world.jobs.length = 0
    const kept = compile(2, [ruleOf(incident.id('rule'), { actions: { promote: 'never' } })])
    world.rules.set(incident.tenant_id, kept)
    world.take([incident.monitorInput()])
    world.take([
      incident.alertInput({ action: 'resolve', occurred_at: incident.T0 + 2000, event_id: incident.id('recovery') }, { offset: 1 })
    ])
    return world
  }
}

function caused({ outgoing = [], ...others }: Caused): Emission[] {
  const kinds = (['jobs', 'notices', 'feed', 'intents', 'hints'] as const).filter((kind) => (others[kind]?.length ?? 0) > 0)
  return [...new Set<Emission>([...outgoing.map(({ topic }) => topic), ...kinds])].sort()
}

t.test('each fold emits exactly what its processor declares', async (t) => {
  for (const { name, emits } of processors) t.same(caused(stories[name]()), [...emits].sort(), name)
})

t.test('a fold that emits something undeclared does not compile', async (t) => {
  const outcome = () => ({ outgoing: [], jobs: [], refused: [], changed: new Map(), kept: new Map(), notices: [], hints: [] })
  const outage = { cause: 'tick_gap', from: 0, to: 1 } as const
  const declared = { kind: 'byPartition', name: 'x', reads: ['ingest.usage.v1'], keeps: 'nothing' } as const
  const right: PartitionProcessor<unknown, 'notices'> = {
    ...declared,
    emits: ['notices'],
    fold: () => ({ ...outcome(), notices: [outage] })
  }
  // @ts-expect-error: it gives notices and declares a topic.
  const wrong: PartitionProcessor<unknown, 'tenant.budgets.v1'> = { ...right, emits: ['tenant.budgets.v1'] }
  // Only the type check refuses it. When it runs, it emits what it does not declare.
  t.same(caused(right.fold(new Map(), [])), right.emits)
  t.same(caused(wrong.fold(new Map(), [])), ['notices'])
  t.same(wrong.emits, ['tenant.budgets.v1'])
})

/** The differences between the topology and the topic table. */
function faults(folds: readonly Drawn[], table: readonly TopicSpec[]): string[] {
  const names = folds.map(({ name }) => name)
  const same = (topic: string, what: string, declared: string[], said: readonly string[]): string[] => {
    const listed = said.filter((name) => names.includes(name))
    return [...declared].sort().join() === [...listed].sort().join() ? [] : [`${topic} ${what} ${listed}: the topology says ${declared}`]
  }
  return table.flatMap((spec) => {
    const of = (topicsOf: (fold: Drawn) => readonly string[]): string[] =>
      folds.filter((fold) => topicsOf(fold).includes(spec.name)).map(({ name }) => name)
    const hints = spec.name === 'realtime.frames.v1' && folds.some(({ emits }) => emits.includes('hints'))
    return [
      ...same(
        spec.name,
        'is read by',
        of(({ reads }) => reads),
        spec.read_by
      ),
      ...same(spec.name, 'is emitted by', of(sentFor), spec.emitted_by),
      ...(spec.written_by.includes('relay') === spec.emitted_by.length > 0 ? [] : [`${spec.name}: the relay writes what somebody emits`]),
      ...(spec.written_by.includes('processors (ping hints)') === hints ? [] : [`${spec.name}: hints are written by processors`])
    ]
  })
}

t.test('each topic names exactly the processors that read it and emit to it', async (t) => {
  t.same(faults(processors, topics), [])
  const change = (name: string, over: Partial<TopicSpec>) => topics.map((spec) => (spec.name === name ? { ...spec, ...over } : spec))
  t.match(faults(processors, change('alerts.inbound.v1', { read_by: ['analytics'] })), [/is read by : the topology says incident/])
  t.match(faults(processors, change('alerts.raw.v1', { read_by: ['incident'] })), [/is read by incident: the topology says/])
  t.match(faults(processors, change('monitor.state.v1', { emitted_by: ['budget'] })), [/is emitted by budget: the topology says status/])
  t.match(faults(processors, change('dlq.v1', { emitted_by: [] })), [/the relay writes what somebody emits/])
  t.match(faults(processors, change('realtime.frames.v1', { written_by: ['relay'] })), [/hints are written by processors/])
  t.equal(faults([], topics).length, 1, 'without processors nobody gives hints; their names are then unknown')
})

t.test('the processors have the expected names, kinds and topics', async (t) => {
  t.same(
    processors.map(({ name, kind, reads }) => [name, kind, ...reads]),
    [
      ['status', 'byPartition', 'checks.results.v1'],
      ['heartbeat', 'byPartition', 'heartbeat.pings.v1'],
      ['budget', 'byPartition', 'ingest.usage.v1'],
      ['incident', 'byKey', 'monitor.transitions.v1', 'heartbeat.transitions.v1', 'alerts.inbound.v1']
    ]
  )
})

t.test('the picture in the documents matches the topology', async (t) => {
  t.same(stale(documents()), [], 'else run npm run generate')
  const text = flow(processors, topics)
  for (const { name } of processors) t.match(text, new RegExp(`\\n {2}${name}\\{\\{${name}\\}\\}\\n[\\s\\S]*\\n\\| \`${name}\` \\|`), name)
  t.match(text, /\n {2}checks_results_v1 --> status\n/)
  t.match(text, /\n {2}heartbeat --> realtime_frames_v1\n/, 'hints pass the outbox by')
  const document = readFileSync(join(projectRoot, 'docs/architecture.md'), 'utf8')
  t.equal(withPicture(document, text), document)
  t.not(withPicture(document, flow(processors.slice(1), topics)), document, 'another topology makes it stale')
  t.throws(() => withPicture('# Nothing', text), /expected the lines/)
})

/**
 * Draws the data flow for docs/architecture.md as a diagram (Mermaid) and a table, from topology.ts
 * and schemas/topics.ts. It only makes text; generate.ts writes it.
 *
 * A solid arrow is an append or a read. A dotted arrow goes through the Postgres outbox and the
 * relay. What analytics reads is listed in a sentence, because it is nearly everything.
 */
import type { TopicName, TopicSpec } from '../schemas/topics.ts'
import type { Emission } from './define.ts'

/** The fields of a processor that the diagram needs. */
export interface Drawn {
  name: string
  kind: 'byPartition' | 'byKey'
  reads: readonly TopicName[]
  keeps: string
  emits: readonly Emission[]
}

const FRAMES = 'realtime.frames.v1'

/** Names for the effects that are not records of the fold itself. */
const effects: Readonly<Record<Exclude<Emission, TopicName>, string>> = {
  jobs: 'timers',
  notices: 'notices of our outages',
  feed: 'items of the feed',
  intents: 'intents: whom to tell what',
  hints: `hints: frames on \`${FRAMES}\` without the outbox`
}

const kinds: Readonly<Record<Drawn['kind'], string>> = { byPartition: 'owned by the partition', byKey: 'locked by key' }

/** What lies outside the log. It is listed by hand, because no table names it. */
const outside = [
  'outside(["probers, cron jobs, alert senders"]) --> intake',
  'people(["people, scripts"]) --> api',
  'gateway --> dashboards([dashboards])'
]

const isEffect = (emission: Emission): emission is Exclude<Emission, TopicName> => emission in effects

/**
 * Returns the topics on which the relay sends the effects of a processor. A feed item is sent as a
 * frame.
 */
export const sentFor = ({ emits }: Pick<Drawn, 'emits'>): TopicName[] => [
  ...new Set(emits.flatMap((emission): TopicName[] => (isEffect(emission) ? (emission === 'feed' ? [FRAMES] : []) : [emission])))
]

/** A role at the beginning of the flow that is drawn a second time where it reads. */
const atTheEnd: Readonly<Record<string, string>> = { intake: 'doors[intake]' }

const idOf = (name: string): string => name.replaceAll(/[^a-z0-9]/g, '_')

const arrow = (from: readonly string[], head: string, topic: string): string[] =>
  from.length === 0 ? [] : [`${from.join(' & ')} ${head} ${idOf(topic)}`]

/**
 * Returns the Mermaid text and the table, as they stand between the markers in
 * docs/architecture.md.
 */
export function flow(processors: readonly Drawn[], topics: readonly TopicSpec[]): string {
  const folds = new Set(processors.map(({ name }) => name))
  const drawn = topics.filter(({ read_by, emitted_by }) => [...read_by, ...emitted_by].some((name) => folds.has(name)))
  const roles = new Set(['intake', 'clock', 'api', 'gateway'])
  const arrows = drawn.flatMap(({ name, written_by, emitted_by, read_by }) => [
    ...arrow(
      written_by.filter((role) => roles.has(role)),
      '-->',
      name
    ),
    ...arrow(
      emitted_by.filter((who) => folds.has(who) || roles.has(who)),
      '-.->',
      name
    ),
    ...read_by.filter((who) => folds.has(who) || roles.has(who)).map((who) => `${idOf(name)} --> ${atTheEnd[who] ?? who}`)
  ])
  const hints = arrow(
    processors.filter(({ emits }) => emits.includes('hints')).map(({ name }) => name),
    '-->',
    FRAMES
  )
  const lines = [
    'flowchart LR',
    ...drawn.map(({ name }) => `${idOf(name)}[/${name}/]`),
    ...processors.map(({ name }) => `${name}{{${name}}}`),
    ...outside,
    ...arrows,
    ...hints
  ]
  const analytics = topics.filter(({ read_by }) => read_by.includes('analytics')).map(({ name }) => `\`${name}\``)
  return [
    '```mermaid',
    ...lines.map((line, nth) => (nth === 0 ? line : `  ${line}`)),
    '```',
    '',
    'Slanted boxes are topics, hexagons are processors. A dotted arrow goes through the outbox of Postgres and the relay. `analytics` also reads',
    `${analytics.slice(0, -1).join(', ')} and ${analytics.at(-1)}.`,
    '',
    '| processor | reads | keeps | emits |',
    '|---|---|---|---|',
    ...processors.map(row)
  ].join('\n')
}

function row({ name, kind, reads, keeps, emits }: Drawn): string {
  const read = reads.map((topic) => `\`${topic}\``).join(', ')
  const emitted = emits.map((emission) => (isEffect(emission) ? effects[emission] : `\`${emission}\``)).join(', ')
  return `| \`${name}\` | ${read} | ${keeps} (${kinds[kind]}) | ${emitted} |`
}

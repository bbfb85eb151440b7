/**
 * Leaves out of the facts of a step what is asked only through targets that a caller does not see.
 * `hidden` has these targets, as `type:id`.
 * Source: docs/design/api/on-call.md#oc-16, docs/design/api/incidents.md#in-20.
 */
import type { StepFacts } from '../../store/escalation.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { existing, nameOf, type Placed } from './rules.ts'

type Named = Pick<StepFacts, 'targets'>

const namedBy = (targets: StepFacts['targets'], id: string): boolean => targets.some(({ user_ids }) => user_ids.includes(id))

/** Returns whether a target that is seen leads to a person, or none does at all. */
export const showsPerson = ({ targets }: Named, hidden: ReadonlySet<string>, id: string): boolean =>
  namedBy(
    targets.filter((target) => !hidden.has(nameOf(target))),
    id
  ) || !namedBy(targets, id)

export const hidesChannel = (hidden: ReadonlySet<string>, id: string): boolean => hidden.has(`channel:${id}`) || hidden.has(`webhook:${id}`)

export function factsAsSeen(facts: StepFacts, hidden: ReadonlySet<string>): StepFacts {
  if (hidden.size === 0) return facts
  const isShown = (id: string): boolean => showsPerson(facts, hidden, id)
  return {
    ...facts,
    targets: facts.targets.filter((target) => !hidden.has(nameOf(target))),
    // In a fallback these are owners and admins.
    asked: facts.fallback ? facts.asked : facts.asked.filter(isShown),
    not_asked: facts.not_asked.filter(({ user_id }) => isShown(user_id)),
    channels: facts.channels.filter(({ channel_id }) => !hidesChannel(hidden, channel_id))
  }
}

/** Returns the targets and channels of these facts that exist and that the caller does not see. */
export async function hiddenTargets(tx: Tx, tenant_id: string, all: readonly StepFacts[]): Promise<ReadonlySet<string>> {
  const places = all.flatMap(({ targets, channels }): Placed[] => [
    ...targets.map((target) => ({ path: '', target })),
    ...channels.map(({ channel_id: id }) => ({ path: '', target: { type: 'channel' as const, id, urgency: 'default' as const } }))
  ])
  if (places.length === 0) return new Set()
  const seen = await existing(tx, tenant_id, places)
  const there = await seeingAll(tx, (tx) => existing(tx, tenant_id, places))
  return new Set([...there].filter((name) => !seen.has(name)))
}

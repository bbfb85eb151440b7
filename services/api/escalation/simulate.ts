/**
 * Simulates who would be asked when, if an incident opened at one instant and nobody answered
 * before another. It uses the rules of a real run with simulated time; nothing is written or sent.
 * Source: docs/design/api/on-call.md#oc-16.
 */
import { iso } from '../../../schemas/http/common.ts'
import type { SimulateAnswer, SimulateBody } from '../../../schemas/http/escalation.ts'
import type { PolicyTarget } from '../../../schemas/http/escalation-words.ts'
import { afterEmpty, afterFired, beginning, dueOf, type Next, type Standing } from '../../../streams/escalation/rules.ts'
import type { StoredPolicy } from '../../store/escalation-policies.ts'
import { type Asked, type Asking, askStep, reaches } from '../../store/escalation-targets.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { readNames } from '../../store/users.ts'
import { factsAsSeen, hidesChannel, showsPerson } from './hidden.ts'
import { existing, placesOf } from './rules.ts'

const MAX_ITEMS = 200
/**
 * The most times that the rules are evaluated. All cycles of a policy together have no more steps.
 */
const MAX_LOOKS = 1000

type Item = SimulateAnswer['items'][number]

/** How a person is asked, and through which target. */
function askedAs(
  { intents, facts: { fallback, targets } }: Asked,
  user_id: string
): Pick<Item['users'][number], 'methods' | 'ways' | 'by'> {
  const own = intents.filter(({ target }) => 'user_id' in target && target.user_id === user_id)
  const by = targets.find(({ user_ids }) => user_ids.includes(user_id))
  return {
    methods: own.flatMap(({ suppressed_by, method_kind }) => (suppressed_by === null && method_kind ? [method_kind] : [])),
    ways: own.map(({ method_kind: kind, due_at, suppressed_by }) => ({ kind, at: iso(due_at), suppressed_by })),
    by: fallback || !by ? null : { type: by.type, id: by.id }
  }
}

const namesPeople = (type: PolicyTarget['type']): boolean => type === 'schedule' || type === 'team'

/** Leaves out the people and channels that are asked only through hidden targets. */
function asSeen(found: Asked, hidden: ReadonlySet<string>): Asked {
  if (hidden.size === 0) return found
  const { facts } = found
  return {
    ...found,
    // In a fallback these are owners and admins.
    user_ids: facts.fallback ? found.user_ids : found.user_ids.filter((id) => showsPerson(facts, hidden, id)),
    channel_ids: found.channel_ids.filter((id) => !hidesChannel(hidden, id)),
    facts: factsAsSeen(facts, hidden)
  }
}

function itemOf(
  found: Asked,
  names: ReadonlyMap<string, string>,
  at: number,
  { cycle, step, started_at }: Standing
): Omit<Item, 'outcome' | 'reachable'> {
  const { user_ids, channel_ids, facts } = found
  const named = (id: string) => ({ id, name: names.get(id) ?? '' })
  return {
    offset_seconds: Math.round((at - started_at) / 1000),
    at: iso(at),
    cycle,
    step,
    users: user_ids.map((id) => ({ ...named(id), ...askedAs(found, id) })),
    channels: channel_ids,
    not_asked: facts.not_asked.map(({ user_id, why }) => ({ ...named(user_id), why })),
    not_told: facts.channels.flatMap(({ channel_id: id, why }) => (why === null ? [] : [{ id, why }])),
    nobody: facts.targets.flatMap(({ type, id, user_ids: behind }) => (namesPeople(type) && behind.length === 0 ? [{ type, id }] : [])),
    fallback: facts.fallback
  }
}

const bare = ({ cycle, step, started_at }: Standing, at: number, outcome: 'skipped' | 'exhausted'): Item => ({
  offset_seconds: Math.round((at - started_at) / 1000),
  at: iso(at),
  cycle,
  step,
  outcome,
  users: [],
  channels: [],
  not_asked: [],
  not_told: [],
  nobody: [],
  fallback: false,
  reachable: false
})

async function course(tx: Tx, policy: StoredPolicy, body: SimulateBody, now: number, hidden: ReadonlySet<string>): Promise<SimulateAnswer> {
  const { tenant_id, policy_id, team_id, body: rules } = policy
  const begun = body.at === undefined ? now : Date.parse(body.at)
  const until = body.ack_after_seconds === undefined ? Number.POSITIVE_INFINITY : begun + body.ack_after_seconds * 1000
  const incident: Asking['incident'] = {
    tenant_id,
    incident_id: policy_id,
    team_id,
    visibility: 'org',
    severity: body.severity ?? 'critical'
  }
  const items: Item[] = []
  let standing = beginning(rules, begun)
  let at = begun
  let asked: string[] = []
  for (let looks = 0; looks < MAX_LOOKS && at <= until; looks++) {
    if (items.length >= MAX_ITEMS) return { items, truncated: true }
    const due = dueOf(rules, standing, body.severity ?? 'critical', at)
    let next: Next
    if (due.now === 'wait') {
      at = due.until
      continue
    }
    if (due.now === 'exhausted') {
      items.push(bare(standing, at, 'exhausted'))
      return { items, truncated: false }
    }
    if (due.now === 'skipped') {
      items.push(bare(standing, at, 'skipped'))
      next = due.next
    } else {
      const asking: Asking = { incident, incident_ver: 0, escalation: null, by: 'policy', cause: '', now: at }
      const turn = { strategy: due.step.strategy, cycle: standing.cycle, asked }
      const found = await askStep(tx, asking, due.step, turn)
      const fired = reaches(found)
      const shown = asSeen(found, hidden)
      const people = [...shown.user_ids, ...shown.facts.not_asked.map(({ user_id }) => user_id)]
      const item = itemOf(shown, await readNames(tx, tenant_id, people), at, standing)
      items.push({ ...item, outcome: fired ? 'fired' : 'empty', reachable: fired })
      next = fired ? afterFired(rules, standing, found.more, at) : afterEmpty(rules, standing, at)
      asked = found.more && fired ? [...asked, ...found.user_ids] : []
      if (fired) standing = { ...standing, last_fired_at: at }
    }
    standing = { ...standing, ...next }
  }
  return { items, truncated: false }
}

/**
 * `now` in epoch ms. People and channels that are asked only through targets that the caller does
 * not see are left out.
 */
export async function simulate(tx: Tx, policy: StoredPolicy, body: SimulateBody, now: number): Promise<SimulateAnswer> {
  const places = placesOf(policy.body)
  const seen = await existing(tx, policy.tenant_id, places)
  return seeingAll(tx, async (tx) => {
    const there = await existing(tx, policy.tenant_id, places)
    return course(tx, policy, body, now, new Set([...there].filter((name) => !seen.has(name))))
  })
}

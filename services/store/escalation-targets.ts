/**
 * Finds whom a step of an escalation asks: its targets (people and channels) at this moment, and
 * the intent for each way to reach them. Writes nothing.
 *
 * Source: docs/design/api/on-call.md#s7-3, docs/design/api/decision-rules.md#s23-12.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { PolicyStep, PolicyTarget, Strategy, Urgency } from '../../schemas/http/escalation-words.ts'
import type { IntentReason } from '../../schemas/http/notification-words.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Intent } from '../../streams/define.ts'
import { type Candidate, choose } from '../../streams/escalation/rules.ts'
import { tellingOf } from '../../streams/reach/quiet-hours.ts'
import type { StepFacts, TargetFacts } from './escalation.ts'
import { onCallAt } from './on-call.ts'
import type { Tx } from './pool.ts'
import { canBeUsed, type Person, readChannels, readManagers, readPeople, readTeamPeople, type Way, waysTo } from './reach.ts'

/** An intent that was not sent within this time is not sent at all. */
const EXPIRES_MS = 86_400_000

/** What the step asks about, and on whose behalf. */
export interface Asking {
  incident: Pick<Incident, 'tenant_id' | 'incident_id' | 'team_id' | 'visibility' | 'severity'>
  /** Version of the incident that records the step. */
  incident_ver: number
  /** Null: a person escalates by hand. */
  escalation: NonNullable<Intent['escalation']> | null
  by: IntentReason
  /** Seed of the intent ids: identifies the step or the request. */
  cause: string
  /** Epoch ms. */
  now: number
}

export interface Asked {
  facts: StepFacts
  intents: Intent[]
  /** The people who are notified, each by at least one usable way. */
  user_ids: string[]
  channel_ids: string[]
  /** The step asks people one after another, and there are more. */
  more: boolean
}

interface Named {
  user_id: string
  urgency: Urgency
  target: Pick<PolicyTarget, 'type' | 'id'>
  /** A schedule names the person, too. */
  on_call: boolean
}

/** Returns whom the targets name at this moment. */
export async function resolveTargets(tx: Tx, tenant_id: string, targets: readonly PolicyTarget[], now: number): Promise<TargetFacts[]> {
  const ids = (type: PolicyTarget['type']) => targets.filter((target) => target.type === type).map(({ id }) => id)
  const [schedules, teams] = [ids('schedule'), ids('team')]
  const [onCall, members] = await Promise.all([
    schedules.length > 0 ? onCallAt(tx, tenant_id, schedules, now) : null,
    teams.length > 0 ? readTeamPeople(tx, tenant_id, teams) : null
  ])
  return targets.map((target): TargetFacts => {
    if (target.type === 'user') return { ...target, user_ids: [target.id] }
    if (target.type === 'team') return { ...target, user_ids: members?.get(target.id) ?? [] }
    const shift = target.type === 'schedule' ? onCall?.get(target.id) : undefined
    if (!shift) return { ...target, user_ids: [] }
    const { origin, layer, until, schedule_version, tzdb } = shift
    return { ...target, user_ids: [...shift.user_ids], on_call: { origin, layer, until, schedule_version, tzdb } }
  })
}

/**
 * Returns each person once, in the order of the targets. A person who is named twice gets the
 * higher urgency.
 */
function peopleOf(facts: readonly TargetFacts[]): Named[] {
  const named = new Map<string, Named>()
  for (const { type, id, urgency, user_ids } of facts)
    for (const user_id of user_ids) {
      const before = named.get(user_id)
      const on_call = type === 'schedule'
      if (!before) {
        named.set(user_id, { user_id, urgency, target: { type, id }, on_call })
        continue
      }
      if (urgency === 'high') before.urgency = 'high'
      before.on_call ||= on_call
    }
  return [...named.values()]
}

function base({
  incident,
  incident_ver,
  escalation,
  now
}: Asking): Omit<
  Intent,
  'intent_id' | 'target' | 'method_id' | 'method_kind' | 'urgency' | 'why' | 'suppressed_by' | 'suppressed_cause' | 'due_at' | 'expires_at'
> {
  const { tenant_id, incident_id, team_id, visibility } = incident
  return { tenant_id, incident_id, incident_ver, event: 'down', escalation, team_id, visibility, at: now }
}

const idOf = ({ incident, cause }: Asking, target: string, method: string): string =>
  uuidv5(incident.incident_id, `${cause} ${target} ${method}`)

/** Returns the ways to a person and when each is due. Quiet hours delay a way or suppress it. */
function timedWays({ incident, now }: Asking, { urgency, on_call }: Named, person: Person | undefined): (Way & { due_at: number })[] {
  return waysTo(person, urgency, incident).map((way) => {
    const due_at = now + way.delay_seconds * 1000
    if (!person || !canBeUsed(way)) return { ...way, due_at }
    const telling = tellingOf(person.quiet_hours, { at: due_at, severity: incident.severity, on_call })
    if (telling.tell === 'never') return { ...way, due_at, suppressed_by: 'quiet_hours' }
    return { ...way, due_at: telling.tell === 'later' ? telling.until : due_at }
  })
}

/** Makes one intent for each way to a person. */
function toPerson(asking: Asking, named: Named, person: Person | undefined): Intent[] {
  const { user_id, urgency, target } = named
  return timedWays(asking, named, person).map(({ method_id, kind, due_at, suppressed_by, cause }): Intent => {
    return {
      ...base(asking),
      intent_id: idOf(asking, user_id, method_id ?? suppressed_by ?? 'none'),
      target: { user_id },
      method_id,
      method_kind: kind,
      urgency,
      why: { by: asking.by, target },
      suppressed_by,
      suppressed_cause: cause,
      due_at,
      expires_at: due_at + EXPIRES_MS
    }
  })
}

const isSent = ({ suppressed_by }: Intent): boolean => suppressed_by === null

/** The state of a step, apart from the incident. */
export interface Turn {
  strategy: Strategy
  cycle: number
  /** People whom earlier parts of the step asked. */
  asked: readonly string[]
}

async function people(tx: Tx, asking: Asking, facts: readonly TargetFacts[], turn: Turn) {
  const { incident } = asking
  const named = peopleOf(facts)
  const known = await readPeople(
    tx,
    incident.tenant_id,
    named.map(({ user_id }) => user_id)
  )
  const candidates = named.map((one): Candidate => {
    const { user_id, urgency } = one
    return { user_id, urgency, reachable: timedWays(asking, one, known.get(user_id)).some(canBeUsed) }
  })
  const { incident_id } = incident
  const choice = choose(turn, candidates, { incident_id, cycle: turn.cycle, asked: new Set(turn.asked) })
  const told = new Set([...choice.ask, ...choice.unreachable])
  const intents = named.filter(({ user_id }) => told.has(user_id)).flatMap((one) => toPerson(asking, one, known.get(one.user_id)))
  const not_asked = candidates
    .filter(({ user_id }) => !choice.ask.includes(user_id))
    .map(({ user_id, reachable }) => ({
      user_id,
      why: reachable
        ? turn.strategy
        : (intents.find(({ target }) => 'user_id' in target && target.user_id === user_id)?.suppressed_by ?? 'asked_before')
    }))
  return { choice, intents, not_asked }
}

/** Notifies channels with the first part of a step, whatever its strategy. */
async function channels(tx: Tx, asking: Asking, targets: readonly PolicyTarget[], turn: Turn): Promise<Intent[]> {
  const named = targets.filter(({ type }) => type === 'channel' || type === 'webhook')
  if (named.length === 0 || turn.asked.length > 0) return []
  const ids = [...new Set(named.map(({ id }) => id))]
  const reached = await readChannels(tx, asking.incident.tenant_id, ids, asking.incident)
  return reached.map(({ channel_id, kind, suppressed_by, cause }): Intent => {
    const target = named.find(({ id }) => id === channel_id)
    return {
      ...base(asking),
      intent_id: idOf(asking, channel_id, 'channel'),
      target: { channel_id },
      method_id: null,
      method_kind: kind,
      urgency: target?.urgency ?? 'default',
      why: { by: asking.by, target: { type: target?.type ?? 'channel', id: channel_id } },
      suppressed_by,
      suppressed_cause: cause,
      due_at: asking.now,
      expires_at: asking.now + EXPIRES_MS
    }
  })
}

async function askTargets(tx: Tx, asking: Asking, targets: readonly PolicyTarget[], turn: Turn, fallback: boolean): Promise<Asked> {
  const [resolved, toChannels] = await Promise.all([
    resolveTargets(tx, asking.incident.tenant_id, targets, asking.now),
    channels(tx, asking, targets, turn)
  ])
  const told = await people(tx, asking, resolved, turn)
  const intents = [...told.intents, ...toChannels]
  const facts: StepFacts = {
    targets: resolved,
    asked: told.choice.ask,
    not_asked: told.not_asked,
    channels: toChannels.map(({ target, suppressed_by }) => ({
      channel_id: 'channel_id' in target ? target.channel_id : '',
      why: suppressed_by
    })),
    fallback,
    intent_ids: intents.map(({ intent_id }) => intent_id)
  }
  const channel_ids = toChannels.filter(isSent).flatMap(({ target }) => ('channel_id' in target ? [target.channel_id] : []))
  return { facts, intents, user_ids: told.choice.ask, channel_ids, more: told.choice.more }
}

/** Returns whether anybody is notified. */
export const reaches = ({ user_ids, channel_ids }: Pick<Asked, 'user_ids' | 'channel_ids'>): boolean =>
  user_ids.length + channel_ids.length > 0

/**
 * Returns the result of the step now. If it reaches nobody and its `on_empty` asks for a fallback,
 * owners and admins are asked.
 */
export async function askStep(
  tx: Tx,
  asking: Asking,
  step: Pick<PolicyStep, 'targets' | 'strategy' | 'on_empty'>,
  turn: Turn
): Promise<Asked> {
  const found = await askTargets(tx, asking, step.targets, turn, false)
  if (reaches(found) || step.on_empty === 'next' || turn.asked.length > 0) return found
  const managers = await readManagers(tx, asking.incident.tenant_id)
  const targets = managers.map((id): PolicyTarget => ({ type: 'user', id, urgency: 'high' }))
  const instead = await askTargets(tx, asking, targets, { ...turn, strategy: 'all' }, true)
  const { facts } = instead
  // People who were named but could not be asked stay in the record of the step.
  const before = found.intents.filter(({ intent_id }) => !facts.intent_ids.includes(intent_id))
  return {
    ...instead,
    intents: [...before, ...instead.intents],
    facts: {
      ...facts,
      targets: found.facts.targets,
      not_asked: [...found.facts.not_asked.filter(({ user_id }) => !facts.asked.includes(user_id)), ...facts.not_asked],
      channels: found.facts.channels,
      intent_ids: [...new Set([...found.facts.intent_ids, ...facts.intent_ids])]
    }
  }
}

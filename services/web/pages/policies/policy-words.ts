/** Escalation policies in plain words. Pure: the caller provides the names of targets. */
import type { Policy, PolicyCourse, PolicyDetail, Severity } from '../../api/shapes.ts'
import { DAY_MS, HOUR_MS, ownZone } from '../../parts/clock.ts'
import { durationInWords } from '../../parts/duration-words.ts'
import { dayAt, instantOf } from '../../parts/zone-times.ts'
import { policiesText } from '../../texts/policies.ts'
import { type RuleWindow, windowInWords } from '../routing/rule-words.ts'

export type Target = Pick<Policy['steps'][number]['targets'][number], 'type' | 'id'>
/** Names a target as the list of choices names it. */
export type NameOf = (target: Target) => string

type CourseItem = PolicyCourse['items'][number]

/** `Ann, Ben and 2 channels`. */
export function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : policiesText('and.last', { most: parts.slice(0, -1).join(', '), last })
}

/** A target as named within a sentence: `Ann`, `on call at Primary`, `team Payments`. */
export function targetInWords(target: Target, nameOf: NameOf): string {
  const name = nameOf(target)
  switch (target.type) {
    case 'user':
      return name
    case 'schedule':
      return policiesText('target.on_call', { name })
    case 'team':
      return policiesText('target.of_team', { name })
    case 'channel':
    case 'webhook':
      return policiesText('target.of_channel', { name })
  }
}

/** Says when a step is due, counted from the step before. */
export function waitInWords(seconds: number): string {
  if (Number.isNaN(seconds)) return policiesText('step.unknown')
  return seconds === 0 ? policiesText('step.now') : policiesText('step.after', { time: exactDuration(seconds) })
}

/** Like `durationInWords`, but without losing seconds: a wait of 90 s is not one minute. */
export const exactDuration = (seconds: number): string =>
  seconds > 60 && seconds < 3600 && seconds % 60 !== 0
    ? `${durationInWords(seconds)} ${durationInWords(seconds % 60)}`
    : durationInWords(seconds)

/** Says what must hold for a step to apply; null: nothing. */
export function conditionInWords({ severity, window }: { severity: readonly Severity[]; window: RuleWindow | null }): string | null {
  const parts = [
    ...(severity.length === 0 ? [] : [policiesText('when.severity', { severities: severity.join(', ') })]),
    ...(window === null ? [] : [policiesText('when.window', { window: windowInWords(window) })])
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

/** Says how often the policy starts again. */
export function roundsInWords(repeat: number): string {
  if (repeat === 0) return policiesText('row.once')
  return repeat === 1 ? policiesText('row.round') : policiesText('row.rounds', { count: repeat })
}

/** Names everybody whom the steps reach now, each once; null: nobody. */
export function reachedInWords(reaches_now: PolicyDetail['reaches_now']): string | null {
  const people = new Map(reaches_now.flatMap(({ users }) => users.map(({ id, name }): [string, string] => [id, name])))
  const count = new Set(reaches_now.flatMap(({ channels }) => channels)).size
  const channels = count === 0 ? [] : [count === 1 ? policiesText('one.channel') : policiesText('many.channels', { count })]
  const whom = [...people.values(), ...channels]
  return whom.length === 0 ? null : listed(whom)
}

type Use = PolicyDetail['used_by'][number]
const countedKinds = ['team', 'integration', 'monitor', 'heartbeat', 'routing_rule', 'incident'] as const satisfies readonly Use['kind'][]

/** `the workspace, 2 teams and 1 routing rule`; null: nothing. */
export function usesInWords(used_by: readonly Pick<Use, 'kind'>[]): string | null {
  const parts = used_by.some(({ kind }) => kind === 'workspace') ? [policiesText('use.workspace')] : []
  for (const one of countedKinds) {
    const count = used_by.filter(({ kind }) => kind === one).length
    if (count === 1) parts.push(policiesText(`use.${one}_one`))
    else if (count > 1) parts.push(policiesText(`use.${one}`, { count }))
  }
  return parts.length === 0 ? null : listed(parts)
}

/** A warning of the API in words, with the number of the step that it is about. */
export function warningInWords({ code, path, message }: PolicyDetail['warnings'][number]): string {
  const at = /^steps\[(\d+)\]/.exec(path ?? '')?.[1]
  if (code === 'reaches_nobody') return policiesText('warning.reaches_nobody')
  return at === undefined ? message : policiesText(`warning.${code}`, { step: Number(at) + 1 })
}

const reachesNobody = ({ warnings }: Pick<PolicyDetail, 'warnings'>): boolean => warnings.some(({ code }) => code === 'reaches_nobody')

/** `read`: the policies whose details are known by now. */
export function policiesAnswer(total: number, read: readonly Pick<PolicyDetail, 'warnings'>[]): string {
  if (total === 0) return policiesText('answer.none')
  const policies = total === 1 ? policiesText('answer.one') : policiesText('answer.some', { count: total })
  const nobody = read.filter(reachesNobody).length
  if (nobody > 0) return policiesText('answer.nobody', { policies, count: nobody })
  const odd = read.filter(({ warnings }) => warnings.length > 0).length
  return odd === 0 ? policies : policiesText('answer.bad', { policies, count: odd })
}

const ways = ['email', 'sms', 'voice', 'push', 'telegram', 'slack_dm'] as const
const wayInWords = (kind: string | null): string => {
  const known = ways.find((one) => one === kind)
  return known ? policiesText(`way.${known}`) : (kind ?? '')
}

/**
 * Says by which ways somebody is asked; ways that come later have their time. Returns null if there
 * is none.
 */
export function waysInWords(
  { ways: all }: Pick<CourseItem['users'][number], 'ways'>,
  at: string,
  timeOf: (at: string) => string
): string | null {
  const used = all
    .filter(({ suppressed_by }) => suppressed_by === null)
    .map(({ kind, at: due }) =>
      Date.parse(due) > Date.parse(at) ? policiesText('course.way_later', { way: wayInWords(kind), time: timeOf(due) }) : wayInWords(kind)
    )
  return used.length === 0 ? null : policiesText('course.by', { ways: listed(used) })
}

const reasons = [
  'no_method',
  'unverified',
  'not_visible',
  'disabled',
  'quiet_hours',
  'preference',
  'round_robin',
  'one_by_one',
  'asked_before',
  'quota'
] as const

/** Says why somebody is not asked, or why a channel is not notified. */
export function whyInWords(why: string): string {
  const known = reasons.find((one) => one === why)
  return known ? policiesText(`why.${known}`) : why.replaceAll('_', ' ')
}

/** `At once`, `After 5 min`, with the round from the second on. */
export function dueInWords({
  offset_seconds,
  cycle,
  outcome
}: Pick<CourseItem, 'offset_seconds' | 'cycle'> & Partial<Pick<CourseItem, 'outcome'>>): string {
  const due = offset_seconds === 0 ? policiesText('course.at_once') : policiesText('course.after', { time: exactDuration(offset_seconds) })
  return cycle === 0 || outcome === 'exhausted' ? due : `${due}, ${policiesText('course.round', { round: cycle + 1 })}`
}

/** Returns the next instant at which the person's clock shows 03:00. */
export function nextNight(now: number): string {
  const zone = ownZone()
  const nightOf = (day: number): number => instantOf(zone, day * DAY_MS + 3 * HOUR_MS)
  const today = dayAt(zone, now)
  const tonight = nightOf(today)
  return new Date(tonight > now ? tonight : nightOf(today + 1)).toISOString()
}

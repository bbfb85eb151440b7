/**
 * What happened to an incident, each version in one sentence. Pure: names of actors and instants in
 * the person's zone are its caller's.
 */
import type { TimelineItem } from '../../api/shapes.ts'
import { escalationText } from '../../texts/escalation.ts'
import { incidentsText } from '../../texts/incidents.ts'
import { changeOfMembers } from './member-words.ts'

export interface Wording {
  /** Names an actor (kind:id) as the beginning of a sentence. */
  nameOf: (actor: string) => string
  /** An instant as people write it. */
  timeOf: (at: string) => string
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** What was said with it: a comment, a note, a reason. */
export const saidWith = ({ data }: TimelineItem): string | null =>
  text(data.comment) ?? text(data.note) ?? text(data.reason) ?? text(data.message)

const changed: Readonly<Record<string, string>> = {
  summary: 'the summary',
  severity: 'the severity',
  priority: 'the priority',
  is_major: 'whether it is major',
  labels: 'the labels',
  links: 'the links',
  tags: 'the tags',
  team_id: 'the team'
}

/** `the title to “Slow” and the links`. */
function changesOf(data: TimelineItem['data']): string {
  const title = text(data.title)
  const others = Object.keys(data).flatMap((field) => changed[field] ?? [])
  const all = [...(title === null ? [] : [`the title to “${title}”`]), ...others]
  const last = all.pop() ?? 'nothing'
  return all.length === 0 ? last : `${all.join(', ')} and ${last}`
}

const listed = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

/** `Alex, you and 2 channels`. */
function whomOf({ user_ids, channel_ids }: TimelineItem['data'], nameOf: Wording['nameOf']): string {
  const people = listed(user_ids).map((id) => nameOf(`user:${id}`).replace(/^You$/, 'you'))
  const count = listed(channel_ids).length
  const channels = count === 0 ? [] : [count === 1 ? escalationText('said.one_channel') : escalationText('said.channels', { count })]
  const all = [...people, ...channels]
  const last = all.pop() ?? ''
  return all.length === 0 ? last : escalationText('said.and', { most: all.join(', '), last })
}

/** A step of the run, its end, or what a person asked by hand. */
function escalatedBy(who: string, data: TimelineItem['data'], nameOf: Wording['nameOf']): string {
  const { outcome, run, cycle, step } = data
  if (outcome === 'exhausted') return escalationText('said.exhausted')
  const whom = whomOf(data, nameOf)
  const isEmpty = outcome === 'empty' || whom === ''
  // Without a run a person asked.
  if (typeof run !== 'number' || typeof step !== 'number')
    return isEmpty ? escalationText('said.by_hand_empty', { who }) : escalationText('said.by_hand', { who, whom })
  if (isEmpty) return escalationText('said.empty', { step: step + 1 })
  if (typeof cycle === 'number' && cycle > 0) return escalationText('said.asked_again', { step: step + 1, round: cycle + 1, whom })
  return escalationText('said.asked', { step: step + 1, whom })
}

const waitWords: Readonly<Record<string, string>> = {
  down: incidentsText('timeline.waits_down'),
  maintenance: incidentsText('timeline.waits_maintenance'),
  validating: incidentsText('timeline.waits_validating')
}

/** It opened while what its monitor depends on failed. */
const waitsInWords = (who: string, waits_state: string): string =>
  incidentsText('timeline.waits', { who, state: waitWords[waits_state] ?? incidentsText('timeline.waits_down') })

/** `from Slack`, behind the sentence; null: from the pages of the dashboard, or nobody acted. */
export function wayOf({ via, app }: Pick<TimelineItem, 'via' | 'app'>): string | null {
  switch (via) {
    case 'chat':
      return incidentsText('way.chat', { app: app === null ? incidentsText('way.some_chat') : nameOfApp(app) })
    case 'sms':
      return incidentsText('way.sms')
    case 'voice':
      return incidentsText('way.voice')
    case 'mail':
      return incidentsText('way.mail')
    case 'api':
    case 'cli':
    case 'mcp':
      return incidentsText('way.api')
    default:
      return null
  }
}

const nameOfApp = (app: string): string => app.charAt(0).toUpperCase() + app.slice(1)

export const sentenceOf = (item: TimelineItem, wording: Wording): string =>
  [whatOf(item, wording), wayOf(item)].filter((words) => words !== null).join(' ')

function whatOf({ type, actor, data }: TimelineItem, { nameOf, timeOf }: Wording): string {
  const who = nameOf(actor)
  switch (type) {
    case 'opened':
      if (typeof data.waits_state === 'string') return waitsInWords(who, data.waits_state)
      if ('bundled_into' in data) return incidentsText('timeline.bundled', { who })
      if (actor === 'system:mass_outage') return incidentsText('timeline.outage')
      return actor.startsWith('user:') || actor.startsWith('token:') ? `${who} declared it` : `${who} reported it`
    case 'reopened':
      return `${who} reported it again: it still failed after it had been ended`
    case 'acknowledged':
      return `${who} acknowledged it`
    case 'unacknowledged':
      return `${who} took the acknowledgement back`
    case 'comment':
      return data.deleted === true ? `${who} commented; the comment was deleted` : `${who} commented`
    case 'comment_deleted':
      return `${who} deleted a comment`
    case 'silenced': {
      const until = text(data.until)
      return until ? `${who} silenced it until ${timeOf(until)}` : `${who} silenced it`
    }
    case 'unsilenced':
      return actor.startsWith('system:') ? 'The silence ended' : `${who} ended the silence`
    case 'assigned': {
      const assignee = text(data.assignee_id)
      if (assignee === null) return `${who} assigned it to nobody`
      if (actor === `user:${assignee}`) return `${who} took it`
      const name = nameOf(`user:${assignee}`)
      return `${who} assigned it to ${name === 'You' ? 'you' : name}`
    }
    case 'escalated':
      return escalatedBy(who, data, nameOf)
    case 'severity_changed':
      // A signal only ever raises it; a person sets it.
      return `${who} ${actor.startsWith('integration:') || actor.startsWith('system:') ? 'raised' : 'set'} the severity to ${text(data.severity) ?? 'another'}`
    case 'updated':
      return `${who} changed ${changesOf(data)}`
    case 'alerts_changed':
      return changeOfMembers(data)
    case 'flapping_on':
      return incidentsText('timeline.flapping_on')
    case 'flapping_off':
      return incidentsText('timeline.flapping_off')
    case 'released':
      return incidentsText(data.held_by === 'mass_outage' ? 'timeline.unbundled' : 'timeline.released')
    case 'storm_ended':
      return incidentsText('timeline.storm_ended')
    case 'merged': {
      const other = text(data.key) ?? 'another incident'
      return 'into_id' in data ? `${who} merged it into ${other}` : `${who} merged ${other} into it`
    }
    case 'recovered':
      return `${who} reported the recovery: resolved`
    case 'resolved':
      return `${who} resolved it`
    case 'closed':
      return `${who} closed it by hand`
    default:
      return `${who}: ${type.replaceAll('_', ' ')}`
  }
}

/** `monitor version 3, routing version 1`: by which configuration it was decided. */
export const versionsInWords = (versions: Readonly<Record<string, number>>): string =>
  Object.entries(versions)
    .map(([kind, version]) => `${kind} version ${version}`)
    .join(', ') || 'no configuration'

const tones: Readonly<Record<string, 'good' | 'bad' | 'info'>> = {
  opened: 'bad',
  reopened: 'bad',
  severity_changed: 'bad',
  acknowledged: 'info',
  escalated: 'info',
  recovered: 'good',
  resolved: 'good'
}

export const toneOf = ({ type }: TimelineItem): 'good' | 'bad' | 'info' | 'off' => tones[type] ?? 'off'

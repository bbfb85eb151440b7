/**
 * Puts the timeline of an incident into words, one sentence for each version. Pure: the caller
 * supplies the names of actors and formats instants in the person's time zone.
 */

import type { TimelineItem } from '../../api/shapes.ts'
import { inSentence } from '../../parts/you.ts'
import { escalationText } from '../../texts/escalation.ts'
import { incidentsText } from '../../texts/incidents.ts'
import { timelineText } from '../../texts/timeline.ts'
import { changeOfMembers } from './member-words.ts'

export interface Wording {
  /** Returns the name of an actor (kind:id) for the beginning of a sentence. */
  nameOf: (actor: string) => string
  /** Returns an instant in readable form. */
  timeOf: (at: string) => string
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Returns the text that a person added: a comment, a note, a reason. */
export const saidWith = ({ data }: TimelineItem): string | null =>
  text(data.comment) ?? text(data.note) ?? text(data.reason) ?? text(data.message)

const fields = ['summary', 'severity', 'priority', 'is_major', 'labels', 'links', 'tags', 'team_id'] as const

/** `the title to “Slow” and the links`. */
function changesOf(data: TimelineItem['data']): string {
  const title = text(data.title)
  const original = text(data.original_title)
  const others = Object.keys(data).flatMap((name) => {
    const field = fields.find((one) => one === name)
    return field ? [timelineText(`field.${field}`)] : []
  })
  const all = [
    ...(title === null ? [] : [timelineText('field.title', { title })]),
    ...(original === null ? [] : [timelineText('field.original_title', { title: original })]),
    ...others
  ]
  const last = all.pop() ?? timelineText('field.nothing')
  return all.length === 0 ? last : escalationText('said.and', { most: all.join(', '), last })
}

const listed = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

/** `Alex, you and 2 channels`. */
function whomOf({ user_ids, channel_ids }: TimelineItem['data'], nameOf: Wording['nameOf']): string {
  const people = listed(user_ids).map((id) => inSentence(nameOf(`user:${id}`)))
  const count = listed(channel_ids).length
  const channels = count === 0 ? [] : [count === 1 ? escalationText('said.one_channel') : escalationText('said.channels', { count })]
  const all = [...people, ...channels]
  const last = all.pop() ?? ''
  return all.length === 0 ? last : escalationText('said.and', { most: all.join(', '), last })
}

/**
 * Puts an escalation into words: a step of the run, the end of the run, or a request made by hand.
 */
function escalatedBy(who: string, data: TimelineItem['data'], nameOf: Wording['nameOf']): string {
  const { outcome, run, cycle, step } = data
  if (outcome === 'exhausted') return escalationText('said.exhausted')
  const whom = whomOf(data, nameOf)
  const isEmpty = outcome === 'empty' || whom === ''
  // Without a run, a person asked by hand.
  if (typeof run !== 'number' || typeof step !== 'number')
    return isEmpty ? escalationText('said.by_hand_empty', { who }) : escalationText('said.by_hand', { who, whom })
  if (isEmpty) return escalationText('said.empty', { step: step + 1 })
  if (typeof cycle === 'number' && cycle > 0) return escalationText('said.asked_again', { step: step + 1, round: cycle + 1, whom })
  return escalationText('said.asked', { step: step + 1, whom })
}

/**
 * Says that nobody is notified because the monitor it depends on is down, in maintenance or being
 * validated.
 */
function waitsInWords(who: string, waits_state: string): string {
  const known = waits_state === 'maintenance' || waits_state === 'validating' ? waits_state : 'down'
  return incidentsText('timeline.waits', { who, state: waitWords[known]() })
}

const waitWords = {
  down: () => incidentsText('timeline.waits_down'),
  maintenance: () => incidentsText('timeline.waits_maintenance'),
  validating: () => incidentsText('timeline.waits_validating')
}

/**
 * Returns the way the action came in, for the end of the sentence: `from Slack`. Null when it came
 * from the dashboard, or when nobody acted.
 */
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
      return timelineText(actor.startsWith('user:') || actor.startsWith('token:') ? 'said.declared' : 'said.reported', { who })
    case 'reopened':
      return timelineText('said.reopened', { who })
    case 'acknowledged':
      return timelineText('said.acknowledged', { who })
    case 'unacknowledged':
      return timelineText('said.unacknowledged', { who })
    case 'comment':
      return timelineText(data.deleted === true ? 'said.commented_deleted' : 'said.commented', { who })
    case 'comment_deleted':
      return timelineText('said.deleted', { who })
    case 'silenced': {
      const until = text(data.until)
      return until ? timelineText('said.silenced_until', { who, time: timeOf(until) }) : timelineText('said.silenced', { who })
    }
    case 'unsilenced':
      return actor.startsWith('system:') ? timelineText('said.silence_over') : timelineText('said.unsilenced', { who })
    case 'assigned': {
      const assignee = text(data.assignee_id)
      if (assignee === null) return timelineText('said.unassigned', { who })
      if (actor === `user:${assignee}`) return timelineText('said.took', { who })
      return timelineText('said.assigned', { who, name: inSentence(nameOf(`user:${assignee}`)) })
    }
    case 'escalated':
      return escalatedBy(who, data, nameOf)
    case 'severity_changed':
      // Signals can only raise the severity; a person can set it.
      return timelineText(actor.startsWith('integration:') || actor.startsWith('system:') ? 'said.raised' : 'said.set', {
        who,
        severity: text(data.severity) ?? timelineText('said.another')
      })
    case 'updated':
      return timelineText('said.changed', { who, what: changesOf(data) })
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
      const other = text(data.key) ?? timelineText('said.another_incident')
      return timelineText('into_id' in data ? 'said.merged_into' : 'said.merged', { who, other })
    }
    case 'recovered':
      return timelineText('said.recovered', { who })
    case 'resolved':
      return timelineText('said.resolved', { who })
    case 'closed':
      return timelineText('said.closed', { who })
    default:
      return `${who}: ${type.replaceAll('_', ' ')}`
  }
}

/**
 * Returns the versions of the configuration that decided: `monitor version 3, routing version 1`.
 */
export const versionsInWords = (versions: Readonly<Record<string, number>>): string =>
  Object.entries(versions)
    .map(([kind, version]) => timelineText('decided.version', { kind, version }))
    .join(', ') || timelineText('decided.none')

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

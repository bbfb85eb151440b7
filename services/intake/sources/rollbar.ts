/**
 * Rollbar: an item is one condition; the name of the event says what happened to it.
 *
 * A resolution has no time of its own, and Rollbar retries for days. So the id of the item's newest
 * occurrence orders events, because it only grows. When a person reopens or resolves an item, there
 * is no new occurrence, and the time of receipt decides.
 *
 * Source: docs/design/specification.md#s4-3, docs/design/inbound-sources.md#s13,
 * docs.rollbar.com/docs/webhooks. Samples: test/fixtures/sources/rollbar/
 */
import {
  ignored,
  instant,
  labelsOf,
  link,
  linksOf,
  listOrNothing,
  numberOf,
  objectOrNothing,
  optionalText,
  severityOf,
  single,
  text
} from '../readers.ts'
import type { Json, SequencedEvent, Source } from '../source.ts'
import { curl, incomingUrl } from '../source-text.ts'

const sample = {
  event_name: 'new_item',
  data: {
    item: {
      id: 618220417,
      counter: 88,
      project_id: 5021,
      title: "KeyError: 'sku'",
      environment: 'production',
      level: 40,
      status: 1,
      total_occurrences: 1,
      last_occurrence: { level: 'error', body: { trace: { exception: { class: 'KeyError', message: "'sku'" } } } }
    },
    url: 'https://rollbar.example.test/shop/storefront/items/88/'
  }
}

export const source: Source = {
  kind: 'rollbar',
  about: {
    name: 'Rollbar',
    description:
      'The webhook of a project, as JSON. Keep the rules New Item, Item Reactivated, Item Reopened and Item Resolved; without the last nothing recovers.',
    severity_map: { critical: 'critical', error: 'critical', warning: 'warning', info: 'info', debug: 'info' },
    resolves_when: 'The item is resolved (resolved_item). Muting it does not resolve.',
    sample,
    instructions: (publicUrl, token) => [
      {
        title: 'In Rollbar',
        language: 'text',
        text: `Project > Settings > Notifications > Webhook
URL: ${incomingUrl(publicUrl, token)}
Rules: New Item, Item Reactivated, Item Reopened, Item Resolved; High Occurrence Rate and 10^nth Occurrence if you like
Format: JSON
Leave out Every Occurrence: it sends a request for each.
`
      },
      curl('Try it', incomingUrl(publicUrl, token), sample)
    ]
  },
  default_severity: 'critical',
  title_tells_state: true,
  sequence: 'position',
  parse({ body, received_at }) {
    const delivery = single(body)
    const name = text(delivery.event_name, 'event_name')
    const action = actions.get(name)
    if (action === undefined) return [ignored(name === 'test' ? 'a test' : name === 'deploy' ? 'a deploy' : 'not an event of an item')]
    return [toEvent(name, action, objectOrNothing(delivery.data), received_at)]
  }
}

const actions: ReadonlyMap<string, 'fire' | 'resolve'> = new Map([
  ['new_item', 'fire'],
  ['reactivated_item', 'fire'],
  ['reopened_item', 'fire'],
  ['exp_repeat_item', 'fire'],
  ['item_velocity', 'fire'],
  ['occurrence', 'fire'],
  ['resolved_item', 'resolve']
])

function toEvent(name: string, action: 'fire' | 'resolve', data: Json, received_at: number): SequencedEvent {
  const item = objectOrNothing(data.item)
  const key = `item:${text(item.id, 'data.item.id')}`
  if (action === 'resolve' && !isResolved(optionalText(item.status))) return ignored('the item is not resolved', key)
  const occurrence = objectOrNothing(data.occurrence ?? item.last_occurrence)
  const title = optionalText(item.title) ?? messageOf(occurrence) ?? `Item ${optionalText(item.counter) ?? optionalText(item.id)}`
  const level = levelOf(item.level) ?? levelOf(occurrence.level)
  const message = messageOf(occurrence)
  return {
    action,
    reason: null,
    dedup_key: key,
    title: title + countOf(name, data),
    description: message === null || title.includes(message) ? optionalText(occurrence.context) : message,
    severity: severityOf(level),
    source_severity: level,
    occurred_at: action === 'resolve' || name === 'reopened_item' ? null : occurredAt(item, occurrence, received_at),
    sequence: numberOf(item.last_occurrence_id),
    delivery_id: null,
    labels: labelsOf({
      project_id: item.project_id,
      item: item.counter,
      environment: item.environment ?? occurrence.environment,
      level,
      language: occurrence.language,
      host: objectOrNothing(occurrence.server).host
    }),
    links: linksOf(link('Rollbar', data.url) ?? link('Rollbar', item.url))
  }
}

/** The status is 2 or the word; when it is missing, the event's name decides. */
const isResolved = (status: string | null): boolean => status === null || status === '2' || status.toLowerCase() === 'resolved'

const levels: ReadonlyMap<string, string> = new Map([
  ['50', 'critical'],
  ['40', 'error'],
  ['30', 'warning'],
  ['20', 'info'],
  ['10', 'debug']
])

/** The level of an item is a number, that of an occurrence a word. */
function levelOf(value: unknown): string | null {
  const found = optionalText(value)
  return found === null ? null : (levels.get(found) ?? found)
}

/**
 * The time of an occurrence comes from its reporter. A time in the future is not used: the recovery
 * would look older than the occurrence.
 */
function occurredAt(item: Json, occurrence: Json, received_at: number): number | null {
  const at = instant(item.last_occurrence_timestamp) ?? instant(occurrence.timestamp)
  return at !== null && at <= received_at ? at : null
}

/** Returns the first exception of a trace, or the message. */
function messageOf(occurrence: Json): string | null {
  const body = objectOrNothing(occurrence.body)
  const trace = objectOrNothing(body.trace ?? listOrNothing(body.trace_chain)[0])
  const exception = objectOrNothing(trace.exception)
  const named = [optionalText(exception.class), optionalText(exception.message)].filter((part) => part !== null).join(': ')
  return named || optionalText(objectOrNothing(body.message).body)
}

/** Returns the number of occurrences, for events that report it. */
function countOf(name: string, data: Json): string {
  const trigger = objectOrNothing(data.trigger)
  if (name === 'item_velocity') {
    const count = optionalText(data.occurrences) ?? optionalText(trigger.threshold)
    const window = optionalText(trigger.window_size_description)
    return count === null ? '' : ` (${count} occurrences${window === null ? '' : ` in ${window}`})`
  }
  const count = name === 'exp_repeat_item' ? optionalText(data.occurrences) : null
  return count === null ? '' : ` (${count} occurrences)`
}

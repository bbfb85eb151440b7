/**
 * Reads which event and incident a request to a vendor tells of. Messages of a fault run are marked
 * by templates, so that each kind's payload names its event and its case, in whatever form the kind
 * sends it. A request without the product's own words (PagerDuty's end of an alert, for one) is
 * recognized by the vendor's words.
 */
import type { Asked } from '../services/channels/contract.ts'

export const toldEvents = ['down', 'up', 'acknowledged'] as const
export type ToldEvent = (typeof toldEvents)[number]

export interface Told {
  event: ToldEvent
  /** Number of the case: incidents have titles such as `case-12-nobody`. */
  nth: number | null
  /** Ids that the request names, when it names no case. */
  ids: string[]
}

/** Title and body of a template. Only letters and digits pass every markup unchanged. */
export const markOf = (event: ToldEvent): string => `qz${event} {{incident.title}}`

const MARK = /qz(down|up|acknowledged)[^a-z0-9]{1,12}case[^a-z0-9]{1,12}(\d+)/
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const VERBS: readonly [RegExp, ToldEvent][] = [
  [/"event_action":"trigger"|incident\.created/, 'down'],
  [/"event_action":"acknowledge"|\/acknowledge\?|incident\.acknowledged/, 'acknowledged'],
  [/"event_action":"resolve"|\/close\?|incident\.resolved/, 'up']
]

function textOf({ path, headers, body }: Asked): string {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  return [decodeURIComponent(path), headers.subject ?? '', isForm ? decodeURIComponent(body.replaceAll('+', ' ')) : body].join('\n')
}

/**
 * Returns what a request tells of; null when it tells of nothing, like a lookup or an intermediate
 * step.
 */
export function toldBy(asked: Asked): Told | null {
  const text = textOf(asked)
  const [, event, nth] = MARK.exec(text) ?? []
  if (event !== undefined) return { event: event as ToldEvent, nth: Number(nth), ids: [] }
  const [, verb] = VERBS.find(([pattern]) => pattern.test(text)) ?? []
  return verb === undefined ? null : { event: verb, nth: null, ids: text.match(ID) ?? [] }
}

/** Headers by which the receiver recognizes a repeated message. */
const KEYS = ['idempotency-key', 'x-service-delivery', 'message-id']

/** What is the same in every attempt of one delivery: its key and its words. */
export function saidBy({ method, path, headers, body }: Asked): string {
  const keys = KEYS.flatMap((name) => headers[name] ?? [])
  // The body of a mail has the time of its attempt in it.
  return [method, path, ...keys, method === 'MAIL' ? (headers.subject ?? '') : body].join('\n')
}

/**
 * Runs one payload through a door, from the bytes to the record: decode, prove, control, parse,
 * normalise, encode. It must not happen that
 *
 * - anything but Malformed and Unparseable is thrown; these are the sender's fault and say where;
 * - an event or a record breaks its contract (services/intake/source.ts,
 *   schemas/events/InboundAlert.avsc): an empty title, a text over its limit, half a surrogate
 *   pair, a link that is no web address, a label that no rule could match;
 * - the parser changes the body it was given, or returns something else the second time.
 */
import { types } from 'node:util'
import type { Codec } from '../../schemas/codec.ts'
import type { InboundAlert } from '../../schemas/generated/events.ts'
import type { IntegrationCredential } from '../../services/credentials/tokens.ts'
import { type Decoded, decode, MAX_BYTES, Malformed } from '../../services/intake/body.ts'
import { type Receipt, toInboundAlert } from '../../services/intake/normalise.ts'
import { toRawAlert } from '../../services/intake/raw.ts'
import { type Json, MAX_ALERTS, type SequencedEvent, type Source, Unparseable } from '../../services/intake/source.ts'
import { integration } from '../services/intake/credential.ts'

/** A time between those of the fixtures, so that some count as timely and some do not. */
export const RECEIVED_AT = Date.parse('2026-10-05T12:00:04.000Z')

export interface Payload {
  bytes: Buffer
  headers: Record<string, string>
  options: Json
  /** The integration's settings for the source's proof. */
  settings: Json
}

export type Outcome = 'accepted' | 'ignored' | 'refused'

/** A payload caused something that no payload may cause. */
export class Broken extends Error {
  override readonly name = 'Broken'
}

export interface Door {
  /** Runs a payload. Throws Broken, or whatever the door's path threw. */
  take(payload: Payload): Outcome
  /**
   * Like `take`, with costlier checks: that the parser is pure, and that the raw payload can be
   * kept.
   */
  takeClosely(payload: Payload): Promise<Outcome>
}

export function createDoor(source: Source, codec: Pick<Codec, 'encode'>): Door {
  const bare: IntegrationCredential = integration({ source_type: source.kind, capture: true })
  const dressed: IntegrationCredential = {
    ...bare,
    default_severity: 'info',
    severity_map: new Map([['critical', 'warning']]),
    labels_add: new Map([['team', 'core']]),
    dedup_template: '{label.alertname}/{title}'
  }

  function parse({ headers, options }: Payload, { body }: Decoded): SequencedEvent[] {
    source.control?.(body)
    const events = source.parse({ body, headers, received_at: RECEIVED_AT, options, warn: checkWarning })
    if (events.length > MAX_ALERTS) throw new Broken(`${events.length} events`)
    return events
  }

  function encode(events: readonly SequencedEvent[], { escaped }: Decoded): Outcome {
    let outcome: Outcome = 'ignored'
    for (const event of events) {
      checkEvent(event)
      if (event.action === 'ignore') continue
      outcome = 'accepted'
      for (const integration of [bare, dressed]) {
        const receipt: Receipt = { integration, source, received_at: RECEIVED_AT, escaped }
        const alert = toInboundAlert(event, receipt)
        checkAlert(alert, event)
        codec.encode('InboundAlert', alert)
      }
    }
    return outcome
  }

  /** Returns the sender's faults as an outcome; throws everything else again. */
  function refused(error: unknown): Outcome {
    if (error instanceof Malformed) return 'refused'
    if (!(error instanceof Unparseable)) throw error
    for (const { path, message } of error.details) if (!isWell(path) || !isWell(message)) throw new Broken('a refusal with broken text')
    return 'refused'
  }

  return {
    take(payload) {
      if (payload.bytes.length > MAX_BYTES) return 'refused' // 413, unread.
      try {
        const decoded = decode(payload.bytes)
        return encode(parse(payload, decoded), decoded)
      } catch (error) {
        return refused(error)
      }
    },
    async takeClosely(payload) {
      if (payload.bytes.length > MAX_BYTES) return 'refused'
      let decoded: Decoded | undefined
      try {
        decoded = decode(payload.bytes)
        await prove(source, payload, decoded)
        const before = JSON.stringify(decoded.body)
        const events = parse(payload, decoded)
        const outcome = encode(events, decoded)
        if (JSON.stringify(decoded.body) !== before) throw new Broken('the parser changed the body')
        if (JSON.stringify(parse(payload, decode(payload.bytes))) !== JSON.stringify(events)) throw new Broken('the parser is not pure')
        keep(payload, decoded)
        return outcome
      } catch (error) {
        const outcome = refused(error)
        keep(payload, decoded)
        return outcome
      }
    }
  }

  function keep({ bytes }: Payload, decoded: Decoded | undefined): void {
    const told = { outcome: 'rejected', reason: 'UNPARSEABLE_PAYLOAD', alerts: 0 } as const
    const raw = {
      integration: bare,
      source: source.kind,
      received_at: RECEIVED_AT,
      content_type: 'application/json',
      bytes,
      body: decoded?.body
    }
    codec.encode('RawAlert', toRawAlert({ ...raw, ...told }))
  }
}

const noCertificate = new Error('there is no certificate here')

/** For any payload, the proof must return a reason in words or null. */
async function prove({ verify }: Source, { bytes, headers, settings }: Payload, { body }: Decoded): Promise<void> {
  if (!verify) return
  let reason: string | null
  try {
    reason = await verify.check({
      bytes,
      body,
      headers,
      received_at: RECEIVED_AT,
      settings,
      certificate: () => Promise.reject(noCertificate)
    })
  } catch (error) {
    if (error === noCertificate) return
    throw error
  }
  if (reason !== null && (reason === '' || !isWell(reason))) throw new Broken('a proof without a reason in words')
}

function checkWarning(what: string, count: number): void {
  if (!/^[a-z_]{1,64}$/.test(what) || !Number.isFinite(count)) throw new Broken('a warning that is no name and number')
}

const ACTIONS: ReadonlySet<string> = new Set(['fire', 'resolve', 'ignore', 'note', 'update'])
const SEVERITIES: ReadonlySet<unknown> = new Set(['critical', 'warning', 'info'])
const FIRST = -8.64e15
const LAST = 8.64e15

/** Checks what the type of a parsed event cannot express. */
function checkEvent(event: SequencedEvent): void {
  if (!ACTIONS.has(event.action)) throw new Broken('action')
  if (event.action === 'ignore' && (event.reason === null || event.reason === '')) throw new Broken('ignored without a reason')
  if (event.action !== 'ignore' && event.reason !== null) throw new Broken('a reason for what is not ignored')
  if (typeof event.dedup_key !== 'string' || (event.dedup_key === '' && event.action !== 'ignore'))
    throw new Broken(`dedup_key of ${event.action}: ${event.dedup_key}`)
  if (typeof event.title !== 'string' || event.title.trim() === '') throw new Broken('title')
  if (event.description !== null && typeof event.description !== 'string') throw new Broken('description')
  if (event.severity !== null && !SEVERITIES.has(event.severity)) throw new Broken('severity')
  if (event.source_severity !== null && typeof event.source_severity !== 'string') throw new Broken('source_severity')
  if (event.delivery_id !== null && typeof event.delivery_id !== 'string') throw new Broken('delivery_id')
  if (event.sequence !== null && typeof event.sequence !== 'number') throw new Broken('sequence')
  if (event.occurred_at !== null && !(Number.isInteger(event.occurred_at) && event.occurred_at > FIRST && event.occurred_at <= LAST))
    throw new Broken('occurred_at')
  if (typeof event.labels !== 'object' || event.labels === null || types.isProxy(event.labels)) throw new Broken('labels')
}

/** Checks the limits of the record. */
function checkAlert(alert: InboundAlert, event: SequencedEvent): void {
  within('title', alert.title, 300)
  if (alert.title === '') throw new Broken('title is empty')
  if (/[\n\r\t]/.test(alert.title)) throw new Broken('title has more than one line')
  within('source_dedup_key', alert.source_dedup_key, 512)
  if (alert.description !== null) within('description', alert.description, 15_000)
  if (alert.source_severity !== null) within('source_severity', alert.source_severity, 256)
  if (alert.delivery_id !== null) within('delivery_id', alert.delivery_id, 512)
  if (!/^int:[0-9a-f-]{36}:[0-9a-f]{64}$/.test(alert.dedup_key)) throw new Broken('dedup_key')
  if (!SEVERITIES.has(alert.severity)) throw new Broken('severity')
  if (alert.action !== event.action) throw new Broken('action')
  if (alert.occurred_at < RECEIVED_AT - 7 * 86_400_000 || alert.occurred_at > RECEIVED_AT + 300_000) throw new Broken('occurred_at')
  if (alert.sequence !== null && !Number.isSafeInteger(alert.sequence)) throw new Broken('sequence')
  let labels = 0
  for (const name in alert.labels) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/.test(name)) throw new Broken('name of a label')
    within('label', alert.labels[name], 256)
    labels++
  }
  if (labels > 64) throw new Broken('more than 64 labels')
  if (alert.links.length > 20) throw new Broken('more than 20 links')
  for (const { title, url } of alert.links) {
    within('title of a link', title, 300)
    within('link', url, 2048)
    if (!/^https?:\/\/[^\s"<>\\]+$/.test(url) || !URL.canParse(url)) throw new Broken(`link is no web address: ${url.slice(0, 200)}`)
    const { username, password } = new URL(url)
    if (username !== '' || password !== '') throw new Broken('link with user information')
  }
}

function within(what: string, text: unknown, most: number): void {
  if (typeof text !== 'string') throw new Broken(`${what} is no text`)
  if (text.length > most) throw new Broken(`${what} has ${text.length} characters`)
  if (!isWell(text)) throw new Broken(`${what} holds what cannot be stored`)
}

/**
 * Whether a text has no half surrogate pair, and none of the characters that `cleaned` removes when
 * they come as an escape.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const isWell = (text: string): boolean => !/\p{Surrogate}|[\u0000-\u0008\u000b\u000c\u000e-\u001f]/u.test(text)

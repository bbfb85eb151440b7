/**
 * The contract of a source.
 *
 * A source is one file in sources/. It holds the text about it for users, the settings of an
 * integration, the proof of a delivery, and a pure function from a decoded body to the alerts in
 * it. It has no clock, does no I/O and trusts nothing: a refusal names the path and what was
 * expected there. The door does the rest in the same way for all sources: it decodes the bytes,
 * judges the sender's time, applies the integration's severity map and labels, strips HTML, and
 * cuts to the limits of the schema. Parsers use the readers of readers.ts, texts use
 * source-text.ts, and proofs use proof.ts.
 *
 * Source: docs/design/inbound-sources.md#s1-2 to #s1-5.
 */
import type { Link, SequenceKind, Severity } from '../../schemas/generated/events.ts'
import type { SourceText } from './source-text.ts'

/** The most alerts in a payload, at any door. */
export const MAX_ALERTS = 5000

export type Json = Readonly<Record<string, unknown>>

/**
 * One alert of a payload as its source reports it. `Sequence` is null for a source without sequence
 * numbers.
 */
export interface ParsedEvent<Sequence extends number | null = null> {
  /**
   * ignore: an event that the service does not act on (a test, an acknowledgement); `reason` says
   * which. note and update concern the ongoing incident. A note adds what was said (`description`).
   * An update changes the title or the description (empty or null: unchanged).
   */
  action: 'fire' | 'resolve' | 'ignore' | 'note' | 'update'
  reason: string | null
  /** The source's own key of the condition: the same for an alert, its repeats and its recovery. */
  dedup_key: string
  /**
   * On a recovery: what `dedup_key` was before the `key_change` of the source, if it was different
   * (former-keys.ts).
   */
  former_key?: string
  /** The complete key of the signal, when the door has already looked it up. */
  signal_key?: string
  /** Not empty, except for an update. The door cuts it. */
  title: string
  /** Plain text or Markdown. */
  description: string | null
  /** null: the sender sent none, or a word that the source does not know. */
  severity: Severity | null
  /** The sender's own word, for the integration's severity map. */
  source_severity: string | null
  /** Epoch ms by the sender's clock; null when the sender sent none. The door checks it. */
  occurred_at: number | null
  /**
   * Grows per dedup key, if the source has such a number. `sequence` of the source says what it
   * numbers.
   */
  sequence: Sequence
  /** The sender's id of this delivery. A delivery with the same id is an exact repeat. */
  delivery_id: string | null
  /** Strings by name; may be an object of the body itself. */
  labels: Readonly<Record<string, unknown>>
  links: Link[]
}

/** One alert of any source. */
export type SequencedEvent = ParsedEvent<number | null>

export interface SourceInput {
  /** The decoded body: an object or an array. The fields of a form are strings. */
  body: Json | readonly unknown[]
  /** The request headers that the source names, if they were sent; names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Epoch ms by the door's clock. */
  received_at: number
  /**
   * The integration's values for the source's `options`; read with flagOption, choiceOption and
   * textsOption.
   */
  options: Json
  /**
   * Reports something to the operator that the sender need not know. It is logged and counted,
   * never with values of the payload.
   */
  warn(what: string, count: number): void
}

/**
 * One setting of an integration of this source. The api validates by it. A `secret` is encrypted
 * and never shown again.
 */
export type Setting =
  | { type: 'boolean'; default: boolean; description: string }
  | { type: 'choice'; choices: readonly string[]; default: string; description: string }
  | { type: 'texts'; most: number; description: string }
  | { type: 'text'; secret: boolean; pattern?: string; description: string }

/** What the proof of the sender is checked against. */
export interface Delivery {
  /** The body as it arrived: signatures cover these bytes. */
  bytes: Buffer
  body: Json | readonly unknown[]
  headers: Readonly<Record<string, string>>
  received_at: number
  /** The integration's values for `verify.settings`; secrets are decrypted here. */
  settings: Json
  /**
   * Returns the PEM text at an address, fetched through the address guard without redirects within
   * 5 s, and cached. Rejects when it cannot be fetched. `check` must not catch that error: the
   * answer is then 503, and the sender retries instead of being refused.
   */
  certificate(url: string): Promise<string>
}

/** A control message: the sender asks something of the service instead of reporting an alert. */
export type Control =
  /**
   * A topic asks to deliver here: pin the topic and confirm at the address, both only after the
   * proof.
   */
  | { kind: 'subscribe'; topic_arn: string; confirm_url: string }
  /** The topic no longer delivers here. */
  | { kind: 'unsubscribed'; topic_arn: string }

interface SourceParts {
  kind: string
  about: SourceText
  /** The name of the last change of the source's keys, as in the table key_changes. */
  key_change?: string
  /**
   * `dedup_key` is the key whatever the integration's dedup template says: what concerns an alert
   * later names that key and carries nothing else of the alert.
   */
  fixed_key?: true
  /**
   * The title says the state (`… is down`, `… is up`) or how often it happened, so a dedup template
   * with the title would give a recovery another key than its alert.
   */
  title_tells_state?: true
  /** For alerts without a severity, when the integration has no default. Default: warning. */
  default_severity?: Severity
  /** Request headers that `parse`, `verify` or `control` read, in lower case. */
  headers?: readonly string[]
  /** A GET with a query string counts as a form. */
  query?: true
  options?: Readonly<Record<string, Setting>>
  verify?: {
    settings: Readonly<Record<string, Setting>>
    /**
     * The proof is required even when the integration sets nothing. Default: only when the
     * integration sets something.
     */
    always?: true
    /**
     * Returns why the delivery is refused (403 SIGNATURE_INVALID), as a text for the sender without
     * values; null when it is proven.
     */
    check(delivery: Delivery): string | null | Promise<string | null>
  }
  /** Returns the control message of a proven delivery, or null when it is an event for `parse`. */
  control?(body: Json | readonly unknown[]): Control | null
}

/** `parse` throws Unparseable. */
interface WithoutSequence extends SourceParts {
  sequence?: never
  parse(input: SourceInput): ParsedEvent[]
}

interface WithSequence extends SourceParts {
  /**
   * What the sequence numbers of its events mean. occurrence: an alert and its recovery have the
   * same number, for example the time of the start; a resolve with that number ends it, whatever
   * the times. position: a place in the sender's history, for example a build number or the time of
   * a change; the same number may fire again.
   */
  sequence: Exclude<SequenceKind, 'receipt'>
  parse(input: SourceInput): SequencedEvent[]
}

/**
 * A source whose events have a sequence must declare what it numbers; otherwise it does not
 * compile.
 */
export type Source = WithoutSequence | WithSequence

export interface Detail {
  /** For example `alerts[0].status`; empty for the whole body. */
  path: string
  rule: 'required' | 'type' | 'enum' | 'max' | 'custom_template' | 'common_schema_required'
  message: string
  limit?: number
  actual?: number
}

/** The payload is not one that this source sends: 422 with `details`. */
export class Unparseable extends Error {
  override readonly name = 'Unparseable'
  readonly details: readonly Detail[]

  constructor(...details: [Detail, ...Detail[]]) {
    super(details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    this.details = details
  }
}

/**
 * The contract of a source.
 *
 * A source is one file in sources/: what people are told about it, what an integration of it may
 * set, how a delivery proves its sender, and a pure function from a decoded body to the alerts in
 * it. It has no clock, does no I/O and trusts nothing: what it refuses names the path and what was
 * expected there. The door does the rest alike for all: it decodes the bytes, judges the sender's
 * time, applies the integration's severity map and labels, strips HTML, cuts to the limits of the
 * schema. Parsers are made of the readers of readers.ts, texts are helped by source-text.ts, proofs
 * by proof.ts.
 * Source: docs/design/inbound-sources.md#s1-2 to #s1-5.
 */
import type { Link, SequenceKind, Severity } from '../../schemas/generated/events.ts'
import type { SourceText } from './source-text.ts'

/** A payload carries at most so many alerts, at any door. */
export const MAX_ALERTS = 5000

export type Json = Readonly<Record<string, unknown>>

/**
 * One alert of a payload as its source reports it. `Sequence` is null for a source that has no such
 * numbers.
 */
export interface ParsedEvent<Sequence extends number | null = null> {
  /**
   * ignore: an event that is none of ours to act on (a test, an acknowledgement); `reason` says
   * which. note and update are about the ongoing incident: what was said of it (`description`), or
   * another title or description (empty, null: as it was).
   */
  action: 'fire' | 'resolve' | 'ignore' | 'note' | 'update'
  reason: string | null
  /** The source's own key of the condition: equal for an alert, its repeats and its recovery. */
  dedup_key: string
  /**
   * Of a recovery, what `dedup_key` was before the `key_change` of the source, where that is
   * another (former-keys.ts).
   */
  former_key?: string
  /** The whole key of the signal, where the door has looked it up already. */
  signal_key?: string
  /** Not empty, but for an update. The door cuts it. */
  title: string
  /** Plain text or Markdown. */
  description: string | null
  /** null: the sender gave none, or a word that the source does not know. */
  severity: Severity | null
  /** The sender's own word, which the integration's severity map may know. */
  source_severity: string | null
  /** Epoch ms by the sender's clock; null when it sent none. The door judges it. */
  occurred_at: number | null
  /** Grows per dedup key where the source has such a number; the source says what it numbers. */
  sequence: Sequence
  /** The sender's id of this delivery; an equal one is an exact repeat. */
  delivery_id: string | null
  /** Strings by name; may be an object of the body itself. */
  labels: Readonly<Record<string, unknown>>
  links: Link[]
}

/** One alert of any source. */
export type SequencedEvent = ParsedEvent<number | null>

export interface SourceInput {
  /** The decoded body: an object, or an array; the fields of a form are strings. */
  body: Json | readonly unknown[]
  /** Those that were sent of the request headers that the source names; names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Epoch ms by the door's clock. */
  received_at: number
  /**
   * What the integration sets of the source's `options`; read with flagOption, choiceOption and
   * textsOption.
   */
  options: Json
  /**
   * Something that the operator should know and the sender need not: logged and counted, never with
   * values of the payload.
   */
  warn(what: string, count: number): void
}

/**
 * One thing that an integration of a source may set. The api validates by it; a `secret` is sealed
 * and never shown again.
 */
export type Setting =
  | { type: 'boolean'; default: boolean; description: string }
  | { type: 'choice'; choices: readonly string[]; default: string; description: string }
  | { type: 'texts'; most: number; description: string }
  | { type: 'text'; secret: boolean; pattern?: string; description: string }

/** What a proof of the sender is looked for in. */
export interface Delivery {
  /** The body as it came: signatures are over these bytes. */
  bytes: Buffer
  body: Json | readonly unknown[]
  headers: Readonly<Record<string, string>>
  received_at: number
  /** What the integration sets of `verify.settings`; secrets are open here. */
  settings: Json
  /**
   * The PEM text at an address, fetched through the address guard without redirects within 5 s, and
   * kept. Rejects where it cannot be had; `check` lets that through, and the answer is 503: the
   * sender is not refused and comes again.
   */
  certificate(url: string): Promise<string>
}

/** Something that a sender asks of the service instead of reporting an alert. */
export type Control =
  /** A topic wants to deliver here: pin it and answer at the address, both only after the proof. */
  | { kind: 'subscribe'; topic_arn: string; confirm_url: string }
  /** The topic delivers here no more. */
  | { kind: 'unsubscribed'; topic_arn: string }

interface SourceParts {
  kind: string
  about: SourceText
  /** The name of the last change of its keys, as the table key_changes has it. */
  key_change?: string
  /** For alerts without a severity, where the integration sets none. Default: warning. */
  default_severity?: Severity
  /** Request headers that `parse`, `verify` or `control` read, in lower case. */
  headers?: readonly string[]
  /** A GET with a query string stands for a form. */
  query?: true
  options?: Readonly<Record<string, Setting>>
  verify?: {
    settings: Readonly<Record<string, Setting>>
    /**
     * Proof is asked even where the integration sets nothing. Default: only where it sets
     * something.
     */
    always?: true
    /**
     * Why the delivery is refused (403 SIGNATURE_INVALID), in words for the sender, without values;
     * null where it is proven.
     */
    check(delivery: Delivery): string | null | Promise<string | null>
  }
  /** What a proven delivery asks for, or null where it is an event for `parse`. */
  control?(body: Json | readonly unknown[]): Control | null
}

/** `parse` throws Unparseable. */
interface WithoutSequence extends SourceParts {
  sequence?: never
  parse(input: SourceInput): ParsedEvent[]
}

interface WithSequence extends SourceParts {
  /**
   * What the numbers of its events name. occurrence: what fires and its end have one number, as
   * where it is the time of the start; a resolve ends it, whatever the times. position: a place in
   * the sender's history, as the number of a build or the time of a change; the same one may fire
   * again.
   */
  sequence: Exclude<SequenceKind, 'receipt'>
  parse(input: SourceInput): SequencedEvent[]
}

/** A source whose events have a sequence must say what it numbers: else it does not compile. */
export type Source = WithoutSequence | WithSequence

export interface Detail {
  /** As in `alerts[0].status`; empty for the whole body. */
  path: string
  rule: 'required' | 'type' | 'enum' | 'max' | 'custom_template' | 'common_schema_required'
  message: string
  limit?: number
  actual?: number
}

/** The payload is no such thing as this source sends: 422 with `details`. */
export class Unparseable extends Error {
  override readonly name = 'Unparseable'
  readonly details: readonly Detail[]

  constructor(...details: [Detail, ...Detail[]]) {
    super(details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '))
    this.details = details
  }
}

/**
 * The raw payload as it is kept for three days: without secrets, without credentials of ours,
 * without what error trackers know of visitors; cut at 256 KiB.
 *
 * What could be decoded is written anew as JSON without the members whose name sounds secret, or
 * whose value is a credential of the sender's whatever its name; of a pair [name, value] and of an
 * object with a name or key beside its value, the value goes. What could not be decoded is text of
 * any kind:
 * there, the value after such a name goes, as far as it can be told, and everything behind a nested
 * one. Then credentials of ours go, wherever they stand in the text that is left: in names, values
 * and addresses (token-forms.ts). Kept are payloads that a parser refused and, while the
 * integration captures, accepted ones; never what the budget refused. What is not kept costs none
 * of this.
 * Source: docs/design/inbound-sources.md#s1-4.
 */
import { hash } from 'node:crypto'
import type { RawAlert, RawOutcome } from '../../schemas/generated/events.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { withoutTokens } from '../credentials/token-forms.ts'
import type { IntegrationCredential } from '../credentials/tokens.ts'
import { REQUEST_URL, VISITOR_WORDS, type Visitors, visitorsOf, withoutQuery, withoutVisitor } from './visitors.ts'

const MAX_BYTES = 256 * 1024
/** Longer than any credential: one that crosses the cut is still found. */
const BEYOND = 1024
const RETENTION_DAYS = 3
const MAX_CONTENT_TYPE = 200
const MAX_REASON = 1000
/**
 * Addresses that act for whoever has them: of a check of Healthchecks, and those that end or
 * confirm a subscription.
 */
const ADDRESS = 'ping_url|update_url|pause_url|resume_url|unsubscribe|subscribeurl'
const WORD = `(?:pass|secret|token|authorization|api_?key|cookie|${ADDRESS})`
/** What may hold anything, by source: the parameters and the log of a build. */
const membersOf: ReadonlyMap<string, ReadonlySet<string>> = new Map([['jenkins', new Set(['parameters', 'log'])]])
const none: ReadonlySet<string> = new Set()

export interface RawPayload {
  integration: IntegrationCredential
  source: string
  received_at: number
  outcome: RawOutcome
  reason: string | null
  alerts: number
  content_type: string
  bytes: Buffer
  /** undefined where the bytes could not be decoded. */
  body: unknown
}

export function toRawAlert({ integration, source, received_at, outcome, reason, alerts, content_type, bytes, body }: RawPayload): RawAlert {
  return {
    event_id: uuidv7(received_at),
    tenant_id: integration.tenant_id,
    integration_id: integration.integration_id,
    source,
    received_at,
    outcome,
    reason: reason === null ? null : withoutTokens(reason.slice(0, MAX_REASON)),
    alerts,
    bytes: bytes.length,
    content_type: content_type === '' ? null : withoutTokens(content_type.slice(0, MAX_CONTENT_TYPE)),
    payload_sha256: hash('sha256', bytes, 'hex'),
    payload: keptOf(source, bytes, body).subarray(0, MAX_BYTES),
    retention_days: RETENTION_DAYS
  }
}

function keptOf(source: string, bytes: Buffer, body: unknown): Buffer {
  const visitors = visitorsOf(source)
  if (body === undefined) return Buffer.from(withoutTokens(withoutSecretText(bytes, visitors)), 'latin1')
  const text = JSON.stringify(withoutSecrets(body, leavingOf(source)))
  return Buffer.from(withoutTokens(text.slice(0, MAX_BYTES + BEYOND)))
}

interface Leaving {
  /** Members that go, by their name. */
  names: RegExp
  /**
   * As `names`; also the visitor's objects, whose value goes where such a name stands beside it.
   */
  tags: RegExp
  visitors: Visitors | null
  members: ReadonlySet<string>
}

/** By source. */
const leavings = new Map<string, Leaving>()

function leavingOf(source: string): Leaving {
  const known = leavings.get(source)
  if (known) return known
  const visitors = visitorsOf(source)
  const names = visitors ? `${WORD}|${visitors.gone}` : WORD
  const objects = [...(visitors?.objects.keys() ?? [])].map((name) => `^${name.replaceAll('.', '\\.')}$`)
  const leaving = {
    names: new RegExp(names, 'i'),
    tags: new RegExp([names, ...objects].join('|'), 'i'),
    visitors,
    members: membersOf.get(source) ?? none
  }
  leavings.set(source, leaving)
  return leaving
}

/**
 * A copy without the members whose name matches or goes with the source, and without the values of
 * such names; nesting is bounded by the decoder.
 */
function withoutSecrets(value: unknown, leaving: Leaving): unknown {
  if (typeof value !== 'object' || value === null) return value
  const { names, tags, visitors, members } = leaving
  if (Array.isArray(value)) {
    const [name] = value
    if (value.length === 2 && typeof name === 'string' && tags.test(name)) return [name]
    return value.map((element) => withoutSecrets(element, leaving))
  }
  const entries = Object.entries(value)
  const isNamed = entries.some(([name, member]) => (name === 'name' || name === 'key') && typeof member === 'string' && tags.test(member))
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entries) {
    if (names.test(name) || members.has(name) || (isNamed && name === 'value')) continue
    const stays = visitors?.objects.get(name.toLowerCase())
    if (stays) copy[name] = withoutVisitor(member, stays)
    else copy[name] = visitors && name === REQUEST_URL ? withoutQuery(String(member)) : withoutSecrets(member, leaving)
  }
  return copy
}

const REST_OF_NAME = '[^"\'\\s=:&,{}\\[\\]]{0,24}'
const TEXT = '"(?:[^"\\\\]|\\\\.)*"?'

/**
 * What is dropped of text that could not be decoded: what looks like a value behind the end of a
 * name with such a word, quoted or not, and = or :; and the second of a pair whose first is such a
 * name, in an array or as name and value. Every part is bounded or runs on: linear in the text.
 */
const valuesOf = (word: string): readonly RegExp[] => [
  new RegExp(
    `((?:\\[|"(?:name|key)"\\s{0,16}:)\\s{0,16}"[^"\\\\]{0,64}?(?:${word})[^"\\\\]{0,64}"\\s{0,16},\\s{0,16}(?:"value"\\s{0,16}:\\s{0,16})?)(${TEXT})`,
    'gi'
  ),
  new RegExp(`((?:${word})${REST_OF_NAME}["']?\\s{0,16}[=:]\\s{0,16})(${TEXT}|'[^']*'?|[{\\[][^]*|[^&,}\\]\\r\\n]*)`, 'gi')
]
const values = valuesOf(WORD)
const valuesWithVisitors = valuesOf(`${WORD}|${VISITOR_WORDS}`)

/** In latin1, byte for byte but for the values: the bytes may be no text at all. */
function withoutSecretText(bytes: Buffer, visitors: Visitors | null): string {
  let text = bytes.subarray(0, MAX_BYTES + BEYOND).toString('latin1')
  for (const pattern of visitors ? valuesWithVisitors : values) text = text.replace(pattern, '$1[dropped]')
  return text
}

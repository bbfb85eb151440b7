/**
 * The raw payload as it is stored for three days: without secrets, without credentials of this
 * service, and without the data about visitors that error trackers report; cut at 256 KiB.
 *
 * A payload that could be decoded is written again as JSON. This leaves out members whose name
 * sounds like a secret, and members whose value is a credential of the sender under any name. In a
 * pair [name, value], or an object with a name or key beside its value, the value is left out. A
 * payload that could not be decoded is text of any kind. There, the value after such a name is
 * dropped as far as it can be recognised, and after a nested value everything that follows. Then
 * credentials of this service are removed wherever they appear in the remaining text: in names,
 * values and addresses (token-forms.ts). Payloads are stored when a parser refused them, or when
 * they were accepted while the integration captures; never when the budget refused them. A payload
 * that is not stored costs nothing here.
 *
 * Source: docs/design/inbound-sources.md#s1-4.
 */
import { hash } from 'node:crypto'
import type { RawAlert, RawOutcome } from '../../schemas/generated/events.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import { withoutTokens } from '../credentials/token-forms.ts'
import type { IntegrationCredential } from '../credentials/tokens.ts'
import { REQUEST_URL, VISITOR_WORDS, type Visitors, visitorsOf, withoutQuery, withoutVisitor } from './visitors.ts'

const MAX_BYTES = 256 * 1024
/** Longer than any credential, so that one that crosses the cut is still found. */
const BEYOND = 1024
const RETENTION_DAYS = 3
const MAX_CONTENT_TYPE = 200
const MAX_REASON = 1000
/**
 * Addresses that give power to whoever has them: those of a check of Healthchecks, and those that
 * end or confirm a subscription.
 */
const ADDRESS = 'ping_url|update_url|pause_url|resume_url|unsubscribe|subscribeurl'
const WORD = `(?:pass|secret|token|authorization|api_?key|cookie|${ADDRESS})`
/** Members that may hold anything, by source: the parameters and the log of a build. */
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
  /** undefined when the bytes could not be decoded. */
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
  /** Names of members that are left out. */
  names: RegExp
  /**
   * Like `names`, and also the names of the visitor's objects: the value beside such a name is left
   * out.
   */
  tags: RegExp
  visitors: Visitors | null
  members: ReadonlySet<string>
}

/** The rules for what is left out of a raw payload, by source. */
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
 * Returns a copy without the members that the source or their name excludes, and without the values
 * that stand beside such names. The decoder bounds the nesting.
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
 * The patterns for text that could not be decoded. The first drops the second element of a pair
 * whose first element is such a name, in an array or as name and value. The second drops what looks
 * like a value after a name that contains such a word, quoted or not, and = or :. Every part of a
 * pattern is bounded or never backtracks, so the time is linear in the text.
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

/**
 * Works in latin1, which keeps every byte except the dropped values: the bytes may not be text at
 * all.
 */
function withoutSecretText(bytes: Buffer, visitors: Visitors | null): string {
  let text = bytes.subarray(0, MAX_BYTES + BEYOND).toString('latin1')
  for (const pattern of visitors ? valuesWithVisitors : values) text = text.replace(pattern, '$1[dropped]')
  return text
}

/**
 * The raw payload as it is kept for three days: with secrets dropped, cut at 256 KiB.
 *
 * What could be decoded is written anew as JSON without the members whose name sounds secret, or whose value is a credential of the sender's whatever its
 * name; of a pair [name, value] and of an object with a name or key beside its value, the value goes. What could not be decoded is text of any kind:
 * there, the value after such a name goes, as far as it can be told, and everything behind a nested one. Kept are payloads that a parser refused and, while
 * the integration captures, accepted ones; never what the budget refused. Source: inbound-sources.md 1.4.
 */
import { hash } from 'node:crypto'
import type { RawAlert, RawOutcome } from '../../schemas/generated/events.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { IntegrationCredential } from '../tokens.ts'

const MOST_BYTES = 256 * 1024
const RETENTION_DAYS = 3
const MOST_CONTENT_TYPE = 200
const MOST_REASON = 1000
/** Addresses that act for whoever has them: of a check of Healthchecks, and those that end or confirm a subscription. */
const ADDRESS = 'ping_url|update_url|pause_url|resume_url|unsubscribe|subscribeurl'
const WORD = `(?:pass|secret|token|authorization|api_?key|cookie|${ADDRESS})`
const secret = new RegExp(WORD, 'i')
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
    reason: reason === null ? null : reason.slice(0, MOST_REASON),
    alerts,
    bytes: bytes.length,
    content_type: content_type === '' ? null : content_type.slice(0, MOST_CONTENT_TYPE),
    payload_sha256: hash('sha256', bytes, 'hex'),
    payload: (body === undefined
      ? withoutSecretText(bytes)
      : Buffer.from(JSON.stringify(withoutSecrets(body, membersOf.get(source))))
    ).subarray(0, MOST_BYTES),
    retention_days: RETENTION_DAYS
  }
}

/** A copy without the members whose name matches or is one of `members`, and without the values of such names; nesting is bounded by the decoder. */
export function withoutSecrets(value: unknown, members: ReadonlySet<string> = none): unknown {
  if (Array.isArray(value)) {
    const [name] = value
    if (value.length === 2 && typeof name === 'string' && secret.test(name)) return [name]
    return value.map((element) => withoutSecrets(element, members))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const isNamed = entries.some(([name, member]) => (name === 'name' || name === 'key') && typeof member === 'string' && secret.test(member))
  const copy: Record<string, unknown> = Object.create(null)
  for (const [name, member] of entries) {
    if (secret.test(name) || members.has(name) || (isNamed && name === 'value')) continue
    copy[name] = withoutSecrets(member, members)
  }
  return copy
}

const REST_OF_NAME = '[^"\'\\s=:&,{}\\[\\]]{0,24}'
/** The end of a name with a secret word, quoted or not, then = or :, then what looks like its value. Every part is bounded or runs on: linear in the text. */
const pairs = new RegExp(
  `(${WORD}${REST_OF_NAME}["']?\\s{0,16}[=:]\\s{0,16})("(?:[^"\\\\]|\\\\.)*"?|'[^']*'?|[{\\[][^]*|[^&,}\\]\\r\\n]*)`,
  'gi'
)

/** Byte for byte but for the values: the bytes may be no text at all. */
function withoutSecretText(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, MOST_BYTES).toString('latin1').replace(pairs, '$1[dropped]'), 'latin1')
}

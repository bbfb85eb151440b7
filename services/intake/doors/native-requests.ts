/**
 * Request ids of the native receiver. Any instance can answer for them: the id itself holds the
 * time, the action and the alert, and the tables hold the rest.
 *
 * An id is a UUID of version 8 with these hex digits: 11 of the time (epoch ms), 1 of the action, 6
 * of a check code, 12 of the hash in the signal's key. The code distinguishes ids of this
 * integration from all others. It is not a secret, because the caller has the token and may read
 * every alert of the integration anyway. In 16 million alerts of one integration, two share 48 bits
 * of a SHA-256 once; then a question may return the other alert.
 */
import { createHmac } from 'node:crypto'
import type { IntegrationCredential } from '../../credentials/tokens.ts'
import { signalKey } from '../normalise.ts'
import { KIND, type Written } from './native.ts'

type Action = Written['action']

const actions: readonly Action[] = ['create', 'close', 'acknowledge', 'unacknowledge', 'notes', 'snooze', 'message', 'description']
const KNOWN_MS = 600_000
/** The clocks of two instances may differ by this much. */
const AHEAD_MS = 10_000

export interface Requested {
  action: Action
  /** Epoch ms. */
  received_at: number
  /** The prefix of the signal's key. */
  key_prefix: string
}

const codeOf = ({ integration_id }: IntegrationCredential, rest: string): string =>
  createHmac('sha256', integration_id).update(rest).digest('hex').slice(0, 6)

const prefixOf = ({ integration_id }: IntegrationCredential): string => `int:${integration_id}:`

/**
 * Returns a new request id. `signal_key` is null when it was not looked up; then it is derived from
 * the alias.
 */
export function mintRequestId(
  integration: IntegrationCredential,
  { action, received_at, signal_key, dedup_key }: { action: Action; received_at: number; signal_key: string | null; dedup_key: string }
): string {
  const key = signal_key ?? signalKey(integration, KIND, dedup_key)
  const hash = key.slice(prefixOf(integration).length, prefixOf(integration).length + 12)
  const head = received_at.toString(16).padStart(11, '0') + actions.indexOf(action).toString(16)
  const code = codeOf(integration, head + hash)
  return `${head.slice(0, 8)}-${head.slice(8)}-8${code.slice(0, 3)}-8${code.slice(3)}-${hash}`
}

const SHAPE = /^([0-9a-f]{8})-([0-9a-f]{3})([0-9a-f])-8([0-9a-f]{3})-8([0-9a-f]{3})-([0-9a-f]{12})$/

/** Returns null for an id that this integration did not get, or got more than 10 minutes ago. */
export function readRequestId(integration: IntegrationCredential, id: string, now: number): Requested | null {
  const [, high = '', low = '', nth = '', one = '', other = '', hash = ''] = SHAPE.exec(id.toLowerCase()) ?? []
  const action = actions[Number.parseInt(nth, 16)]
  if (action === undefined || codeOf(integration, high + low + nth + hash) !== one + other) return null
  const received_at = Number.parseInt(high + low, 16)
  if (received_at < now - KNOWN_MS || received_at > now + AHEAD_MS) return null
  return { action, received_at, key_prefix: prefixOf(integration) + hash }
}

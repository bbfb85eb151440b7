/**
 * Puts deliveries into words: the result, the reason, and whether the person was notified. Pure.
 */

import { intentReasons } from '../../../../schemas/http/notification-words.ts'
import type { Incident, LedgerItem } from '../../api/shapes.ts'
import { wordOf } from '../../search.ts'
import { deliveriesText } from '../../texts/deliveries.ts'

const held = [
  'entitlement',
  'pause',
  'maintenance',
  'silence',
  'dependency',
  'storm',
  'rule',
  'flap',
  'preference',
  'quiet_hours',
  'dedup',
  'acknowledged',
  'stale',
  'not_visible',
  'no_method',
  'unverified',
  'disabled',
  'quota',
  'merged',
  'nobody'
] as const
const outcomes = ['accepted', 'refused', 'retryable', 'timeout', 'network', 'blocked_target'] as const
const codes = [
  'expired',
  'forgotten',
  'fault',
  'refused_delivery',
  'refused_channel',
  'blocked_target',
  'unsupported',
  'quota',
  'silenced',
  'test'
] as const

/** Reasons that a kind of channel gives for not sending a message. */
const skips = ['no_event', 'webhook_mode', 'fixed_line', 'not_opened', 'ticket_gone', 'ticket_closed'] as const

/**
 * Returns why a delivery was held back. A reason that only a newer server version knows is shown as
 * unknown.
 */
export function heldInWords(suppressed_by: string, cause: string | null = null): string {
  const skip = suppressed_by === 'preference' && cause !== null ? wordOf(cause, skips) : undefined
  return deliveriesText(skip === undefined ? `held.${wordOf(suppressed_by, held) ?? 'unknown'}` : `skipped.${skip}`)
}

export const outcomeInWords = (outcome: string): string => deliveriesText(`outcome.${wordOf(outcome, outcomes) ?? 'unknown'}`)

/** Null when there are no words for the code. */
function codeInWords(error_code: string): string | null {
  const code = wordOf(error_code, codes)
  return code === undefined ? null : deliveriesText(`error.${code}`)
}

/**
 * Returns why a delivery did not arrive. Null when its state is not failed, expired or retrying.
 */
export function problemOf({ state, error_code, attempts }: LedgerItem): string | null {
  if (state !== 'failed' && state !== 'expired' && state !== 'retrying') return null
  const said = attempts.at(-1)?.error ?? null
  const code = error_code === null ? null : codeInWords(error_code)
  return [code, said].filter((one) => one !== null).join(' ') || null
}

/** Returns what chose the target. */
export function whyInWords({ why, step }: Pick<LedgerItem, 'why' | 'step'>): string | null {
  const by = typeof why.by === 'string' ? why.by : ''
  if (by === 'policy' && step !== null) return deliveriesText('why.step', { step: step + 1 })
  const reason = wordOf(by, intentReasons)
  return reason === undefined ? null : deliveriesText(`why.${reason}`)
}

/** One target of an incident with all its deliveries, newest first. */
export interface Target {
  id: string
  name: string | null
  user_id: string | null
  channel_id: string | null
  items: LedgerItem[]
}

const isTold = ({ state }: LedgerItem): boolean => state === 'sent' || state === 'delivered'

/**
 * Groups deliveries by target: people first, then channels, each by name. The newest delivery of a
 * target comes first.
 */
export function byTarget(items: readonly LedgerItem[]): Target[] {
  const targets = new Map<string, Target>()
  for (const item of items) {
    const id = item.user_id ?? item.channel_id ?? ''
    const target = targets.get(id) ?? { id, name: item.target_name, user_id: item.user_id, channel_id: item.channel_id, items: [] }
    target.items.push(item)
    targets.set(id, target)
  }
  return [...targets.values()].sort(
    (a, b) => Number(a.user_id === null) - Number(b.user_id === null) || (a.name ?? '').localeCompare(b.name ?? '')
  )
}

/** Counts the targets to which at least one message was sent: `2 of 3 told`. */
export const toldCount = (targets: readonly Target[]): number => targets.filter(({ items }) => items.some(isTold)).length

export interface MineWords {
  kindOf: (item: LedgerItem) => string
  timeOf: (at: string) => string
  heldBy: (kind: Incident['held_by'][number]['kind']) => string
}

/**
 * Says whether the person was notified of the incident and, if not, why. `items` are the person's
 * own deliveries.
 */
export function mineInWords(
  incident: Pick<Incident, 'held_by' | 'suppressed_by_rule_id' | 'escalation'>,
  items: readonly LedgerItem[],
  { kindOf, timeOf, heldBy }: MineWords
): string {
  const told = items.find(isTold)
  if (told) {
    const when = timeOf(told.delivered_at ?? told.first_sent_at ?? told.queued_at)
    return deliveriesText('mine.arrived', { how: kindOf(told), when })
  }
  const open = items.find(({ state }) => state === 'queued' || state === 'sending' || state === 'retrying')
  if (open) return deliveriesText('mine.waiting', { how: kindOf(open) })
  const failed = items.find(({ state }) => state === 'failed' || state === 'expired')
  if (failed) return deliveriesText('mine.failed', { how: kindOf(failed) })
  const held = items.find(({ suppressed_by }) => suppressed_by !== null)
  if (held?.suppressed_by) return deliveriesText('mine.held', { why: heldInWords(held.suppressed_by, held.suppressed_cause) })
  return notAsked(incident, heldBy)
}

function notAsked(
  { held_by: [hold], suppressed_by_rule_id, escalation }: Pick<Incident, 'held_by' | 'suppressed_by_rule_id' | 'escalation'>,
  heldBy: MineWords['heldBy']
): string {
  if (suppressed_by_rule_id !== null || hold?.kind === 'rule') return deliveriesText('mine.not_rule')
  if (hold) return deliveriesText('mine.not_held', { what: heldBy(hold.kind) })
  if (escalation.state === 'none') return deliveriesText('mine.not_policy')
  return deliveriesText(escalation.state === 'running' || escalation.state === 'held' ? 'mine.not_yet' : 'mine.not_asked')
}

/**
 * Feed notices that are not created by an incident itself: one function per type of event. The key
 * is derived from the cause, so sending a notice again creates no second item. Pure.
 * Source: docs/design/specification.md#s6-4, docs/design/api/webhooks.md#s19.
 */
import type { Severity } from '../../schemas/generated/events.ts'
import type { Owned } from '../../schemas/http/visibility.ts'
import type { FeedNotice } from '../define.ts'
import { ENDED } from './certificates.ts'

const DAY_MS = 86_400_000
const words = (key: string): string => key.replaceAll('_', ' ')
const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
const month = (at: number): string => new Date(at).toISOString().slice(0, 7)

export interface MassOutage {
  tenant_id: string
  incident_id: string
  about: Owned
  /** The title of its incident. */
  title: string
  summary: string | null
  /** Epoch ms. */
  at: number
}

export const massOutageNotice = ({ tenant_id, incident_id, about, title, summary, at }: MassOutage): FeedNotice => ({
  tenant_id,
  key: `mass_outage:${incident_id}`,
  type: 'mass_outage',
  severity: 'critical',
  title,
  body: summary ?? '',
  at,
  audience: 'watchers',
  about,
  incident_id
})

export interface Certificate {
  tenant_id: string
  monitor_id: string
  name: string
  about: Owned
  /** Epoch ms. */
  not_after: number
  /** The threshold that was reached, in days before the end; 0 for the end itself. */
  threshold: number
  at: number
}

const validUntil = (not_after: number): string =>
  `It is valid until ${new Date(not_after).toISOString().slice(0, 16).replace('T', ' ')} UTC.`

/**
 * One notice for each threshold of a certificate. The key identifies the certificate by its end.
 */
export function certificateNotice({ tenant_id, monitor_id, name, about, not_after, threshold, at }: Certificate): FeedNotice {
  const hasEnded = threshold === ENDED
  const days = Math.max(0, Math.floor((not_after - at) / DAY_MS))
  return {
    tenant_id,
    key: `ssl_expiry:${monitor_id}:${not_after}:${hasEnded ? 'over' : threshold}`,
    type: 'ssl_expiry',
    severity: hasEnded ? 'critical' : 'warning',
    title: hasEnded
      ? `The certificate of ${name} has expired`
      : `The certificate of ${name} expires in ${days === 1 ? '1 day' : `${days} days`}`,
    body: validUntil(not_after),
    at,
    audience: 'watchers',
    about,
    monitor_id
  }
}

export interface RenewedCertificate extends Omit<Certificate, 'threshold'> {
  /** End of the certificate that was reported before, epoch ms. */
  before: number
}

/** The notice that ends what `certificateNotice` reported. */
export const renewedNotice = ({ tenant_id, monitor_id, name, about, not_after, before, at }: RenewedCertificate): FeedNotice => ({
  tenant_id,
  key: `ssl_expiry:${monitor_id}:${before}:renewed`,
  type: 'ssl_expiry',
  severity: 'info',
  title: `The certificate of ${name} is renewed`,
  body: validUntil(not_after),
  at,
  audience: 'watchers',
  about,
  monitor_id
})

/** Percentages of a limit at which people are notified. */
const SHARES = [80, 100] as const

export interface Usage {
  tenant_id: string
  /** The limit of the plan. */
  limit_key: string
  what: string
  before: number
  after: number
  /** Null: there is none. */
  limit: number | null
  /** Epoch ms. A notice of a monthly limit is sent once per month and limit. */
  at: number
}

/** Returns null when no percentage of the limit was passed. */
export function usageNotice({ tenant_id, limit_key, what, before, after, limit, at }: Usage): FeedNotice | null {
  if (limit === null || limit <= 0) return null
  const passed = SHARES.filter((share) => before < (limit * share) / 100 && after >= (limit * share) / 100).at(-1)
  if (passed === undefined) return null
  const isUsedUp = passed === 100
  return {
    tenant_id,
    // With the limit: after a change of the plan, the month has another one to be used up.
    key: `usage:${limit_key}:${month(at)}:${limit}:${passed}`,
    type: 'usage',
    severity: isUsedUp ? 'critical' : 'warning',
    title: isUsedUp ? `${what} of this month are used up` : `${passed} % of ${what.toLowerCase()} of this month are used`,
    body: `${after} of ${limit}. They are counted anew on the first of the month (UTC).`,
    at,
    audience: 'managers'
  }
}

export interface Refused {
  tenant_id: string
  limit_key: string
  limit: number
  plan: string
  upgrade_to: string | null
  at: number
}

/** Names of what a plan may not have at all, where the key alone says too little. */
const absent: Readonly<Record<string, string>> = {
  backtest: 'tests of routing rules',
  channel_kinds: 'this kind of channel',
  sms_voice_per_month: 'text messages and calls'
}

/** A limit is a number of things, the shortest interval, or 0: the plan does not have them. */
function refusedInWords({ limit_key, limit, plan, upgrade_to }: Refused): Pick<FeedNotice, 'title' | 'body'> {
  const then = (what: string): string => (upgrade_to === null ? '' : ` The plan ${upgrade_to} ${what}.`)
  if (limit_key === 'min_interval_seconds')
    return {
      title: 'The plan has no shorter interval for checks',
      body: `The plan ${plan} checks every ${limit} s at most, and somebody wanted it more often.${then('checks more often')}`
    }
  if (limit === 0)
    return {
      title: `The plan does not include ${absent[limit_key] ?? words(limit_key)}`,
      body: `Somebody wanted it, and the plan ${plan} does not have it.${then('has it')}`
    }
  return {
    title: `The limit of ${words(limit_key)} is reached`,
    body: `The plan ${plan} has ${limit}, and somebody wanted more.${then('has more')}`
  }
}

/**
 * A request was refused because the plan's limit is reached, or because the plan does not have what
 * was asked for. One notice per limit and day (UTC).
 */
export const limitNotice = (refused: Refused): FeedNotice => ({
  tenant_id: refused.tenant_id,
  key: `limit:${refused.limit_key}:${day(refused.at)}`,
  type: 'limit',
  severity: 'warning',
  ...refusedInWords(refused),
  at: refused.at,
  audience: 'managers'
})

export interface PlanChange {
  tenant_id: string
  /** Id of the change, so that it is reported once. */
  change_id: string
  from: string
  to: string
  at: number
}

export const planNotice = ({ tenant_id, change_id, from, to, at }: PlanChange): FeedNotice => ({
  tenant_id,
  key: `plan:${change_id}`,
  type: 'plan',
  severity: 'info',
  title: `The plan is ${to} now`,
  body: `Before, it was ${from}. Settings > Usage and limits shows what it allows.`,
  at,
  audience: 'managers'
})

/** The kinds of billing events. */
export type Payment = 'succeeded' | 'failed' | 'method_expires' | 'trial_ends'

const payments: Readonly<Record<Payment, { severity: Severity; title: string }>> = {
  succeeded: { severity: 'info', title: 'A payment succeeded' },
  failed: { severity: 'critical', title: 'A payment failed' },
  method_expires: { severity: 'warning', title: 'The payment method expires soon' },
  trial_ends: { severity: 'warning', title: 'The trial ends soon' }
}

export interface Billing {
  tenant_id: string
  /** Id of the provider's event, so that it is reported once. */
  event_id: string
  payment: Payment
  detail: string
  at: number
}

export const billingNotice = ({ tenant_id, event_id, payment, detail, at }: Billing): FeedNotice => ({
  tenant_id,
  key: `billing:${event_id}`,
  type: 'billing',
  ...payments[payment],
  body: detail,
  at,
  audience: 'managers'
})

export interface PlatformWord {
  tenant_id: string
  /** Id of the announcement; the same in every workspace. */
  word_id: string
  /** admin: for the managers of workspaces; broadcast and announcement: for everybody. */
  type: 'admin' | 'broadcast' | 'announcement'
  severity: Severity
  title: string
  body: string
  at: number
}

/** A notice from the operators of the platform. */
export const platformNotice = ({ tenant_id, word_id, type, severity, title, body, at }: PlatformWord): FeedNotice => ({
  tenant_id,
  key: `platform:${word_id}`,
  type,
  severity,
  title,
  body,
  at,
  audience: type === 'admin' ? 'managers' : 'everybody'
})

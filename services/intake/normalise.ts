/**
 * Converts the event of a source to the record of the log. These rules are the same at every door
 * and for every source.
 *
 * - The sender's time orders a signal if it is at most 7 days before and at most 5 minutes after
 *   receipt. Otherwise the time of receipt is shown and orders nothing, and the sender's time is
 *   kept as the label sender_time.
 * - The key from the integration's dedup template identifies the condition. Without a template, and
 *   for a source with a fixed key, it is the source's own key.
 * - The severity is the first of these: the integration's mapping of the sender's word, the
 *   severity from the source, the integration's default, the source's default, warning.
 * - Texts lose their HTML, are cut to the limits of the schema, and lose what Postgres cannot
 *   store: control characters and halves of surrogate pairs.
 *
 * Source: docs/design/inbound-sources.md#s1-2, #s1-3; docs/design/api.md#s1-6,
 * docs/design/api/alerts-and-routing.md#s6-5; schemas/events/InboundAlert.avsc.
 */
import type { InboundAlert, Link } from '../../schemas/generated/events.ts'
import {
  MAX_ALERT_DESCRIPTION,
  MAX_ALERT_KEY,
  MAX_ALERT_LABEL_VALUE,
  MAX_ALERT_LABELS,
  MAX_ALERT_LINKS,
  MAX_ALERT_TITLE
} from '../../schemas/limits.ts'
import { planOf } from '../../schemas/plans.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { IntegrationCredential } from '../credentials/tokens.ts'
import { keyBy } from './dedup-template.ts'
import { type FormerKeys, LABEL_NAMES } from './former-keys.ts'
import { formerName, isFitName, namesOf } from './label-names.ts'
import { plainText } from './plain-text.ts'
import { cleaned, cut, digest } from './readers.ts'
import type { Json, SequencedEvent, Source } from './source.ts'

const DAY_MS = 86_400_000
const MAX_AGE_MS = 7 * DAY_MS
const MAX_AHEAD_MS = 300_000
/**
 * How much of a title and a description is read before the HTML is removed. This bounds the time
 * for megabytes of brackets.
 */
const MAX_TITLE_SENT = 10 * MAX_ALERT_TITLE
const MAX_DESCRIPTION_SENT = 4 * MAX_ALERT_DESCRIPTION
/** Ten years, when the plan has no limit. */
const UNLIMITED_DAYS = 3650

/** The values that are the same for every alert of a payload. */
export interface Receipt {
  integration: Pick<
    IntegrationCredential,
    | 'tenant_id'
    | 'integration_id'
    | 'severity_map'
    | 'labels_add'
    | 'dedup_template'
    | 'default_severity'
    | 'team_id'
    | 'visibility'
    | 'plan'
  >
  source: Source
  /** Epoch ms. */
  received_at: number
  /** The payload's strings may hold characters that must be removed: body.ts, Decoded. */
  escaped: boolean
}

export const retentionDays = (plan: string): number => planOf(plan).limits.check_retention_days ?? UNLIMITED_DAYS

/**
 * Returns the key of a signal, under which its incidents are stored. It combines the integration,
 * the source and the source's own key, so that one integration or source cannot affect another's.
 */
export const signalKey = ({ integration_id }: Pick<IntegrationCredential, 'integration_id'>, kind: string, dedup_key: string): string =>
  `int:${integration_id}:${digest(`${kind}\n${dedup_key}`)}`

/** Returns the record for alerts.inbound.v1. The event must not be an ignored one. */
export function toInboundAlert(event: SequencedEvent, receipt: Receipt): InboundAlert {
  const { integration, source, received_at, escaped } = receipt
  const clean = escaped ? cleaned : asItIs
  const sent = event.occurred_at
  const timely = sent !== null && sent >= received_at - MAX_AGE_MS && sent <= received_at + MAX_AHEAD_MS
  const word = event.source_severity
  const title = titleOf(clean(plainText(cut(event.title, MAX_TITLE_SENT))))
  const labels = labelsOf(event.labels, integration.labels_add, sent !== null && !timely ? sent : null, escaped)
  const template = source.fixed_key ? null : integration.dedup_template
  const key = template === null ? event.dedup_key : keyBy(template, { title, dedup_key: event.dedup_key, labels })
  return {
    event_id: uuidv7(received_at),
    tenant_id: integration.tenant_id,
    integration_id: integration.integration_id,
    source: source.kind,
    dedup_key: event.signal_key ?? signalKey(integration, source.kind, key),
    source_dedup_key: clean(cut(event.dedup_key, MAX_ALERT_KEY)),
    action: event.action === 'ignore' ? 'fire' : event.action,
    title: event.action === 'update' && event.title === '' ? '' : title,
    description:
      event.description === null ? null : clean(cut(plainText(cut(event.description, MAX_DESCRIPTION_SENT)), MAX_ALERT_DESCRIPTION)),
    severity:
      (word !== null && integration.severity_map.size > 0 ? integration.severity_map.get(word.toLowerCase()) : undefined) ??
      event.severity ??
      integration.default_severity ??
      source.default_severity ??
      'warning',
    source_severity: word === null ? null : clean(cut(word, MAX_ALERT_LABEL_VALUE)),
    occurred_at: timely ? sent : received_at,
    time_source: timely ? 'sender' : 'door',
    received_at,
    sequence: event.sequence !== null && Number.isSafeInteger(event.sequence) ? event.sequence : null,
    sequence_kind: source.sequence ?? 'position',
    delivery_id: event.delivery_id === null ? null : clean(cut(event.delivery_id, MAX_ALERT_KEY)),
    labels,
    links: linksOf(event.links, escaped),
    team_id: integration.team_id,
    visibility: integration.visibility,
    retention_days: retentionDays(integration.plan),
    by_former_key: false
  }
}

/**
 * Returns the recovery under the key that older versions gave its alert. Returns null when there is
 * no such key, when it is the same, or when former keys are no longer tried.
 */
export function underFormerKey(event: SequencedEvent, alert: InboundAlert, receipt: Receipt, formerKeys: FormerKeys): InboundAlert | null {
  if (event.action !== 'resolve' || event.signal_key !== undefined) return null
  const { integration, source, escaped } = receipt
  const { dedup_template } = integration
  const changed = source.key_change !== undefined && formerKeys.tries(source.key_change)
  const own = event.former_key !== undefined && changed
  const templated = source.fixed_key === true && dedup_template !== null && changed
  const renamed = dedup_template !== null && !areFit(event.labels) && formerKeys.tries(LABEL_NAMES)
  if (!own && !templated && !renamed) return null
  const dedup_key = (own ? event.former_key : undefined) ?? event.dedup_key
  const labels = renamed ? formerLabels(event.labels, integration.labels_add) : alert.labels
  const key = dedup_template === null ? dedup_key : keyBy(dedup_template, { title: alert.title, dedup_key, labels })
  const former = signalKey(integration, source.kind, key)
  if (former === alert.dedup_key) return null
  const source_dedup_key = (escaped ? cleaned : asItIs)(cut(dedup_key, MAX_ALERT_KEY))
  return { ...alert, event_id: uuidv7(alert.received_at), dedup_key: former, source_dedup_key, by_former_key: true }
}

/** Names labels as older versions did: when two got the same name, the first one stayed. */
function formerLabels(sent: Json, added: ReadonlyMap<string, string>): Record<string, string> {
  const labels: Record<string, string> = Object.create(null)
  let count = 0
  for (const [sentName, value] of [...added, ...Object.entries(sent)]) {
    const name = formerName(sentName)
    if (count >= MAX_ALERT_LABELS) break
    if (name === '' || Object.hasOwn(labels, name)) continue
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue
    labels[name] = cleaned(cut(String(value), MAX_ALERT_LABEL_VALUE))
    count += 1
  }
  return labels
}

/** Addresses need no cleaning. Titles may come from the sender, so they are cleaned and cut. */
function linksOf(links: Link[], escaped: boolean): Link[] {
  const kept = links.length > MAX_ALERT_LINKS ? links.slice(0, MAX_ALERT_LINKS) : links
  if (!escaped && kept.every(({ title }) => title.length <= MAX_ALERT_TITLE)) return kept
  return kept.map(({ title, url }) => ({ title: cut(escaped ? cleaned(title) : title, MAX_ALERT_TITLE), url }))
}

const asItIs = (text: string): string => text

/** One line, not empty. */
function titleOf(title: string): string {
  const line = title.includes('\n') || title.includes('\r') || title.includes('\t') ? title.replace(/\s+/g, ' ').trim() : title
  return line === '' ? 'Alert without a title' : cut(line, MAX_ALERT_TITLE)
}

/**
 * Returns the sender's labels unchanged when nothing must be added, cut or removed, which is nearly
 * always so. Otherwise returns a new object without a prototype, so that a label may be called
 * __proto__. The integration's labels are added first, so they override the sender's.
 */
function labelsOf(sent: Json, added: ReadonlyMap<string, string>, sender_time: number | null, escaped: boolean): Record<string, string> {
  if (added.size === 0 && sender_time === null && !escaped && areFit(sent)) return sent
  const labels: Record<string, string> = Object.create(null)
  let count = 0
  const add = (name: string, value: string): void => {
    if (count >= MAX_ALERT_LABELS || name === '' || Object.hasOwn(labels, name)) return
    labels[name] = cleaned(cut(value, MAX_ALERT_LABEL_VALUE))
    count += 1
  }
  if (sender_time !== null) add('sender_time', new Date(sender_time).toISOString())
  const nameOf = namesOf([...added.keys()])
  for (const [name, value] of added) add(nameOf(name), value)
  const sentNameOf = namesOf(Object.keys(sent))
  for (const [name, value] of Object.entries(sent)) {
    if (count >= MAX_ALERT_LABELS) break
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') add(sentNameOf(name), String(value))
  }
  return labels
}

function areFit(labels: Json): labels is Record<string, string> {
  let count = 0
  for (const name in labels) {
    const value = labels[name]
    if (++count > MAX_ALERT_LABELS || typeof value !== 'string' || value.length > MAX_ALERT_LABEL_VALUE || !isFitName(name)) return false
  }
  return true
}

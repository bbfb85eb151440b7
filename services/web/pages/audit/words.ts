/** An entry of the audit log in words. Pure. */
import type { AuditEntry } from '../../api/shapes.ts'
import { auditText } from '../../texts/audit.ts'

const plain = (word: string): string => word.replaceAll('_', ' ').replace(/^api /, 'API ')
const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `escalation_policy` → `Escalation policy`. */
export const typeInWords = (type: string): string => titled(plain(type))

/** `Monitor updated: Shop`. An action that is of another kind than its object names both. */
export function entryInWords({ action, object }: Pick<AuditEntry, 'action' | 'object'>): string {
  const [kind = '', verb = ''] = action.split('.')
  const what = `${typeInWords(kind)} ${plain(verb)}`
  return object.name === null ? what : `${what}: ${object.name}`
}

/** Who did it. */
export function actorInWords({ kind, name }: AuditEntry['actor']): string {
  return name ?? auditText(`actor.${kind}`)
}

const vias = ['api', 'ui', 'cli', 'mcp', 'chat', 'system'] as const

/** By which way; one that is new is left out. */
export const viaInWords = (via: string): string => {
  const known = vias.find((one) => one === via)
  return known === undefined ? '' : auditText(`via.${known}`)
}

/** A value of a diff as it can be read: text as it is, the rest as JSON. */
export const valueInWords = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value)

const pages: Readonly<Record<string, string>> = {
  monitor: '/monitors/',
  heartbeat: '/heartbeats/',
  integration: '/integrations/',
  incident: '/incidents/',
  team: '/settings/teams/',
  channel: '/settings/channels/',
  schedule: '/on-call/schedules/',
  escalation_policy: '/on-call/policies/',
  silence: '/silences/',
  routing_rule: '/settings/routing/'
}

/** Where the object is shown; null: nowhere, or it is gone. */
export function placeOf({ action, object: { type, id, name } }: Pick<AuditEntry, 'action' | 'object'>): string | null {
  const place = pages[type]
  if (place === undefined || action.endsWith('.deleted')) return null
  return name === null && type !== 'silence' && type !== 'routing_rule' ? null : `${place}${id}`
}

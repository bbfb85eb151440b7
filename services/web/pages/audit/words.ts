/** Puts entries of the audit log into words. Pure. */
import type { AuditEntry } from '../../api/shapes.ts'
import { auditText } from '../../texts/audit.ts'

const plain = (word: string): string => word.replaceAll('_', ' ').replace(/^api /, 'API ')
const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `escalation_policy` → `Escalation policy`. */
export const typeInWords = (type: string): string => titled(plain(type))

/**
 * `Monitor updated: Shop`. When the action and its object are of different kinds, the words name
 * both.
 */
export function entryInWords({ action, object }: Pick<AuditEntry, 'action' | 'object'>): string {
  const [kind = '', verb = ''] = action.split('.')
  const what = `${typeInWords(kind)} ${plain(verb)}`
  return object.name === null ? what : `${what}: ${object.name}`
}

/** Returns the name of the actor. */
export function actorInWords({ kind, name }: AuditEntry['actor']): string {
  return name ?? auditText(`actor.${kind}`)
}

const vias = ['api', 'ui', 'cli', 'mcp', 'chat', 'system'] as const

/** Returns how the change came in. Empty for a way that only a newer server version knows. */
export const viaInWords = (via: string): string => {
  const known = vias.find((one) => one === via)
  return known === undefined ? '' : auditText(`via.${known}`)
}

/** Returns a value of a diff in readable form: text as it is, everything else as JSON. */
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

/**
 * Returns the address of the page that shows the object. Null when there is no such page or the
 * object was deleted.
 */
export function placeOf({ action, object: { type, id, name } }: Pick<AuditEntry, 'action' | 'object'>): string | null {
  const place = pages[type]
  if (place === undefined || action.endsWith('.deleted')) return null
  return name === null && type !== 'silence' && type !== 'routing_rule' ? null : `${place}${id}`
}

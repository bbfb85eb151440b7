/**
 * The names that a template may use, and the check that a template is well formed. A template is
 * text with names in double braces, such as {{incident.title}}. It has no logic, nesting or code.
 * Source: docs/design/api/notifications.md#templates.
 */
import { MAX_ALERT_LABEL_NAME } from '../limits.ts'

/** Title and body of a template. Null: the service's default text. */
export interface Template {
  title: string | null
  body: string | null
}

export const MAX_TEMPLATE_TITLE = 500
export const MAX_TEMPLATE_BYTES = 16_384
/** The most placeholders in one text. */
export const MAX_PLACEHOLDERS = 100

/** Every placeholder, with a short description for the form. A label is incident.labels.<name>. */
export const placeholders = {
  'workspace.name': 'The workspace',
  event: 'What happened, as down',
  'incident.key': 'As INC-42',
  'incident.title': 'Its title',
  'incident.summary': 'Its text',
  'incident.status': 'ongoing or resolved',
  'incident.severity': 'critical, warning or info',
  'incident.priority': 'P1 to P5',
  'incident.regions': 'Where it was seen',
  'incident.source': 'What opened it, as monitor',
  'incident.url': 'Its page in the dashboard',
  'incident.started_at': 'Since when',
  'incident.acknowledged_at': 'When somebody acknowledged',
  'incident.resolved_at': 'When it was over',
  'incident.duration': 'How long it lasted',
  'incident.resolution_reason': 'Why it is over',
  'subject.kind': 'monitor or heartbeat',
  'subject.name': 'Its name',
  'subject.target': 'What the monitor asks',
  'subject.url': 'Its page in the dashboard',
  'failure.message': 'What the check said',
  'team.name': 'Whose it is',
  'assignee.name': 'Who has it',
  'actor.name': 'Who acknowledged or resolved',
  'certificate.host': 'Whose certificate',
  'certificate.days_left': 'Days until it expires',
  'certificate.not_after': 'When it expires'
} as const
export type Placeholder = keyof typeof placeholders

export const LABEL_PREFIX = 'incident.labels.'
const LABEL = new RegExp(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,${MAX_ALERT_LABEL_NAME - 1}}$`)

/** Names in double braces. A single brace is an ordinary character. */
const NAMED = /\{\{([^{}]*)\}\}/g
const MAX_SHOWN_NAME = 80

const isKnown = (name: string): boolean =>
  Object.hasOwn(placeholders, name) || (name.startsWith(LABEL_PREFIX) && LABEL.test(name.slice(LABEL_PREFIX.length)))

export interface TemplateFault {
  rule: 'unknown_placeholder' | 'length' | 'max' | 'pattern'
  /** The end of a sentence that begins with the path of the field. */
  message: string
}

/** Returns the fault of a template's text; null when there is none. `max` is in bytes of UTF-8. */
export function templateFault(text: string, max: number): TemplateFault | null {
  if (new TextEncoder().encode(text).length > max) return { rule: 'length', message: `must be at most ${max} bytes of UTF-8` }
  const names = [...text.matchAll(NAMED)].map(([, name = '']) => name.trim())
  const strange = names.find((name) => !isKnown(name))
  if (strange !== undefined)
    return {
      rule: 'unknown_placeholder',
      message: `has no placeholder {{${strange.slice(0, MAX_SHOWN_NAME)}}}: there are ${Object.keys(placeholders).join(', ')} and ${LABEL_PREFIX}<name>`
    }
  if (text.replace(NAMED, '').includes('{{'))
    return { rule: 'pattern', message: 'has {{ that begins no placeholder, such as {{incident.title}}' }
  if (names.length > MAX_PLACEHOLDERS) return { rule: 'max', message: `must have at most ${MAX_PLACEHOLDERS} placeholders` }
  return null
}

/**
 * Returns the text with its names replaced by values. It runs once, so braces inside a value are
 * not replaced. A name without a value becomes empty. Each value is cut at `max` characters.
 */
export const filledIn = (text: string, wordsFor: (name: string) => string, max: number): string =>
  text.replace(NAMED, (_, name: string) => wordsFor(name.trim()).slice(0, max))

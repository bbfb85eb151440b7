/**
 * The dedup template of an integration. It defines which alerts belong to the same condition when
 * the source's own key is not suitable.
 *
 * A template is text with fields in braces, such as `{label.cluster}/{title}`. The fields are
 * `title`, `dedup_key` (the source's own key) and `label.<name>`, with label names as the stored
 * alert has them. There are no fields for values that can differ between an alert and its recovery,
 * such as severity or times, because a recovery must get the same key as its alert. A missing label
 * counts as empty text. If all fields of an alert are empty, the source's own key is used;
 * otherwise unrelated alerts would share one key.
 *
 * Source: docs/design/api/alerts-and-routing.md#s6-5.
 */

import { MAX_ALERT_LABEL_NAME } from '../../schemas/limits.ts'

const MAX_FIELDS = 10
const FIELD = /\{([^{}]*)\}/g
const NAME = new RegExp(`^(?:title|dedup_key|label\\.[a-zA-Z_][a-zA-Z0-9_.-]{0,${MAX_ALERT_LABEL_NAME - 1}})$`)

/**
 * Returns what is wrong with a template, worded as the end of a sentence that begins with its path;
 * null when it is valid.
 */
export function templateFault(template: string): string | null {
  const names = [...template.matchAll(FIELD)].map(([, name = '']) => name)
  const strange = names.find((name) => !NAME.test(name))
  if (strange !== undefined) return `has no field {${strange.slice(0, 80)}}: fields are {title}, {dedup_key} and {label.<name>}`
  if (/[{}]/.test(template.replace(FIELD, ''))) return 'has a brace that belongs to no field, such as {title}'
  if (names.length === 0) return 'must have a field, such as {title}: without one every alert would be the same'
  if (names.length > MAX_FIELDS) return `must have at most ${MAX_FIELDS} fields`
  return null
}

/** Whether the title is a part of the keys that a template gives. */
export const hasTitle = (template: string): boolean => template.includes('{title}')

export interface Keyed {
  title: string
  dedup_key: string
  labels: Readonly<Record<string, string>>
}

/** Returns the key that a valid template gives an alert. */
export function keyBy(template: string, { title, dedup_key, labels }: Keyed): string {
  let isEmpty = true
  const key = template.replace(FIELD, (_, name: string) => {
    const label = name.startsWith('label.') ? name.slice('label.'.length) : null
    const value = label === null ? (name === 'title' ? title : dedup_key) : Object.hasOwn(labels, label) ? (labels[label] ?? '') : ''
    if (value !== '') isEmpty = false
    return value
  })
  return isEmpty ? dedup_key : key
}

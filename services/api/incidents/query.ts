/**
 * Filters of lists that JSON schemas alone do not read.
 * Source: docs/design/api/incidents.md#in-1.
 */
import { invalid } from '../http/errors.ts'

/** Epoch ms. A leap second has the form of an instant and is none. */
export function instant(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'must be an instant')
  return at
}

/** `label.team=payments` and the like. */
export function labelsOf(query: object): Record<string, string[]> {
  const labels: Record<string, string[]> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith('label.')) labels[name.slice('label.'.length)] = [value].flat().flatMap((text) => String(text).split(','))
  }
  return labels
}

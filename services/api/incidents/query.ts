/**
 * Reads list filters that JSON schemas alone cannot read.
 * Source: docs/design/api/incidents.md#in-1.
 */
import { invalid } from '../http/errors.ts'

/** Returns epoch ms. A leap second has the form of an instant but is refused. */
export function instant(text: string | undefined, path: string): number | undefined {
  if (text === undefined) return undefined
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw invalid(path, 'pattern', 'must be an instant')
  return at
}

/** Reads filters such as `label.team=payments`. */
export function labelsOf(query: object): Record<string, string[]> {
  const labels: Record<string, string[]> = Object.create(null)
  for (const [name, value] of Object.entries(query)) {
    if (name.startsWith('label.')) labels[name.slice('label.'.length)] = [value].flat().flatMap((text) => String(text).split(','))
  }
  return labels
}

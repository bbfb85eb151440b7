/** Turns text that was pasted or read from a file into the body that the API takes. Pure. */
import type { MonitorImport } from '../../api/shapes.ts'

/** Returns null if the text looks like JSON but is not a list of monitors. */
export function importBody(text: string, dry_run: boolean): MonitorImport | null {
  const content = text.trim()
  if (!/^[[{]/.test(content)) return { format: 'csv', content, dry_run }
  try {
    const value: unknown = JSON.parse(content)
    // A response of the monitor list and a body of this route both hold the monitors in `items`.
    const items: unknown = Array.isArray(value) ? value : Reflect.get(Object(value), 'items')
    if (!Array.isArray(items) || items.some((one) => typeof one !== 'object' || one === null || Array.isArray(one))) return null
    return { format: 'native', items: items as Record<string, unknown>[], dry_run }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

/** What was pasted or read from a file, as the api takes it. Pure. */
import type { MonitorImport } from '../../api/shapes.ts'

/** Null: it looks like JSON, and is no list of monitors. */
export function importBody(text: string, dry_run: boolean): MonitorImport | null {
  const content = text.trim()
  if (!/^[[{]/.test(content)) return { format: 'csv', content, dry_run }
  try {
    const value: unknown = JSON.parse(content)
    // An answer of the list of monitors, or a body of this route, has them under `items`.
    const items: unknown = Array.isArray(value) ? value : Reflect.get(Object(value), 'items')
    if (!Array.isArray(items) || items.some((one) => typeof one !== 'object' || one === null || Array.isArray(one))) return null
    return { format: 'native', items: items as Record<string, unknown>[], dry_run }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

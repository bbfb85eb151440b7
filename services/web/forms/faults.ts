/** Collects the faults of a form by the api's field names. Pure. */
import type { Detail } from '../api/client.ts'

/** Maps the path of a field, as the api names it, to its fault. */
export type Faults = Readonly<Record<string, string>>

const sentence = (message: string): string => `This ${message}.`

export function faultsByPath(details: readonly Detail[]): Faults {
  const faults: Record<string, string> = {}
  for (const { path, message } of details)
    if (path !== undefined && message !== undefined)
      faults[path] ??= /^(has|is|may|must|needs)\b/.test(message) ? sentence(message) : message
  return faults
}

/** What is wrong with a form, by the names of the api. Pure. */
import type { Detail } from '../api/client.ts'

/** Path of a field as the api names it → what is wrong there. */
export type Faults = Readonly<Record<string, string>>

const sentence = (message: string): string => `This ${message}.`

export function faultsByPath(details: readonly Detail[]): Faults {
  const faults: Record<string, string> = {}
  for (const { path, message } of details)
    if (path !== undefined && message !== undefined)
      faults[path] ??= /^(has|is|may|must|needs)\b/.test(message) ? sentence(message) : message
  return faults
}

/** What of a form is tried: as it would be saved; a name may still be missing. Pure. */
import type { MonitorTrial } from '../../api/shapes.ts'
import { createBody, type Values } from './values.ts'

export function trialOfNew(values: Values): MonitorTrial {
  const { name, ...body } = createBody(values)
  return { ...body, ...(name.trim() !== '' && { name }) }
}

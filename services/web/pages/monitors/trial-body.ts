/**
 * Builds the body of a trial from a form: the monitor as it would be saved, but the name may still
 * be missing. Pure.
 */
import type { MonitorTrial } from '../../api/shapes.ts'
import { createBody, type Values } from './values.ts'

export function trialOfNew(values: Values): MonitorTrial {
  const { name, ...body } = createBody(values)
  return { ...body, ...(name.trim() !== '' && { name }) }
}

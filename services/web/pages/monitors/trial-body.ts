/**
 * Builds the body of a trial from a form: the monitor as it would be saved, but the name may still
 * be missing. Pure.
 */
import type { Monitor, MonitorTrial } from '../../api/shapes.ts'
import { createBody, type Values } from './values.ts'

export function trialOfNew(values: Values, like: Pick<Monitor, 'escalation_policy_id'> | null = null): MonitorTrial {
  const { name, ...body } = createBody(values, like)
  return { ...body, ...(name.trim() !== '' && { name }) }
}

/**
 * What to do for a monitor, from its assignment: its secrets are opened with the key of this
 * process.
 */
import { mapSecrets } from '../../schemas/http/check-config.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { isSealed, openSealed, Unsealable } from '../credentials/sealing.ts'
import { PlanFault, planHttp } from './http-plan.ts'
import type { Plan } from './watched.ts'

/** `onUnsealable`: a secret is sealed to the key of an earlier process of this name. */
export function createPlan(privateKey: Buffer, version: string, onUnsealable: () => void): (assignment: Assignment) => Plan {
  return (assignment) => {
    try {
      const config = mapSecrets(assignment.config, (value) => (isSealed(value) ? openSealed(privateKey, value) : value))
      return planHttp({ ...assignment, config }, `monitoring-prober/${version}`)
    } catch (error) {
      if (error instanceof PlanFault) return { fault: error.message }
      if (!(error instanceof Unsealable)) throw error
      onUnsealable()
      return { fault: 'The secrets of the monitor do not open with the key of this prober' }
    }
  }
}

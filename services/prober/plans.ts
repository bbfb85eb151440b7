/**
 * Makes the plan of a monitor from its assignment. The secrets are opened with the key of this
 * process.
 */
import { mapSecrets } from '../../schemas/http/check-config.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { isSealed, openSealed, Unsealable } from '../credentials/sealing.ts'
import { PlanFault, type ProberFacts, type ProberType } from './prober-type.ts'
import { proberTypes } from './types/index.ts'
import type { Plan } from './watched.ts'

const performers: ReadonlyMap<string, ProberType> = new Map(Object.entries(proberTypes))

/** Returns the types that a prober can do, and why it cannot do the others. */
export async function typesOf(facts: ProberFacts): Promise<{ kinds: string[]; missing: { type: string; why: string }[] }> {
  const asked = await Promise.all([...performers].map(async ([type, { missing }]) => ({ type, why: (await missing?.(facts)) ?? null })))
  return {
    kinds: asked.flatMap(({ type, why }) => (why === null ? [type] : [])),
    missing: asked.flatMap(({ type, why }) => (why === null ? [] : [{ type, why }]))
  }
}

/** Plans a check. The secrets in `assignment.config` are already opened. Throws PlanFault. */
export function planOf(assignment: Assignment, facts: ProberFacts): Exclude<Plan, { fault: string }> {
  const performer = performers.get(assignment.type)
  if (!performer) throw new PlanFault(`This prober does not know checks of the type ${assignment.type}`)
  return performer.plan(assignment, facts)
}

/** `onUnsealable`: called if a secret is sealed to the key of an earlier process of this name. */
export function createPlan(privateKey: Buffer, facts: ProberFacts, onUnsealable: () => void): (assignment: Assignment) => Plan {
  return (assignment) => {
    try {
      const config = mapSecrets(assignment.config, (value) => (isSealed(value) ? openSealed(privateKey, value) : value))
      return planOf({ ...assignment, config }, facts)
    } catch (error) {
      if (error instanceof PlanFault) return { fault: error.message }
      if (!(error instanceof Unsealable)) throw error
      onUnsealable()
      return { fault: 'The secrets of the monitor do not open with the key of this prober' }
    }
  }
}

/** Reads where a check connects to, from the target that people wrote. */
import type { TargetRule } from '../../schemas/http/check-type.ts'
import type { Assignment } from '../../schemas/http/prober.ts'
import { parseHostPort } from '../checks/targets.ts'
import type { Dialled } from './connection.ts'
import { PlanFault } from './prober-type.ts'

export function familyOf(word: unknown): 0 | 4 | 6 {
  return word === '4' ? 4 : word === '6' ? 6 : 0
}

/** Throws PlanFault. */
export function dialledOf({ port }: TargetRule, { target, config }: Assignment): Dialled {
  const to = parseHostPort(target, port)
  if (!to) throw new PlanFault('The target is no host:port')
  return { ...to, family: familyOf(config.ip_family) }
}

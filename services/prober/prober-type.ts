/**
 * How a type of check is done: one file in types/, named after the type, which exports `type`. What
 * people write of it is the file of the same name in schemas/http/check-types/.
 */
import type { Assignment } from '../../schemas/http/prober.ts'
import type { AttemptReport, Edge } from './attempt.ts'

/** What a prober is, as far as types ask for it. */
export interface ProberFacts {
  userAgent: string
  /** IP addresses with or without a port, in the order in which they are asked. */
  resolvers: readonly string[]
  /** Ending of a domain → its RDAP server, in place of those of the IANA. */
  rdap?: ReadonlyMap<string, string>
}

/** What to do for a monitor: attempts, each of which ends by itself. */
export interface Attempts {
  timeoutMs: number
  /** Rejects with the reason of `edge.abort`, or where the prober itself has a fault. */
  attempt(edge: Edge): Promise<AttemptReport>
}

export interface ProberType {
  /** `assignment.config` with its secrets opened. Throws PlanFault. */
  plan(assignment: Assignment, facts: ProberFacts): Attempts
  /** Why this prober cannot do it, for its log; null: it can. Without it every prober can. */
  missing?(facts: ProberFacts): Promise<string | null>
}

/**
 * It cannot be checked as it is configured, which says nothing of the target; `message` says why,
 * for people, without secrets.
 */
export class PlanFault extends Error {
  override readonly name = 'PlanFault'
}

/**
 * How a check type is performed: one file in types/, named after the type, which exports `type`.
 * The settings that people write for it are in the file of the same name in
 * schemas/http/check-types/.
 */
import type { Assignment } from '../../schemas/http/prober.ts'
import type { AttemptReport, Edge } from './attempt.ts'

/** Facts about the prober that types ask for. */
export interface ProberFacts {
  userAgent: string
  /** IP addresses, with or without a port, in the order they are asked. */
  resolvers: readonly string[]
  /** Ending of a domain → its RDAP server, in place of the IANA's list. */
  rdap?: ReadonlyMap<string, string>
}

/** The plan for a monitor: attempts, each of which ends by itself. */
export interface Attempts {
  timeoutMs: number
  /** Rejects with the reason of `edge.abort`, or if the prober itself has a fault. */
  attempt(edge: Edge): Promise<AttemptReport>
}

export interface ProberType {
  /** Plans a check. The secrets in `assignment.config` are already opened. Throws PlanFault. */
  plan(assignment: Assignment, facts: ProberFacts): Attempts
  /**
   * Returns why this prober cannot do the type, for its log; null: it can. A type without this
   * function works on every prober.
   */
  missing?(facts: ProberFacts): Promise<string | null>
}

/**
 * The monitor cannot be checked as configured, which says nothing about the target. `message` says
 * why, for people, without secrets.
 */
export class PlanFault extends Error {
  override readonly name = 'PlanFault'
}

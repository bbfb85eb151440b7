/**
 * Types for the cases of a type of check. Each type has a file beside this one, which exports
 * `cases`. Each case is a monitor whose target runs there, and the result of its check. The test
 * runs all of them; so does `npm run checks`, which prints their table.
 */
import type { Assignment } from '../../../../schemas/http/prober.ts'
import type { AttemptReport } from '../../../../services/prober/attempt.ts'
import type { Network } from '../../../../services/prober/connection.ts'
import type { Reason } from '../../../../services/prober/failure.ts'
import type { ProberFacts } from '../../../../services/prober/prober-type.ts'

export interface Case {
  what: string
  /** An outcome, or the reason for the failure. */
  gives: 'success' | 'degraded' | 'prober_error' | Reason
  monitor: Assignment
  network?: Network
  facts?: Partial<ProberFacts>
  /** More fields of the report, for `t.match`. */
  shows?: unknown
  /** Checks what `shows` cannot express; returns a message if something is wrong. */
  holds?: (report: AttemptReport) => string | null
}

/** Registers the clean-up of a case. */
export interface Stage {
  teardown(end: () => unknown): void
}

export interface TypeCases {
  /** The name of the target. */
  against: string
  /** Starts the targets. */
  cases(stage: Stage): Promise<Case[]>
}

/** Returns a report's result in the words of a case. */
export const given = ({ outcome, reason }: AttemptReport): string => (outcome === 'failure' ? (reason ?? 'failure') : outcome)

/**
 * Cases of a type of check: one file a type beside this one, which exports `cases`. Each case is a
 * monitor whose target stands there, and what its check gives. The test runs them all; so does
 * `npm run checks`, which prints the table of them.
 */
import type { Assignment } from '../../../../schemas/http/prober.ts'
import type { AttemptReport } from '../../../../services/prober/attempt.ts'
import type { Network } from '../../../../services/prober/connection.ts'
import type { Reason } from '../../../../services/prober/failure.ts'
import type { ProberFacts } from '../../../../services/prober/prober-type.ts'

export interface Case {
  what: string
  /** An outcome, or why it fails. */
  gives: 'success' | 'degraded' | 'prober_error' | Reason
  monitor: Assignment
  network?: Network
  facts?: Partial<ProberFacts>
  /** More of the report, as `t.match` takes it. */
  shows?: unknown
  /** What `shows` cannot say; a message where something is wrong. */
  holds?: (report: AttemptReport) => string | null
}

/** Ends what a case needs. */
export interface Stage {
  teardown(end: () => unknown): void
}

export interface TypeCases {
  /** What stands as the target. */
  against: string
  /** Starts the targets. */
  cases(stage: Stage): Promise<Case[]>
}

/** What a report gives, in the words of a case. */
export const given = ({ outcome, reason }: AttemptReport): string => (outcome === 'failure' ? (reason ?? 'failure') : outcome)

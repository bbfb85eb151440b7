/**
 * Limits of kept look-ups: how long an entry is usable, how many entries are kept, and how many
 * questions run at once.
 */
export interface LookupLimits {
  freshMs: number
  /** Replaces `freshMs` while no connection listens for changes. */
  freshUnheardMs: number
  /** From this age on, a use also refreshes the entry in the background. */
  refreshMs: number
  staleMs: number
  negativeMs: number
  lookupMs: number
  /** How long Postgres is not asked again after a question failed. */
  pauseMs: number
  /** Time between two checks that the listening connection still works. */
  pulseMs: number
  entries: number
  negativeEntries: number
  lookups: number
}

export const defaultLimits: LookupLimits = {
  freshMs: 60_000,
  freshUnheardMs: 4000,
  refreshMs: 45_000,
  staleMs: 600_000,
  negativeMs: 5000,
  lookupMs: 2000,
  pauseMs: 500,
  pulseMs: 2000,
  entries: 50_000,
  negativeEntries: 20_000,
  lookups: 256
}

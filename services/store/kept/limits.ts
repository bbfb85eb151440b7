/** How long what is kept counts, and how much is kept and asked. */
export interface LookupLimits {
  freshMs: number
  /** Instead of `freshMs` while nobody listens for changes. */
  freshUnheardMs: number
  /** From this age on a use refreshes in the background. */
  refreshMs: number
  staleMs: number
  negativeMs: number
  lookupMs: number
  /** How long nobody asks after a failed question. */
  pauseMs: number
  /** Between questions on the listening connection, whether it still is one. */
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

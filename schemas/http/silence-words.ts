/** States of a silence by a pattern: plain words, for pages that load without the schemas. */

export const silenceStates = ['pending', 'active', 'expired'] as const
export type SilenceState = (typeof silenceStates)[number]

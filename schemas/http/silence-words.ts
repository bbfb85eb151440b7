/** States of a pattern silence. This file has no schemas, for pages that load without them. */

export const silenceStates = ['pending', 'active', 'expired'] as const
export type SilenceState = (typeof silenceStates)[number]

/**
 * Words and limits of maintenance windows. This file has no schemas, for pages that load without
 * them.
 */

export const windowEffects = ['suppress_notifications', 'suppress_incidents', 'pause_checks'] as const
export type WindowEffect = (typeof windowEffects)[number]

export const windowOrigins = ['planned', 'deployment'] as const
export type WindowOrigin = (typeof windowOrigins)[number]

export const windowStates = ['scheduled', 'active', 'ended', 'cancelled'] as const
export type WindowState = (typeof windowStates)[number]

export const deploymentOutcomes = ['succeeded', 'failed', 'rolled_back', 'cancelled'] as const
export type DeploymentOutcome = (typeof deploymentOutcomes)[number]

export const MAX_SETTLE_SECONDS = 1800
export const SETTLE_SECONDS = 120
/** Most ids of each kind that a scope may name. */
export const MAX_SCOPE_IDS = 500
export const MAX_SCOPE_TAGS = 50
export const MAX_EXDATES = 200
/** Most occurrences that are shown. */
export const MAX_OCCURRENCES = 5
/** Longest duration of a window that happens once. */
export const MAX_WINDOW_DAYS = 31
/** How far ahead a window may begin. */
export const MAX_WINDOW_AHEAD_DAYS = 732
export const MAX_DEPLOYMENT_MINUTES = 240
export const DEPLOYMENT_MINUTES = 30
export const MAX_EXTEND_MINUTES = 120

/**
 * Words about checks and stored secrets. The dashboard loads them too, so this file has no schemas.
 */

/**
 * No prober checks it. Its state is pushed to the api and counts as the vote of this single region.
 */
export const PUSHED = 'external'

/** Stands for a secret in answers. A request that sends it back keeps the secret. */
export const MASK = '********'

/** Words of checks and of kept secrets, also for the dashboard: without schemas. */

/** Nobody checks it: its state is pushed to the api, and counts as the vote of this one region. */
export const PUSHED = 'external'

/** What stands for a secret in answers; sent back, it keeps the secret. */
export const MASK = '********'

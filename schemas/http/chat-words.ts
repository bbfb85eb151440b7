/** Words about apps of chats, without their schemas: the dashboard's first load has them, too. */

/** Why an install came to nothing, as the page says it. */
export const installProblems = [
  /** The person said no at the vendor. */
  'denied',
  /** The way back is unknown, used, too old, or of another session. */
  'state',
  /** The vendor did not take the code. */
  'refused',
  /** Nobody answered. */
  'unreachable',
  /** No room was chosen, or a right is missing. */
  'incomplete',
  /** The app does not see the room that was chosen. */
  'no_access',
  /** For all workspaces of an organisation at once. */
  'organisation',
  /** The plan has no such channels. */
  'plan',
  /** The plan has no more channels. */
  'limit',
  /** Whoever runs the service has no such app. */
  'not_set_up'
] as const
export type InstallProblem = (typeof installProblems)[number]

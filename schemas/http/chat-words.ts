/**
 * Words about chat apps. They need no schemas, because the dashboard's first load includes them.
 */

/** Reasons why the installation of a chat app failed, for the page to explain. */
export const installProblems = [
  /** The person declined at the vendor. */
  'denied',
  /** The `state` that came back is unknown, used, too old, or belongs to another session. */
  'state',
  /** The vendor rejected the code. */
  'refused',
  /** Nobody answered. */
  'unreachable',
  /** No room was chosen, or a permission is missing. */
  'incomplete',
  /** The app has no access to the chosen room. */
  'no_access',
  /** The installation was for all workspaces of an organisation at once. */
  'organisation',
  /** The plan does not include channels of this kind. */
  'plan',
  /** The plan's limit of channels is reached. */
  'limit',
  /** The operator of the service has not set up such an app. */
  'not_set_up'
] as const
export type InstallProblem = (typeof installProblems)[number]

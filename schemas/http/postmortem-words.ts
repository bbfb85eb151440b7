/** Words of postmortems, also for the dashboard: without schemas. */

/** In the order in which people read them. */
export const postmortemParts = ['impact', 'root_cause', 'detection', 'resolution', 'lessons'] as const
export type PostmortemPart = (typeof postmortemParts)[number]

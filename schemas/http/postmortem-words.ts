/** Words about postmortems. The dashboard loads them too, so this file has no schemas. */

/** The parts in the order in which people read them. */
export const postmortemParts = ['impact', 'root_cause', 'detection', 'resolution', 'lessons'] as const
export type PostmortemPart = (typeof postmortemParts)[number]

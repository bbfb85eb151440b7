/** Severities, the most severe first. The dashboard loads them too, so this file has no schemas. */
export const severities = ['critical', 'warning', 'info'] as const

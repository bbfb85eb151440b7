/** How much something matters, most first; also for the dashboard: without schemas. */
export const severities = ['critical', 'warning', 'info'] as const

/** What the addresses of these pages hold. */
export const incidentsSearch = (_search: Record<string, unknown>): { q?: string } => ({})

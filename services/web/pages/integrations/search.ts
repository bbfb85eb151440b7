/** What the addresses of these pages hold. */
export const sourcesSearch = (_search: Record<string, unknown>): { q?: string } => ({})
export const deliveriesSearch = (_search: Record<string, unknown>): { q?: string } => ({})

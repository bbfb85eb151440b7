/** What the addresses of these pages hold. */
export const monitorsSearch = (_search: Record<string, unknown>): { q?: string } => ({})
export const monitorSearch = (_search: Record<string, unknown>): { q?: string } => ({})

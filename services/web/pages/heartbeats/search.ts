/** What the addresses of these pages hold. */
export const heartbeatsSearch = (_search: Record<string, unknown>): { q?: string } => ({})
export const heartbeatTabs = (_search: Record<string, unknown>): { q?: string } => ({})

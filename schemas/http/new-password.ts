/** A password that is being chosen; also for the dashboard: without schemas. */
export const NewPassword = { type: 'string', minLength: 12, maxLength: 256 } as const

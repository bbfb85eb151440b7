/**
 * Schema of a new password. The dashboard loads it too, so this file does not use the schema
 * library.
 */
export const NewPassword = { type: 'string', minLength: 12, maxLength: 256 } as const

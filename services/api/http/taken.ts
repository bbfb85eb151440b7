/** A name that another object has, said by the database: whoever asks first could be overtaken. */
import { ApiError, type ErrorCode } from './errors.ts'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505'

/**
 * For `catch`: throws 409 with `code` where the unique `constraint` was broken, naming `field` and
 * `what` has its value; else what was thrown.
 */
export const taken =
  (constraint: string, code: Extract<ErrorCode, `${string}_TAKEN`>, field: string, what: string) =>
  (error: unknown): never => {
    const broken =
      error instanceof Error && Reflect.get(error, 'code') === UNIQUE_VIOLATION && Reflect.get(error, 'constraint') === constraint
    if (!broken) throw error
    const message = `Another ${what} has this ${field}`
    throw new ApiError(code, message, { details: [{ path: field, message }] })
  }

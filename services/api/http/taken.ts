/**
 * Reports a name that another object has, as found by the database. A check before the write could
 * be overtaken by another request.
 */
import { ApiError, type ErrorCode } from './errors.ts'

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const UNIQUE_VIOLATION = '23505'

/**
 * For `catch`: throws 409 with `code` if the unique `constraint` was violated, saying that a `what`
 * already has the value of `field`. Throws any other error again.
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

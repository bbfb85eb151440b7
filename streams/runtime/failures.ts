/**
 * Classifies a failed transaction. *Retryable*: the same batch may succeed later. *Unfit*: the
 * effects of a record are such that the store will never accept them. Anything else is unknown, and
 * only a restart (or a person) can help.
 *
 * Source: docs/design/architecture.md#s5-failures; PostgreSQL, appendix A.
 */

/** The broker or the registry cannot be asked at the moment. */
export class Away extends Error {
  override readonly name = 'Away'
}

/**
 * The registry answers but does not know the schema id of a record. It may learn the id later: a
 * replica may lag, or a restore may be under way. It is never a fault of the record.
 */
export class SchemaMissing extends Error {
  override readonly name = 'SchemaMissing'
  readonly id: number
  readonly offset: bigint

  constructor(id: number, offset: bigint) {
    super(`the registry does not know schema ${id}`)
    this.id = id
    this.offset = offset
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/**
 * Connection (08), resources (53), operator (57); read-only after a failover; serialization
 * failure, deadlock, a unique row inserted in between, idle in transaction, lock.
 */
const RETRYABLE = /^(08...|53...|57...|25006|40001|40P01|23505|25P03|55P03)$/
const NETWORK = /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT)$/
const MESSAGES = /Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error/

export function isRetryable(error: unknown): boolean {
  if (error instanceof Away) return true
  const code = codeOf(error)
  return RETRYABLE.test(code) || NETWORK.test(code) || (error instanceof Error && MESSAGES.test(error.message))
}

/**
 * Data (22: a NUL in a text, a number out of range), constraints (23; but a unique row inserted in
 * between is not a fault), limits of a row (54).
 */
const UNFIT = /^(22...|23...|54...)$/
/**
 * Errors of the codec and of the outbox: a value that does not fit its record, and a record that no
 * topic accepts.
 */
const UNFIT_NAMES = new Set(['InvalidRecord', 'OutgoingTooLarge'])

/**
 * Whether the batch holds a record that would fail for ever, and block the partition with it. Such
 * a record must become a dead letter.
 */
export const isUnfit = (error: unknown): boolean =>
  error instanceof Error && (UNFIT_NAMES.has(error.name) || (!isRetryable(error) && UNFIT.test(codeOf(error))))

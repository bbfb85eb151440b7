/**
 * What a failed transaction means. *Retryable*: the same batch may succeed later. *Unfit*: a
 * record's effects are such that the store will never take them. Anything else is unknown, and only
 * a restart (or a person) can help.
 * Source: docs/design/architecture.md#s5-failures; PostgreSQL, appendix A.
 */

/** Broker or registry cannot be asked at the moment. */
export class Away extends Error {
  override readonly name = 'Away'
}

/**
 * The registry answers, and does not know the schema id of a record. It may come to know it: a
 * replica that lags, a restore. Never a fault of the record.
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
 * Connection (08), resources (53), operator (57); read-only after a fail-over; serialization,
 * deadlock, a unique row that appeared in between, idle in transaction, lock.
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
 * Data (22: a NUL in a text, a number out of range), constraints (23; a unique row that appeared is
 * no fault), limits of a row (54).
 */
const UNFIT = /^(22...|23...|54...)$/
/**
 * Of the codec and of the outbox: a value that does not fit its record, a record that no topic
 * takes.
 */
const UNFIT_NAMES = new Set(['InvalidRecord', 'OutgoingTooLarge'])

/**
 * The batch holds a record that would fail so for ever, and with it the partition: it must become a
 * dead letter.
 */
export const isUnfit = (error: unknown): boolean =>
  error instanceof Error && (UNFIT_NAMES.has(error.name) || (!isRetryable(error) && UNFIT.test(codeOf(error))))

/**
 * A row had changed since it was loaded, although its key was locked. Carries SQLSTATE 40001:
 * running the transaction again may succeed.
 */
export class RowMoved extends Error {
  override readonly name = 'RowMoved'
  readonly code = '40001'
}

/**
 * Whether a transaction that failed like this may succeed if it runs again at once: a row had
 * moved, or Postgres ended it to resolve a deadlock (40P01). It has had no effect.
 */
const mayRunAgain = (error: unknown): boolean =>
  error instanceof RowMoved || (error instanceof Error && 'code' in error && error.code === '40P01')

const MAX_TRIES = 3

/**
 * Runs `work`, which is a whole transaction, and runs it again at once if it may succeed then. Each
 * try reads the rows as they are now.
 */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!mayRunAgain(error) || tries === MAX_TRIES) throw error
    }
  }
}

/**
 * Throws RowMoved when the number of rows written differs from the number wanted; each part is
 * counted by its name.
 */
export function checkWritten(wanted: Readonly<Record<string, number>>, written: Readonly<Record<string, number>> | undefined): void {
  for (const [part, count] of Object.entries(wanted)) {
    if (written?.[part] !== count) throw new RowMoved(`${part}: ${count} rows to write, ${written?.[part]} were as loaded`)
  }
}

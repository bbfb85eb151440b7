/**
 * Limits how long to wait: kafkajs retries and waits by its own rules, and a frozen peer never
 * answers.
 */
import { steadyNow } from './steady.ts'

export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/**
 * Resolves to the result of `work`, or rejects with Overdue at `deadline` (of steadyNow). The
 * outcome of `work` after that is ignored.
 */
export async function by<T>(deadline: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Overdue('no answer in time')), Math.max(deadline - steadyNow(), 1))
  })
  try {
    return await Promise.race([work, overdue])
  } finally {
    clearTimeout(timer)
    work.catch(() => undefined) // After Overdue, nobody else handles a later rejection.
  }
}

/**
 * Waiting that ends: kafkajs retries and waits by rules of its own, and a frozen peer answers
 * nothing.
 */
import { steadyNow } from './steady.ts'

export class Overdue extends Error {
  override readonly name = 'Overdue'
}

/**
 * What `work` resolves to, or a rejection with Overdue at `deadline` (of steadyNow); what becomes
 * of `work` after that concerns nobody.
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
    work.catch(() => undefined) // When overdue won, a later rejection has nobody else to tell.
  }
}

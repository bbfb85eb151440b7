import { timingSafeEqual } from 'node:crypto'

/** Returns whether two texts are equal. The time it takes reveals only their lengths. */
export function isSameSecret(given: string, wanted: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(wanted)]
  return left.length === right.length && timingSafeEqual(left, right)
}

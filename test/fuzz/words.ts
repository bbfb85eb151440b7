/** Parses the arguments of `npm run fuzz`. */
import { UsageError } from '../../services/operator/tool.ts'

export function wholeNumber(text: string, name: string): number {
  const found = Number(text)
  if (text === '' || !Number.isSafeInteger(found) || found < 0) throw new UsageError(`--${name}: expected a whole number`)
  return found
}

/** The given seed, or a different one each time. */
export const seedOf = (text: string | undefined): number => (text === undefined ? Date.now() % 2 ** 31 : wholeNumber(text, 'seed'))

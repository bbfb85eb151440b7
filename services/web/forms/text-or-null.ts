/** Nothing is written as null. */
export const textOrNull = (typed: string): string | null => typed.trim() || null

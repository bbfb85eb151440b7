/** Returns the trimmed text, or null if it is empty. */
export const textOrNull = (typed: string): string | null => typed.trim() || null

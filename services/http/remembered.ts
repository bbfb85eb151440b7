const MAX_KEPT = 5000

/**
 * Returns `make` with a memory of its results for the last few thousand texts, because a few texts
 * come often.
 */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  let kept = new Map<string, T>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    if (kept.size >= MAX_KEPT) kept = new Map()
    const made = make(text)
    kept.set(text, made)
    return made
  }
}

const MAX_KEPT = 5000

/** `make`, with what it made for the last few thousand texts at hand: few of them come often. */
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

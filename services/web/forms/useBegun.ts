/**
 * The version of a thing that its form began with, for forms that name the version in If-Match.
 * What somebody else saves does not replace what a person types, and saving then says that it
 * changed. While nothing is typed, the form begins anew with each version, because the first one
 * may come from the cache.
 */
import { useState } from 'react'

export interface Begun<Thing> {
  begun: Thing
  /** For `onSet` of the form. */
  onSet: () => void
  /** Begins anew, after a change of the person's own. */
  begin: (thing: Thing) => void
}

/** The form's `key` must contain the version of `begun`. */
export function useBegun<Thing extends { version: number }>(now: Thing): Begun<Thing> {
  const [begun, setBegun] = useState(now)
  const [isTyped, setIsTyped] = useState(false)
  if (!isTyped && now.version > begun.version) setBegun(now)
  return {
    begun,
    onSet: () => setIsTyped(true),
    begin(thing) {
      setBegun(thing)
      setIsTyped(false)
    }
  }
}

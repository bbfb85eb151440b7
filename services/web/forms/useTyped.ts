/**
 * Text of a filter that stands in the address: the field shows what was typed, at once, and the
 * address has it when the typing rests.
 */
import { useEffect, useState } from 'react'

/** For a list whose rows are here already. */
export const HERE_MS = 100

/** `type` is for onChange; `toAddress` is called when nothing was typed for `restsMs`. */
export function useTyped(
  inAddress: string,
  toAddress: (text: string) => void,
  restsMs = 250
): { typed: string; type: (text: string) => void } {
  const [typed, setTyped] = useState(inAddress)
  const [known, setKnown] = useState(inAddress)
  /** What the address was given and does not show yet. */
  const [given, setGiven] = useState<readonly string[]>([])
  if (inAddress !== known) {
    const nth = given.indexOf(inAddress)
    setKnown(inAddress)
    setGiven(given.slice(nth + 1))
    // Back, a link or a cleared filter changes the text; what was typed a moment ago and comes back
    // takes nothing from what was typed since.
    if (nth < 0 && inAddress !== typed.trim()) setTyped(inAddress)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the wait
  useEffect(() => {
    const text = typed.trim()
    if (text === (given.at(-1) ?? inAddress)) return
    const timer = setTimeout(() => {
      setGiven((before) => [...before, text])
      toAddress(text)
    }, restsMs)
    return () => clearTimeout(timer)
  }, [typed])
  return { typed, type: setTyped }
}

/**
 * The text of a filter that is stored in the address. The field shows the typed text at once; the
 * address gets it when the person stops typing.
 */
import { useEffect, useState } from 'react'

/** The pause in ms for a list whose rows are already loaded. */
export const HERE_MS = 100

/** `type` is for onChange. `toAddress` is called after `restsMs` without typing. */
export function useTyped(
  inAddress: string,
  toAddress: (text: string) => void,
  restsMs = 250
): { typed: string; type: (text: string) => void } {
  const [typed, setTyped] = useState(inAddress)
  const [known, setKnown] = useState(inAddress)
  /** Texts that were given to the address but do not appear in it yet. */
  const [given, setGiven] = useState<readonly string[]>([])
  if (inAddress !== known) {
    const nth = given.indexOf(inAddress)
    setKnown(inAddress)
    setGiven(given.slice(nth + 1))
    // The back button, a link or a cleared filter replaces the typed text. An address that only
    // catches up with earlier typing does not, so nothing typed since is lost.
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

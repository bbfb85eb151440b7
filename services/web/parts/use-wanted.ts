/** For components that load on first use. */
import { useState } from 'react'

/**
 * Stays true after the first time: a dialog that was open must stay mounted to give the focus back.
 */
export function useWanted(now: boolean): boolean {
  const [wanted, setWanted] = useState(now)
  if (now && !wanted) setWanted(true)
  return wanted || now
}

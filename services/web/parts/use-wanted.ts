/** For what loads when it is first asked for. */
import { useState } from 'react'

/** True from the first time on: a dialog that was open must be there to give the focus back. */
export function useWanted(now: boolean): boolean {
  const [wanted, setWanted] = useState(now)
  if (now && !wanted) setWanted(true)
  return wanted || now
}

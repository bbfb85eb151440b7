/** Calls `work` when its component leaves the page, and when the page closes (`closes`). */
import { useEffect, useRef } from 'react'

export function useLeaving(work: (closes: boolean) => void): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    const onClose = (): void => latest.current(true)
    window.addEventListener('pagehide', onClose)
    return () => {
      window.removeEventListener('pagehide', onClose)
      latest.current(false)
    }
  }, [])
}

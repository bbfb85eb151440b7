/**
 * Shows the parts of a page, which load their own data, all at once when each has its first answer,
 * so that none pushes another down. A part whose request fails is not waited for.
 */
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

const SHOWN = { display: 'contents' } as const
/** Hidden but laid out at full width, for components that measure themselves. */
const WAITING = { height: 0, overflow: 'hidden', visibility: 'hidden' } as const

const AGAIN_MS = 50
/** After this time the parts are shown as they load. */
const LONGEST_MS = 5000

const isFirst = ({ state }: Query): boolean => state.data === undefined && state.fetchFailureCount === 0

export interface TogetherProps {
  /** Shown in place of the parts until then. */
  meanwhile: ReactNode
  /** They are drawn. */
  onShown?: () => void
  children: ReactNode
}

export function Together({ meanwhile, onShown, children }: TogetherProps) {
  const queries = useQueryClient()
  const waits = useIsFetching({ predicate: isFirst }) > 0
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (shown || waits) return
    // An answer may start further requests. They have begun by the time this runs, and may end
    // without `waits` ever changing.
    const look = (): void => {
      if (queries.isFetching({ predicate: isFirst }) === 0) setShown(true)
      else timer = setTimeout(look, AGAIN_MS)
    }
    let timer = setTimeout(look)
    return () => clearTimeout(timer)
  }, [shown, waits, queries])
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), LONGEST_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (shown) onShown?.()
  }, [shown, onShown])
  return (
    <>
      {!shown && meanwhile}
      <div style={shown ? SHOWN : WAITING} aria-busy={!shown || undefined}>
        {children}
      </div>
    </>
  )
}

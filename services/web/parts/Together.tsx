/**
 * Parts of a page that ask for what they show, drawn at once when each has its first answer: none
 * pushes another down. What fails is not waited for.
 */
import { type Query, useIsFetching, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'

const SHOWN = { display: 'contents' } as const
/** Laid out in its width, for what measures itself. */
const WAITING = { height: 0, overflow: 'hidden', visibility: 'hidden' } as const

const AGAIN_MS = 50
/** Then they are drawn as they come. */
const LONGEST_MS = 5000

const isFirst = ({ state }: Query): boolean => state.data === undefined && state.fetchFailureCount === 0

export interface TogetherProps {
  /** Stands in their place till then. */
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
    // What an answer lets others ask for has begun by then, and may end unseen by `waits`.
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

/**
 * The connection for everything below: started with a session, stopped without one. While it is not
 * live, what is shown is read again every 15 s.
 */
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { channels } from '../../../schemas/http/channels.ts'
import { Connection } from './connection.ts'
import { createFrames } from './frames.ts'
import type { Live } from './live-state.ts'

const POLL_MS = 15_000

const Context = createContext<Connection | null>(null)

function socketAddress(): string {
  const address = new URL('/api/v1/ws', location.href)
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:'
  address.searchParams.set('channels', channels.join())
  return address.href
}

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [connection] = useState(
    () =>
      new Connection({
        url: socketAddress(),
        onFrame: createFrames(queries),
        onGap: () => void queries.invalidateQueries(),
        // A session that has ended shows here; the socket alone does not tell.
        onClosed: () => void queries.invalidateQueries({ queryKey: ['session'] })
      })
  )
  useEffect(() => {
    connection.start()
    return () => connection.stop()
  }, [connection])
  const { state } = useSyncExternalStore(connection.subscribe, connection.now)
  const polls = state === 'reconnecting' || state === 'stale'
  useEffect(() => {
    if (!polls) return
    const timer = setInterval(() => void queries.invalidateQueries(), POLL_MS)
    return () => clearInterval(timer)
  }, [polls, queries])
  return <Context value={connection}>{children}</Context>
}

/** How live the page is, and a way to try now. */
export function useLive(): Live & { hurry: () => void } {
  const connection = use(Context)
  const missing = useRef<Live>({ state: 'ended', lastFrameAt: null, since: null })
  const live = useSyncExternalStore(
    (listener) => connection?.subscribe(listener) ?? (() => undefined),
    () => connection?.now() ?? missing.current
  )
  return { ...live, hurry: () => connection?.hurry() }
}

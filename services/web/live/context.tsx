/**
 * Provides the connection to all components below it: it starts with a session and stops without
 * one. While it is reconnecting or stale, what is shown is read again every 15 s.
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
        // The socket does not tell that a session has ended; reading the session does.
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

/** Returns how live the page is, and `hurry`, which retries at once. */
export function useLive(): Live & { hurry: () => void } {
  const connection = use(Context)
  const missing = useRef<Live>({ state: 'ended', lastFrameAt: null, since: null })
  const live = useSyncExternalStore(
    (listener) => connection?.subscribe(listener) ?? (() => undefined),
    () => connection?.now() ?? missing.current
  )
  return { ...live, hurry: () => connection?.hurry() }
}

/**
 * Provides the connection to all components below it: it starts with a session and stops without
 * one. While it is reconnecting, full or stale, what is shown is read again every 15 s.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { channels } from '../../../schemas/http/channels.ts'
import { Connection } from './connection.ts'
import type { Frame } from './frame.ts'
import { isOld, type Live, polls } from './live-state.ts'
import type { Readings } from './readings.ts'

const POLL_MS = 15_000

interface Provided {
  connection: Connection
  /** Null until its code is there. */
  readings: Readings | null
}

/**
 * Returns what takes frames. Its code loads after the page; frames wait for it. Without it,
 * everything is read again while frames come, at most every 15 s.
 */
function takeFrames(queries: QueryClient): (frame: Frame) => void {
  let reading: ReturnType<typeof setTimeout> | undefined
  const readAll = (): void => {
    reading = undefined
    void queries.invalidateQueries({}, { cancelRefetch: false })
  }
  const taking = import('./frames.ts').then(
    ({ createFrames }) => createFrames(queries),
    () => () => {
      if (reading === undefined) reading = setTimeout(readAll, POLL_MS)
    }
  )
  return (frame) => void taking.then((take) => take(frame))
}

/** Figures of the past are left out: the plan allows few readings, and they poll on their own. */
const isNow = ({ queryKey: [resource] }: { queryKey: readonly unknown[] }): boolean => resource !== 'analytics'

const Context = createContext<Provided | null>(null)

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
        onFrame: takeFrames(queries),
        onGap: () => void queries.invalidateQueries(),
        // The socket does not tell that a session has ended; reading the session does.
        onClosed: () => void queries.invalidateQueries({ queryKey: ['session'] }, { cancelRefetch: false })
      })
  )
  const [readings, setReadings] = useState<Readings | null>(null)
  const provided = useMemo<Provided>(() => ({ connection, readings }), [connection, readings])
  useEffect(() => {
    let isOver = false
    // Loads after the page. Without it the page shows what it read, and the next load tries again.
    void import('./readings.ts').then(
      ({ Readings }) => isOver || setReadings(new Readings()),
      () => undefined
    )
    return () => {
      isOver = true
    }
  }, [])
  useEffect(() => readings?.start(queries), [readings, queries])
  useEffect(() => {
    connection.start()
    return () => connection.stop()
  }, [connection])
  const { state } = useSyncExternalStore(connection.subscribe, connection.now)
  const isPolling = polls(state)
  useEffect(() => {
    if (!isPolling) return
    const timer = setInterval(() => void queries.invalidateQueries({ predicate: isNow }, { cancelRefetch: false }), POLL_MS)
    return () => clearInterval(timer)
  }, [isPolling, queries])
  return <Context value={provided}>{children}</Context>
}

/** Returns how live the page is, and `hurry`, which connects and reads again at once. */
export function useLive(): Live & { hurry: () => void } {
  const { connection, readings } = use(Context) ?? {}
  const queries = useQueryClient()
  const missing = useRef<Live>({ state: 'ended', lastFrameAt: null, since: null })
  const live = useSyncExternalStore(
    (listener) => connection?.subscribe(listener) ?? (() => undefined),
    () => connection?.now() ?? missing.current
  )
  const hurry = (): void => {
    connection?.hurry()
    if (readings && readings.since() !== null) void queries.invalidateQueries()
  }
  return { ...live, hurry }
}

export interface Old {
  /** Epoch ms. */
  since: number
  /** `unread`: the connection is live, but the page cannot read its data. */
  why: 'unconnected' | 'unread'
}

/** Returns since when what is shown may be out of date; null while it is not. */
export function useOld(): Old | null {
  const { readings } = use(Context) ?? {}
  const { state, since } = useLive()
  const unread = useSyncExternalStore(
    (listener) => readings?.subscribe(listener) ?? (() => undefined),
    () => readings?.since() ?? null
  )
  if (isOld(state) && since !== null) return { since, why: 'unconnected' }
  return unread === null ? null : { since: unread, why: 'unread' }
}

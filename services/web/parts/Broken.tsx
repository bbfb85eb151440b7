/**
 * What a page shows when it cannot be drawn: either a part of it did not load (a new version was
 * deployed, or there is no network), or the code has a fault. For a missing part the person has to
 * do nothing: the page reloads by itself as soon as that can help.
 */
import { Button } from '@mantine/core'
import { CloudOff, RefreshCw } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Refusal } from '../api/client.ts'
import { statesText } from '../texts/states.ts'
import { MissingPart } from './part.ts'
import { Empty, Problem } from './States.tsx'

const isMissing = (error: Error): boolean =>
  error instanceof MissingPart || /dynamically imported module|module script failed|Failed to fetch|Unable to preload/i.test(error.message)

const RELOADED = 'reloaded-at'
/**
 * Least time between two automatic reloads, so that a part that is still missing does not cause a
 * reload loop.
 */
const BETWEEN_MS = 60_000

function reloadOnce(): void {
  const last = Number(sessionStorage.getItem(RELOADED) ?? 0)
  if (Date.now() - last < BETWEEN_MS) return
  sessionStorage.setItem(RELOADED, String(Date.now()))
  location.reload()
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** Whether this device has a network, as reported by the browser. */
const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine)

export function Broken({ error, reset }: { error: Error; reset: () => void }) {
  const online = useOnline()
  const waits = isMissing(error)
  useEffect(() => {
    if (waits && online) reloadOnce()
  }, [waits, online])
  if (error instanceof Refusal) return <Problem error={error} retry={reset} />
  if (waits && !online)
    return (
      <Empty icon={CloudOff} title={statesText('page.offline')}>
        {statesText('page.offline_hint')}
      </Empty>
    )
  return (
    <Empty
      icon={RefreshCw}
      title={statesText(waits ? 'page.part' : 'page.title')}
      action={<Button onClick={() => location.reload()}>{statesText('page.action')}</Button>}
    >
      {waits ? statesText('page.part_hint') : error.message}
    </Empty>
  )
}

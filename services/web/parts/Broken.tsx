/**
 * What stands where a page could not be drawn: a part of it that did not load (a new version was
 * deployed, or there is no network), or a fault of ours. A part that is missing is no work of
 * anybody's: the page loads again by itself as soon as that can help.
 */
import { Button } from '@mantine/core'
import { CloudOff, RefreshCw } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { Refusal } from '../api/client.ts'
import { MissingPart } from './part.ts'
import { Empty, Problem } from './States.tsx'

const isMissing = (error: Error): boolean =>
  error instanceof MissingPart || /dynamically imported module|module script failed|Failed to fetch|Unable to preload/i.test(error.message)

const RELOADED = 'reloaded-at'
/** A part that is missing after a reload is not waited for again and again. */
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

/** Whether this device has a network at all, as the browser says. */
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
      <Empty icon={CloudOff} title="This page needs a network connection">
        This page was not opened before, and this device has no network. It opens on its own when the network is back.
      </Empty>
    )
  return (
    <Empty
      icon={RefreshCw}
      title={waits ? 'This part of the page did not load' : 'This page has an error'}
      action={<Button onClick={() => location.reload()}>Load the page again</Button>}
    >
      {waits ? 'There may be a newer version of the dashboard.' : error.message}
    </Empty>
  )
}

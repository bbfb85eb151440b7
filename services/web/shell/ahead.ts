/**
 * Fetches the rest of the dashboard into the browser's cache, so that pages and dialogs that were
 * never opened also open without a network. It begins a while after the first page, and fetches a
 * few files at a time while the page is idle and nobody scrolls it. It does nothing if the person
 * saves data or the connection is slow.
 */
import { onRest } from '../parts/rested.ts'

const AT_ONCE = 3
/** If the page is never idle, the next file is fetched after this time. */
const IDLE_WITHIN_MS = 200

/** The connection data that some browsers provide. */
interface Connection {
  saveData?: boolean
  effectiveType?: string
}

function isDear(): boolean {
  const { saveData = false, effectiveType = '4g' }: Connection = Reflect.get(navigator, 'connection') ?? {}
  return saveData || effectiveType !== '4g'
}

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    // Safari lacks `requestIdleCallback`.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_WITHIN_MS })
    else setTimeout(resolve, IDLE_WITHIN_MS)
  })

/** Never throws: a file that fails to load now is requested when it is needed. */
export async function fetchAhead(): Promise<void> {
  if (!navigator.onLine || isDear()) return
  try {
    const answer = await fetch('/parts.json')
    const names: unknown = answer.ok ? await answer.json() : []
    const left = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
    const next = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined && navigator.onLine; name = left.pop()) {
        await new Promise<void>(onRest)
        await idle()
        const part = await fetch(`/${name}`, { priority: 'low' })
        // The browser caches only responses that were read to the end.
        await part.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  } catch {
    // If there is no network, the pages themselves say so.
  }
}

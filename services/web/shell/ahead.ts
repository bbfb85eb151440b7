/**
 * The rest of the dashboard goes into the browser's cache a while after the first page, a few files
 * at a time and while the page has nothing else to do: a page or dialog that was never opened then
 * opens without a network, too. Not where the person saves data or the connection is slow.
 */
const AT_ONCE = 3
/** A page that is never idle goes on with the next file after so long. */
const IDLE_WITHIN_MS = 200

/** What browsers that tell it say of the connection. */
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
    // Not every browser has it.
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: IDLE_WITHIN_MS })
    else setTimeout(resolve, IDLE_WITHIN_MS)
  })

/** Never throws: what does not come now is asked for when it is needed. */
export async function fetchAhead(): Promise<void> {
  if (!navigator.onLine || isDear()) return
  try {
    const answer = await fetch('/parts.json')
    const names: unknown = answer.ok ? await answer.json() : []
    const left = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
    const next = async (): Promise<void> => {
      for (let name = left.pop(); name !== undefined && navigator.onLine; name = left.pop()) {
        await idle()
        const part = await fetch(`/${name}`, { priority: 'low' })
        // Only what was read to its end is kept.
        await part.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  } catch {
    // Without a network the pages themselves say so.
  }
}

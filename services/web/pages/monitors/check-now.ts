/**
 * Checks a monitor now. It shows each region's result as soon as it can be read, and a summary when
 * all results are there.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client, Refusal, take } from '../../api/client.ts'
import { checkNow } from '../../api/monitors.ts'
import type { Check } from '../../api/shapes.ts'
import { tellDone, tellRefused } from '../../parts/tell.ts'
import { monitorPageText } from '../../texts/monitor-page.ts'

/**
 * A check may take a minute, and its result is in the log some seconds later. Most results are
 * there soon.
 */
const RESULTS_WITHIN_MS = 75_000
const SOON_MS = 10_000
const pauses = { soon: 1_000, later: 3_000 } as const

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export interface Progress {
  /** How many regions were asked. */
  asked: number
  /** Their results so far. */
  answered: readonly Check[]
}

export interface CheckNow {
  start: () => void
  /** True until the service has accepted the order. */
  isAsking: boolean
  isRunning: boolean
  /** Progress of the last check that was started here; null: none was. */
  progress: Progress | null
}

/**
 * Returns the results of these checks when all of them are there; null if that takes longer than
 * `RESULTS_WITHIN_MS`. Calls `tell` with the results so far, as they come.
 */
async function resultsOf(
  id: string,
  check_ids: readonly string[],
  tell: (answered: readonly Check[]) => void,
  signal: AbortSignal
): Promise<readonly Check[] | null> {
  const began = Date.now()
  let known = 0
  for (let waited = 0; waited < RESULTS_WITHIN_MS; waited = Date.now() - began) {
    await pause(waited < SOON_MS ? pauses.soon : pauses.later)
    try {
      const { items } = await take(
        client.GET('/api/v1/monitors/{id}/checks', { params: { path: { id }, query: { per_page: 50 } }, signal })
      )
      const found = items.filter(({ check_id }) => check_ids.includes(check_id))
      if (found.length > known) tell(found)
      known = found.length
      if (found.length === check_ids.length) return found
    } catch (error) {
      // The check runs anyway, so a read that fails for a moment is tried again.
      if (!(error instanceof Refusal) || !error.mayPass) throw error
    }
  }
  return null
}

export const isGood = ({ outcome }: Pick<Check, 'outcome'>): boolean => outcome === 'success' || outcome === 'degraded'

function told(results: readonly Check[]): string {
  const good = results.filter(isGood).length
  const count = results.length
  const regions = count === 1 ? monitorPageText('check.region') : monitorPageText('check.regions', { count })
  if (good === count) return monitorPageText('check.good', { regions })
  const failed = results.find((result) => !isGood(result))
  const said = monitorPageText('check.bad', { regions, count: count - good })
  return failed?.message ? `${said}. ${failed.message}` : said
}

export function useCheckNow(id: string): CheckNow {
  const queries = useQueryClient()
  const ending = useRef<AbortController>(null)
  const again = useRef<() => void>(() => undefined)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [asking, setAsking] = useState(false)
  useEffect(() => () => ending.current?.abort(), [])
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      setAsking(true)
      const { check_ids } = await checkNow(id).finally(() => setAsking(false))
      const asked = check_ids.length
      setProgress({ asked, answered: [] })
      const controller = new AbortController()
      ending.current = controller
      return resultsOf(id, check_ids, (answered) => setProgress({ asked, answered }), controller.signal)
    },
    onSuccess: (results) => {
      tellDone(results ? told(results) : monitorPageText('check.later'), results && !results.every(isGood) ? 'bad' : 'good')
      void queries.invalidateQueries({ queryKey: ['monitors', 'one', id] })
      void queries.invalidateQueries({ queryKey: ['analytics', 'uptime', id] })
    },
    onError: (error) => {
      if (!(error instanceof DOMException)) tellRefused(monitorPageText('do.checking'), error, () => again.current())
    }
  })
  again.current = mutate
  return { start: () => mutate(), isAsking: asking, isRunning: isPending, progress }
}

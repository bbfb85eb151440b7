/**
 * The end of a silence by a pattern: at its time, early, or because the silence was changed. A job
 * checks what the silence held, page by page, so that its author does not have to wait.
 *
 *   the silence                         the job pattern_silence_end
 *   is made, or ends at another time    is due at its end; the former one is cancelled
 *   is ended early                      is due at once; the one at its end is cancelled
 *   gets other matchers, or a later     is due at once, with the matchers that held
 *   start
 * Source: docs/design/api/alerts-and-routing.md#s6-4.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import type { Condition } from '../../schemas/http/routing-words.ts'
import type { JobChange } from '../../streams/define.ts'
import { holdsOf, noFacts } from '../../streams/incident/holds.ts'
import { compileSilences, silenceStateAt } from '../../streams/routing/silences.ts'
import { columnsOf, toIncident } from './incident-rows.ts'
import { changeJobs } from './jobs.ts'
import { seeingAll, type Tx } from './pool.ts'
import { type HoldEnd, holdsChanged, lockOngoing, RELEASE_PAGE } from './releases.ts'
import { privateTeams, type SilenceSettings, type StoredSilence } from './silences.ts'

const keyOf = (silence_id: string, word: string): string => `pattern_silence_end:${silence_id}:${word}`

type Named = Pick<StoredSilence, 'tenant_id' | 'silence_id'>

const atEnd = ({ tenant_id, silence_id }: Named, { matchers, ends_at }: SilenceSettings): JobChange => ({
  start: 'pattern_silence_end',
  idem_key: keyOf(silence_id, String(ends_at)),
  tenant_id,
  run_at: ends_at,
  payload: { silence_id, matchers, after: null }
})

/**
 * Starts the check at once: from `now` (epoch ms) on, the silence may no longer hold what it held.
 */
const atOnce = ({ tenant_id, silence_id, ver }: Named & { ver: number }, { matchers }: SilenceSettings, now: number): JobChange => ({
  start: 'pattern_silence_end',
  idem_key: keyOf(silence_id, `version ${ver}`),
  tenant_id,
  run_at: now,
  payload: { silence_id, matchers, after: null }
})

export const startSilenceEnd = (tx: Tx, silence: Named, settings: SilenceSettings): Promise<void> =>
  changeJobs(tx, [atEnd(silence, settings)])

/** Changes the jobs of a silence. `before`: as it was stored. `after` null: it ends now. */
export async function changeSilenceEnd(tx: Tx, before: StoredSilence, after: SilenceSettings | null, now: number): Promise<void> {
  const { tenant_id, silence_id } = before
  const cancelled: JobChange = { cancel: keyOf(silence_id, String(before.ends_at)), tenant_id }
  const isActive = silenceStateAt(before, now) === 'active'
  const isSame = after !== null && after.starts_at <= now && isDeepStrictEqual(after.matchers, before.matchers)
  await changeJobs(tx, [cancelled, ...(isActive && !isSame ? [atOnce(before, before, now)] : []), ...(after ? [atEnd(before, after)] : [])])
}

export interface SilenceEnd {
  /** Incidents that nothing else holds. */
  released: Incident[]
  /** Id after which the next page begins; null when there is none. */
  after: string | null
}

/**
 * Checks a page of the ongoing incidents after the id `after`, for those that such a silence held.
 */
export async function endSilence(
  tx: Tx,
  codec: Codec,
  tenant_id: string,
  { matchers, after }: { matchers: readonly Condition[]; after: string | null },
  cause: HoldEnd
): Promise<SilenceEnd> {
  const { rows } = await tx.query<Incident>(
    `SELECT ${columnsOf('i')} FROM incidents i
      WHERE i.tenant_id = $1 AND i.status = 'ongoing' AND ($2::uuid IS NULL OR i.incident_id > $2) ORDER BY i.incident_id LIMIT $3`,
    [tenant_id, after, RELEASE_PAGE + 1]
  )
  const page = rows.slice(0, RELEASE_PAGE).map(toIncident)
  const asItWas = { silence_id: '', matchers, starts_at: 0, ends_at: Infinity, expired_at: null }
  const silences = compileSilences([asItWas], await seeingAll(tx, (tx) => privateTeams(tx, tenant_id)))
  const held = page.filter((incident) =>
    holdsOf(incident, { ...noFacts, silences }, cause.at).some(({ kind }) => kind === 'matcher_silence')
  )
  const locked = await lockOngoing(
    tx,
    tenant_id,
    held.map(({ incident_id }) => incident_id)
  )
  const released = await holdsChanged(
    tx,
    codec,
    tenant_id,
    locked.map(({ incident_id }) => incident_id),
    cause
  )
  return { released, after: rows.length > RELEASE_PAGE ? (page.at(-1)?.incident_id ?? null) : null }
}

/**
 * Handles a maintenance window that begins, ends or has settled, or whose dates must be worked out
 * further ahead.
 * Source: docs/design/api/maintenance.md#s10-1.
 */
import { expiryNotice } from '../../../streams/maintenance/expiry.ts'
import { writeEffects } from '../../store/effects.ts'
import { lockWindow, teamsOfNamed } from '../../store/maintenance.ts'
import { turnWindow } from '../../store/maintenance-turns.ts'
import { privateTeams } from '../../store/silences.ts'
import { endOf, payloadText, type RunJob } from '../job.ts'

export const run: RunJob = async (tx, job, { codec }) => {
  const window = await lockWindow(tx, job.tenant_id, payloadText(job, 'window_id'))
  if (!window) return undefined
  const { at, src } = await endOf(tx, job)
  const { next, ended } = await turnWindow(tx, codec, window, { now: at, src })
  const again = next === null ? undefined : { at: next, payload: job.payload }
  if (!ended) return again
  const named = await teamsOfNamed(tx, job.tenant_id, window.scope)
  const team_ids = [...new Set([...window.team_ids, ...named])]
  const notice = expiryNotice({ ...window, team_ids }, await privateTeams(tx, job.tenant_id), at)
  if (notice) await writeEffects(tx, { feed: [notice] }, codec)
  return again
}

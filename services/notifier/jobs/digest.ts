/**
 * Sends a person's digest when it is due: it covers what has happened since the digest before. If
 * the time zone or the hour has changed since it was planned, the digest is planned again and
 * covers the same start.
 * Source: docs/design/api/notifications.md#digests.
 */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { noWishes, type Wishes } from '../../../schemas/http/notification-preferences.ts'
import { uuidv5 } from '../../../schemas/uuid.ts'
import { tzZones } from '../../../streams/on-call/zones.ts'
import { digestOf, nextDigestAt } from '../../../streams/reach/digest.ts'
import { noticeIntent } from '../../../streams/reach/notice.ts'
import { readDigest, readTold } from '../../store/digests.ts'
import { writeEffects } from '../../store/effects.ts'
import { postgresNow } from '../../store/schedule-history.ts'
import { payloadInstant, payloadText, type RunJob } from '../job.ts'

/** How long a digest may still be sent: yesterday's digest is useless. */
const KEPT_MS = 12 * 3_600_000

export const run: RunJob = async (tx, job, { codec }) => {
  const { tenant_id, run_at } = job
  const user_id = payloadText(job, 'user_id')
  const from = payloadInstant(job, 'from')
  const person = (await readTold(tx, tenant_id, [user_id])).get(user_id)
  if (!person) return
  const { digest } = { ...noWishes, ...(person.wishes as Partial<Wishes>) }
  const { every } = digest
  // By the clock that leased the job: with one that is behind, `next` would be this digest again.
  const now = await postgresNow(tx)
  const next = nextDigestAt(digest, person.time_zone, now, tzZones)
  if (next === null || every === 'none') return
  const planned = nextDigestAt(digest, person.time_zone, run_at - 1, tzZones)
  if (planned !== run_at) return { at: next, payload: { user_id, from } }
  const found = await readDigest(tx, tenant_id, { ...person, role: person.role as MemberRole }, { from, to: now })
  const { workspace, time_zone, methods } = person
  const said = digestOf({ workspace: workspace.name, every, time_zone, from, to: now, ...found })
  if (said) {
    const intent = noticeIntent({
      tenant_id,
      intent_id: uuidv5(user_id, `${tenant_id} digest ${run_at}`),
      event: 'digest',
      user_id,
      methods,
      said,
      workspace,
      path: '/incidents',
      why: { every },
      at: now,
      due_at: now,
      expires_at: now + KEPT_MS
    })
    await writeEffects(tx, { intents: [intent] }, codec)
  }
  return { at: next, payload: { user_id, from: now } }
}

/**
 * Moves a page that failed to the person's next method, if there is one that was not asked yet. A
 * page fails when the quota of the month is used up, the number refuses, nobody takes the call, the
 * app is gone, the bot is blocked, the mail server refuses the mailbox, or the method is gone or
 * has lost its proof when its turn comes. Nobody is asked any more once the incident is over, or
 * somebody has acknowledged it since the page was made. The incident is read under a lock that the
 * acknowledgement waits for, so what is asked here is taken back by it.
 * Source: docs/design/api/notifications.md#s8-4.
 */
import type { Codec } from '../../schemas/codec.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Intent } from '../../streams/define.ts'
import type { DeliveryRow } from './deliveries.ts'
import type { Step } from './delivery-outcomes.ts'
import { saveIntents } from './intents.ts'
import type { Tx } from './pool.ts'
import { readPeople, worksNow } from './reach.ts'

type Page = Pick<
  DeliveryRow,
  | 'tenant_id'
  | 'delivery_id'
  | 'intent_id'
  | 'incident_id'
  | 'incident_ver'
  | 'event'
  | 'user_id'
  | 'step'
  | 'team_id'
  | 'visibility'
  | 'queued_at'
  | 'expires_at'
>

interface Asked {
  run: number | null
  cycle: number | null
  step: number | null
  policy_id: string | null
  policy_version: number | null
  urgency: Intent['urgency']
  why: Intent['why']
  /**
   * Methods by which this step has already asked the person. Each request by hand is a step of its
   * own: one version of the incident.
   */
  asked: string[]
  now: number
}

/** Whether a page asks a person to look at a failure. */
export const isAsked = ({ user_id, event }: Pick<Page, 'user_id' | 'event'>): boolean =>
  user_id !== null && (event === 'down' || event === 'degraded')

/** Reasons not to send a page that are those of its method alone. */
const UNUSABLE: ReadonlySet<string> = new Set(['quota', 'no_method', 'unverified'])

/** Attempts that the operator's account refuses before the next method is asked, too. */
const MAX_REFUSED = 3

/**
 * Whether the page of this step goes to the person's next method, if somebody must still look. A
 * page that the operator's account refuses is also still retried, since the operator may mend it.
 */
export const fallsBack = ({
  row,
  state,
  suppressed_by,
  error_code
}: Pick<Step, 'row' | 'state' | 'suppressed_by' | 'error_code'>): boolean =>
  isAsked(row) &&
  (state === 'failed' ||
    (suppressed_by !== null && UNUSABLE.has(suppressed_by)) ||
    (state === 'retrying' && error_code === 'operator' && row.attempts === MAX_REFUSED))

/**
 * Returns null when nobody must look any more. Else the incident stays locked until the transaction
 * ends.
 */
async function readAsked(tx: Tx, { tenant_id, intent_id, queued_at }: Page): Promise<Asked | null> {
  const { rows } = await tx.query<Asked>(
    `SELECT i.run, i.cycle, i.step, i.policy_id, i.policy_version, i.urgency, i.why, clock_timestamp() AS now,
            ARRAY(SELECT o.method_id FROM intents o WHERE o.tenant_id = i.tenant_id AND o.incident_id = i.incident_id AND o.user_id = i.user_id
                     AND o.run IS NOT DISTINCT FROM i.run AND o.cycle IS NOT DISTINCT FROM i.cycle AND o.step IS NOT DISTINCT FROM i.step
                     AND (i.run IS NOT NULL OR o.incident_ver = i.incident_ver) AND o.method_id IS NOT NULL) AS asked
       FROM intents i JOIN incidents n ON n.tenant_id = i.tenant_id AND n.incident_id = i.incident_id
      WHERE i.tenant_id = $1 AND i.intent_id = $2 AND n.status = 'ongoing' AND (n.acknowledged_at IS NULL OR n.acknowledged_at < $3)
        FOR SHARE OF n`,
    [tenant_id, intent_id, new Date(queued_at).toISOString()]
  )
  return rows[0] ?? null
}

async function nextIntent(tx: Tx, page: Page): Promise<Intent | null> {
  const { tenant_id, delivery_id, user_id, incident_id } = page
  const asked = await readAsked(tx, page)
  if (!asked || user_id === null || incident_id === null) return null
  const person = (await readPeople(tx, tenant_id, [user_id])).get(user_id)
  const next = person?.methods.find((method) => worksNow(method) && !asked.asked.includes(method.method_id))
  if (!next) return null
  const { run, cycle, step, policy_id, policy_version, urgency, why, now } = asked
  return {
    tenant_id,
    intent_id: uuidv5(delivery_id, `instead ${next.method_id}`),
    incident_id,
    incident_ver: page.incident_ver,
    event: page.event,
    escalation: run === null || cycle === null || step === null ? null : { run, cycle, step, policy_id, policy_version },
    target: { user_id },
    method_id: next.method_id,
    method_kind: next.kind,
    urgency,
    why: { ...why, instead_of: delivery_id },
    suppressed_by: null,
    suppressed_cause: null,
    team_id: page.team_id,
    visibility: page.visibility,
    at: now,
    due_at: now,
    expires_at: page.expires_at
  }
}

/**
 * Handles pages that ended without arriving, in the transaction that records it. A caller with
 * pages of several incidents has locked these, in the order of all who do (delivery-pages.ts).
 */
export async function fallBack(tx: Tx, codec: Codec, pages: readonly Page[]): Promise<void> {
  for (const page of pages) {
    const intent = await nextIntent(tx, page)
    if (intent) await saveIntents(tx, [intent], codec)
  }
}

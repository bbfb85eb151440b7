/**
 * Tells dashboards to read a schedule or a policy again, in the transaction that changes it. News
 * about what a team owns goes only to people who see the team.
 * Source: docs/design/api/realtime.md#rm-1.
 */
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Audience } from '../../streams/define.ts'
import { audienceOfTeam, type OnCallChange, type OnCallNews, onCallFrame } from '../../streams/on-call/frame.ts'
import { insertFrames } from './outbox.ts'
import type { Tx } from './pool.ts'

const tell = (tx: Tx, news: OnCallNews, audience: Audience): Promise<void> =>
  insertFrames(tx, [onCallFrame(news, { id: uuidv7(), at: Date.now(), audience })])

export interface OfTeam {
  team_id: string | null
  /**
   * The team before, when another team owns it now. Members of the former team lose it, or must
   * read it again.
   */
  former?: string | null
}

async function tellBoth(tx: Tx, news: OnCallNews, { team_id, former = team_id }: OfTeam): Promise<void> {
  await tell(tx, news, audienceOfTeam(team_id))
  if (former !== team_id) await tell(tx, { ...news, change: 'visibility' }, audienceOfTeam(former))
}

export const tellSchedule = (tx: Tx, tenant_id: string, schedule_id: string, change: OnCallChange, of: OfTeam): Promise<void> =>
  tellBoth(tx, { tenant_id, schedule_id, policy_id: null, change }, of)

export const tellPolicy = (tx: Tx, tenant_id: string, policy_id: string, change: OnCallChange, of: OfTeam): Promise<void> =>
  tellBoth(tx, { tenant_id, schedule_id: null, policy_id, change }, of)

/**
 * People of this audience see other teams than before. Each reads again which schedules they see.
 */
export const tellSightChanged = (tx: Tx, tenant_id: string, audience: Audience): Promise<void> =>
  tell(tx, { tenant_id, schedule_id: null, policy_id: null, change: 'visibility' }, audience)

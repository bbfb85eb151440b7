/**
 * Finds what keeps a schedule from being deleted. Each kind of thing that may name a schedule has a
 * line here. Things that the caller cannot see are counted, but not named.
 */
import { seeingAll, type Tx } from '../../store/pool.ts'
import { schedulesFallingBackTo } from '../../store/schedules.ts'
import { policiesOfSchedule } from '../escalation/leaving.ts'

export interface Use {
  kind: string
  id: string
  name: string
}

type FindUses = (tx: Tx, tenant_id: string, schedule_id: string, at: number) => Promise<Use[]>

const kinds: readonly FindUses[] = [
  async (tx, tenant_id, schedule_id, at) =>
    (await schedulesFallingBackTo(tx, tenant_id, schedule_id, at)).map((one) => ({
      kind: 'schedules',
      id: one.schedule_id,
      name: one.name
    })),
  async (tx, tenant_id, schedule_id) =>
    (await policiesOfSchedule(tx, tenant_id, schedule_id)).map((one) => ({ ...one, kind: 'escalation_policies' }))
]

/** Returns uses at `at` (epoch ms) and later. */
export async function scheduleUses(tx: Tx, tenant_id: string, schedule_id: string, at: number): Promise<Use[]> {
  const uses: Use[] = []
  for (const find of kinds) {
    const seen = new Set((await find(tx, tenant_id, schedule_id, at)).map(({ id }) => id))
    for (const use of await seeingAll(tx, (tx) => find(tx, tenant_id, schedule_id, at)))
      uses.push(seen.has(use.id) ? use : { ...use, id: '', name: 'one that you do not see' })
  }
  return uses
}

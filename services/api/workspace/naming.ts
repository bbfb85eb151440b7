/**
 * Changes that name a team or a policy, and its deletion, take turns by the lock of the workspace.
 * Otherwise a change that is not committed yet would not count as a use.
 * Source: docs/design/api/maintenance.md#windows-decide (order of locks).
 */
import type { Tx } from '../../store/pool.ts'
import { lockWorkspace } from '../../store/tenants.ts'

/** What a body may name. Null names nothing. */
interface Naming {
  team_id?: string | null | undefined
  escalation_policy_id?: string | null | undefined
  depends_on?: readonly string[] | undefined
}

/**
 * Locks the workspace if the body names something. Call it before anything else is locked. Two
 * changes of dependencies take turns, too: they must not form a cycle.
 */
export const beforeNaming = async (tx: Tx, tenant_id: string, { team_id, escalation_policy_id, depends_on }: Naming): Promise<void> => {
  const names = [team_id, escalation_policy_id, depends_on].some((one) => one !== undefined && one !== null)
  if (names) await lockWorkspace(tx, tenant_id)
}

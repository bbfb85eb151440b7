/**
 * Decides into which group a person may put a monitor, by the group's id or name, and creates
 * groups.
 * Source: docs/design/api/monitors.md#mo-14, #mo-15.
 */
import { MAX_GROUPS } from '../../../schemas/http/monitor-groups.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { actorText, difference, insertAudit } from '../../store/audit.ts'
import { insertConfigVersion } from '../../store/config-versions.ts'
import { countGroups, type GroupFields, groupNamed, holdGroup, insertGroup, type StoredGroup } from '../../store/monitor-groups.ts'
import type { Tx } from '../../store/pool.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { taken } from '../http/taken.ts'

/** For `catch` of a write that sets the name of a group. */
export const takenGroupName = taken('monitor_groups_name', 'NAME_TAKEN', 'name', 'group')

/** Returns the id of the group for a monitor; null stays null. Throws VALIDATION_FAILED. */
export async function chosenGroup(
  tx: Tx,
  tenant_id: string,
  before: string | null,
  given: string | null | undefined
): Promise<string | null> {
  const group_id = given?.toLowerCase() ?? given
  if (group_id === undefined || group_id === before) return before
  if (group_id !== null && !(await holdGroup(tx, tenant_id, group_id)))
    throw invalid('group_id', 'unknown_group', 'names no group of this workspace')
  return group_id
}

const audited = ({ name, description, place }: GroupFields) => ({ name, description, order: place })

/** Records who did what to a group, and the group's new version. */
export async function recordGroup(
  tx: Tx,
  { tenant_id, actor }: Caller,
  action: 'created' | 'updated' | 'deleted',
  before: StoredGroup | null,
  after: GroupFields & Pick<StoredGroup, 'group_id' | 'ver'>
): Promise<void> {
  const { group_id: id, ver: version } = after
  const diff = before ? difference(audited(before), audited(after)) : {}
  await insertAudit(tx, tenant_id, actor, { action: `monitor_group.${action}`, object_type: 'monitor_group', object_id: id, diff })
  const body = action === 'deleted' ? { deleted: true } : audited(after)
  await insertConfigVersion(tx, tenant_id, { kind: 'monitor_group', id, version, body, actor: actorText(actor) })
}

/**
 * Creates a group and returns its id. The workspace must be locked. Throws CONFLICT if there are
 * too many; rejects with 23505 of monitor_groups_name if the name is taken.
 */
export async function makeGroup(tx: Tx, caller: Caller, fields: GroupFields): Promise<string> {
  const { tenant_id } = caller
  if ((await countGroups(tx, tenant_id)) >= MAX_GROUPS)
    throw new ApiError('CONFLICT', `A workspace has at most ${MAX_GROUPS} groups of monitors`, {
      details: [{ rule: 'max', limit: MAX_GROUPS, actual: MAX_GROUPS }]
    })
  const id = uuidv7()
  await insertGroup(tx, tenant_id, id, fields)
  await recordGroup(tx, caller, 'created', null, { ...fields, group_id: id, ver: 1 })
  return id
}

/**
 * Returns the id of the group with this name, ignoring case. A missing group is created, and its
 * name is added to `made`. The workspace must be locked. Throws CONFLICT like makeGroup.
 */
export async function groupByName(tx: Tx, caller: Caller, name: string, made: string[]): Promise<string> {
  const known = await groupNamed(tx, caller.tenant_id, name)
  if (known !== null) return known
  const id = await makeGroup(tx, caller, { name, description: '', place: 0 })
  made.push(name)
  return id
}

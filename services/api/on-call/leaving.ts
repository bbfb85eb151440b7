/**
 * Handles people who leave, or may no longer act. The places where they are on call later are
 * reported, or another member takes them in the same transaction. Past shifts stay as they were.
 *
 * Each kind of place has a line in `kinds`.
 * Source: docs/design/api/on-call.md#leaving.
 */
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import type { Definition } from '../../../schemas/http/on-call-words.ts'
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import { isVisible, sightOf } from '../../../schemas/http/visibility.ts'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { actorText, insertAudit } from '../../store/audit.ts'
import { handOver, overridesOf } from '../../store/overrides.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { readPeople } from '../../store/reach.ts'
import { changing, postgresNow } from '../../store/schedule-history.ts'
import { insertVersion, lastVersionNumber, readSchedule, schedulesNaming, updateSchedule, versionsFrom } from '../../store/schedules.ts'
import { withdrawSwapsOf } from '../../store/swaps.ts'
import { policiesOfPerson } from '../escalation/leaving.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError, invalid } from '../http/errors.ts'
import { recordVersion } from './change.ts'

export interface Place {
  kind: string
  id: string
  name: string
  /** The team that owns it. */
  team_id: string | null
}

interface Kind {
  /** Returns where the person is named from an instant on (epoch ms). */
  places(tx: Tx, tenant_id: string, user_id: string, at: number): Promise<Place[]>
  /** Puts another person in those places. */
  replace(tx: Tx, caller: Caller, user_id: string, by: string): Promise<void>
}

/**
 * Returns the definition with one person in place of another. A pair that would hold the same
 * person twice holds them once.
 */
function replacedIn(definition: Definition, user_id: string, by: string): Definition {
  const put = (id: string): string => (id === user_id ? by : id)
  const { fallback, layers } = definition
  return {
    ...definition,
    fallback: fallback.kind === 'user' && fallback.id === user_id ? { ...fallback, id: by } : fallback,
    layers: layers.map((layer) => ({
      ...layer,
      participants: layer.participants.map((one) => (one === null ? null : typeof one === 'string' ? put(one) : [...new Set(one.map(put))]))
    }))
  }
}

const schedules: Kind = {
  places: async (tx, tenant_id, user_id, at) =>
    (await schedulesNaming(tx, tenant_id, user_id, at)).map(({ schedule_id, name, team_id }) => ({
      kind: 'schedule',
      id: schedule_id,
      name,
      team_id
    })),
  async replace(tx, { tenant_id, actor }, user_id, by) {
    for (const schedule of await schedulesNaming(tx, tenant_id, user_id, await postgresNow(tx))) {
      const { schedule_id } = schedule
      await changing(tx, tenant_id, schedule_id, 'updated', async (at) => {
        await updateSchedule(tx, tenant_id, schedule_id, schedule)
        let version = await lastVersionNumber(tx, tenant_id, schedule_id)
        // A version that was saved for later keeps its time.
        for (const { effective_at, definition } of await versionsFrom(tx, tenant_id, schedule_id, at)) {
          version += 1
          const entry = { version, effective_at: Math.max(effective_at, at), definition: replacedIn(definition, user_id, by) }
          await insertVersion(tx, tenant_id, schedule_id, { ...entry, created_by: actorText(actor) })
        }
      })
      await recordVersion(tx, { tenant_id, actor }, { ...schedule, ver: schedule.ver + 1 })
      const diff: Record<string, [unknown, unknown]> = { user_id: [user_id, by] }
      await insertAudit(tx, tenant_id, actor, { action: 'schedule.updated', object_type: 'schedule', object_id: schedule_id, diff })
    }
  }
}

const overrides: Kind = {
  async places(tx, tenant_id, user_id, at) {
    const found = await overridesOf(tx, tenant_id, user_id, at)
    const places: Place[] = []
    for (const { override_id, schedule_id } of found) {
      const schedule = await readSchedule(tx, tenant_id, schedule_id)
      places.push({ kind: 'override', id: override_id, name: schedule?.name ?? '', team_id: schedule?.team_id ?? null })
    }
    return places
  },
  async replace(tx, { tenant_id, actor }, user_id, by) {
    for (const override of await overridesOf(tx, tenant_id, user_id, await postgresNow(tx)))
      await changing(tx, tenant_id, override.schedule_id, 'override', async (at) => {
        const put = (id: string | null): string | null => (id === user_id ? by : id)
        const people = { user_id: put(override.user_id), replaces_user_id: put(override.replaces_user_id) }
        const to = { ...people, override_id: uuidv7(), created_by: actorText(actor), at }
        await handOver(tx, tenant_id, override.override_id, to)
      })
    await withdrawSwapsOf(tx, tenant_id, user_id)
  }
}

const kinds: readonly Kind[] = [schedules, overrides, policiesOfPerson]

const MAX_TOLD = 50

const acts = (role: MemberRole | null): boolean => role !== null && scopesOfRole[role].includes('incidents:act')

async function placesIn(tx: Tx, tenant_id: string, user_id: string): Promise<Place[]> {
  const now = await postgresNow(tx)
  const places: Place[] = []
  for (const kind of kinds) places.push(...(await seeingAll(tx, (tx) => kind.places(tx, tenant_id, user_id, now))))
  return places
}

/**
 * Throws VALIDATION_FAILED if the person is no member, or would be in the places in name only: the
 * notifier passes over people whose account is disabled, or who do not see the incident.
 */
async function checkTakes(tx: Tx, tenant_id: string, user_id: string, places: readonly Place[]): Promise<void> {
  const person = (await seeingAll(tx, (tx) => readPeople(tx, tenant_id, [user_id]))).get(user_id)
  if (!person) throw invalid('replace_with', 'not_a_member', 'is not a member of this workspace')
  if (!person.enabled) throw invalid('replace_with', 'disabled', 'is the person of a disabled account')
  const sight = sightOf(person.role, person)
  const hidden = places.find(({ team_id }) => !isVisible(sight, { team_id, visibility: 'org' }))
  if (hidden) throw invalid('replace_with', 'not_visible', `does not see the private team that owns "${hidden.name}"`)
}

/**
 * Called when a member is to get another role (null: none). The workspace is locked. Throws IN_USE
 * with the places where they are on call later, unless `replace_with` names a member who takes
 * them.
 */
export async function checkLeaving(
  tx: Tx,
  caller: Caller,
  member: { user_id: string; role: MemberRole },
  role: MemberRole | null,
  replace_with: string | null
): Promise<void> {
  const { tenant_id } = caller
  if (role !== null && (acts(role) || !acts(member.role))) return
  if (replace_with !== null) {
    if (replace_with === member.user_id) throw invalid('replace_with', 'same', 'must be somebody else')
    await checkTakes(tx, tenant_id, replace_with, await placesIn(tx, tenant_id, member.user_id))
    for (const kind of kinds) await seeingAll(tx, (tx) => kind.replace(tx, caller, member.user_id, replace_with))
  }
  const places = await placesIn(tx, tenant_id, member.user_id)
  if (places.length > 0)
    throw new ApiError(
      'IN_USE',
      `The person is on call later or named by a policy, in ${places.length} places: name who takes them in replace_with`,
      {
        details: places.slice(0, MAX_TOLD).map(({ kind, id, name }) => ({ path: kind, rule: 'in_use', message: name, id }))
      }
    )
  if (role === null) await withdrawSwapsOf(tx, tenant_id, member.user_id)
}

/**
 * Says whether people on call can be reached now, and how: by the rules of their urgency, for what
 * the schedule's team owns.
 * Source: docs/design/api/on-call.md#oc-10 and #oc-17.
 */
import type { unreachableReasons } from '../../../schemas/http/on-call-words.ts'
import { seeingAll, type Tx } from '../../store/pool.ts'
import { canBeUsed, type Person, readPeople, type Way, waysTo } from '../../store/reach.ts'

export type UnreachableReason = (typeof unreachableReasons)[number]

export interface Reach {
  /** Kinds of the methods by which the person can be reached; none: they cannot be reached. */
  methods: string[]
  reason: UnreachableReason | null
}

/** Pure. `ways` is not empty. */
export function reachBy(ways: readonly Way[]): Reach {
  const methods = [...new Set(ways.filter(canBeUsed).flatMap(({ kind }) => kind ?? []))]
  if (methods.length > 0) return { methods, reason: null }
  const [first] = ways
  switch (first?.suppressed_by) {
    case 'not_visible':
    case 'no_method':
    case 'unverified':
      return { methods, reason: first.suppressed_by }
    default:
      return { methods, reason: 'disabled' }
  }
}

/** Returns how people are reached about what a team (null: the whole workspace) owns. */
export async function reachOf(
  tx: Tx,
  tenant_id: string,
  user_ids: readonly string[]
): Promise<(user_id: string, team_id: string | null) => Reach> {
  const people: ReadonlyMap<string, Person> = await seeingAll(tx, (tx) => readPeople(tx, tenant_id, [...new Set(user_ids)]))
  return (user_id, team_id) => reachBy(waysTo(people.get(user_id), 'high', { team_id, visibility: 'org' }))
}

/**
 * Converts the body of a route into a command of the incident processor, for what people and tools
 * do to one incident or to many.
 * Source: docs/design/api/incidents.md#in-3 to #in-11, #in-19.
 */
import type { Static } from 'typebox'
import type {
  AcknowledgeBody,
  AssignBody,
  bulkActions,
  CloseBody,
  ResolveBody,
  SilenceBody,
  UnacknowledgeBody
} from '../../../schemas/http/incidents.ts'
import { actorText } from '../../store/audit.ts'
import type { Locks } from '../../store/incident-commands.ts'
import { onCallAt } from '../../store/on-call.ts'
import type { Tx } from '../../store/pool.ts'
import { readMember } from '../../store/users.ts'
import type { Caller } from '../http/caller.ts'
import { invalid } from '../http/errors.ts'
import type { MakeAction } from './commands.ts'

/** Body of each action. */
interface Bodies {
  acknowledge: Static<typeof AcknowledgeBody>
  unacknowledge: Static<typeof UnacknowledgeBody>
  resolve: Static<typeof ResolveBody>
  close: Static<typeof CloseBody>
  silence: Static<typeof SilenceBody>
  unsilence: object
  assign: Static<typeof AssignBody>
}
export type BulkAction = (typeof bulkActions)[number]

/** Returns the one duration on which all given fields agree. */
function minutesOf({ duration_minutes, minutes, duration }: Bodies['silence']): number {
  const given = [duration_minutes, minutes, duration].filter((value) => value !== undefined)
  const [first, ...others] = given
  if (first === undefined) throw invalid('duration_minutes', 'required', 'is required')
  if (others.some((value) => value !== first))
    throw invalid('duration_minutes', 'mutually_exclusive', 'minutes and duration say something else')
  return first
}

/** Throws VALIDATION_FAILED, naming `path`, if there is no such member. */
export async function checkMember(tx: Tx, tenant_id: string, path: string, user_id: string): Promise<void> {
  if (!(await readMember(tx, tenant_id, user_id))) throw invalid(path, 'not_a_member', 'is not a member of this workspace')
}

/**
 * Returns who is on call now. Throws VALIDATION_FAILED if there is no such schedule, or nobody is
 * on call.
 */
async function onCallNow(tx: Tx, tenant_id: string, schedule_id: string, now: number): Promise<string> {
  const shift = (await onCallAt(tx, tenant_id, [schedule_id], now)).get(schedule_id)
  if (!shift) throw invalid('schedule_id', 'unknown_schedule', 'is not a schedule of this workspace')
  const [first] = shift.user_ids
  if (first === undefined) throw invalid('schedule_id', 'nobody_on_call', 'nobody is on call there now')
  return first
}

/** Returns what an action locks: only the end of an incident is that of its alerts. */
export const locksOf = (action: BulkAction): Locks => ({ alerts: action === 'resolve' || action === 'close' })

/** Throws VALIDATION_FAILED for a body whose meaning is not clear, before any incident is read. */
type Maker<Body> = (caller: Caller, body: Body) => MakeAction

export const actions: { [A in BulkAction]: Maker<Bodies[A]> } = {
  acknowledge: ({ actor }, { comment }) => {
    const by = actorText(actor)
    return () => ({ command: 'acknowledge', by, comment: comment || null })
  },
  unacknowledge: ({ actor }, { reason }) => {
    const by = actorText(actor)
    return () => ({ command: 'unacknowledge', by, reason: reason || null })
  },
  resolve: ({ actor }, { note, until_recovered = true }) => {
    const by = actorText(actor)
    return () => ({ command: 'resolve', by, note: note || null, until_recovered })
  },
  close: (caller, { note, on_behalf_of }) => {
    const by = actorText(caller.actor)
    const user_id = caller.kind === 'session' ? caller.user_id : on_behalf_of?.toLowerCase()
    if (user_id === undefined) throw invalid('on_behalf_of', 'person_required', 'with a token, name the person who closes it')
    return async (tx) => {
      await checkMember(tx, caller.tenant_id, 'on_behalf_of', user_id)
      return { command: 'close', by, note: note || null, user_id }
    }
  },
  silence: ({ actor }, body) => {
    const by = actorText(actor)
    const minutes = minutesOf(body)
    return (_tx, { now }) => ({ command: 'silence', by, until: now + minutes * 60_000, reason: body.reason || null })
  },
  unsilence: ({ actor }) => {
    const by = actorText(actor)
    return () => ({ command: 'unsilence', by })
  },
  assign: ({ tenant_id, actor }, body) => {
    const by = actorText(actor)
    const user_id = body.user_id?.toLowerCase() ?? null
    const { schedule_id } = body
    if (schedule_id && user_id !== null) throw invalid('schedule_id', 'mutually_exclusive', 'a member or a schedule, not both')
    if (!schedule_id && body.user_id === undefined) throw invalid('user_id', 'required', 'is required')
    return async (tx, { now }) => {
      if (schedule_id) return { command: 'assign', by, user_id: await onCallNow(tx, tenant_id, schedule_id.toLowerCase(), now) }
      if (user_id !== null) await checkMember(tx, tenant_id, 'user_id', user_id)
      return { command: 'assign', by, user_id }
    }
  }
}

/**
 * Runs what people and tools ask of an incident: the incident processor's own rules, in one
 * transaction with the audit row, the outbox rows and the timers.
 * Source: docs/design/specification.md#s3-1, docs/design/api/incidents.md#s5-3.
 */
import type { FastifyRequest } from 'fastify'
import type { Codec } from '../../../schemas/codec.ts'
import type { Incident } from '../../../schemas/generated/events.ts'
import { type Command, type Event, type Refusal, reduceIncident } from '../../../streams/incident/rules.ts'
import { type Actor, actorText, insertAudit } from '../../store/audit.ts'
import { commandContext, type LockedIncident, type Locks, lockIncident, saveStep } from '../../store/incident-commands.ts'
import type { Tx } from '../../store/pool.ts'
import { callerOf } from '../http/caller.ts'
import { ApiError, invalid, notFound } from '../http/errors.ts'

/** On whose behalf the command runs, and for which request. */
export interface Doer {
  tenant_id: string
  actor: Actor
  request_id: string
  /** The sender at a vendor, if the member acts from there: for the audit log. */
  sender?: string
}

const doerOf = (request: FastifyRequest): Doer => ({ ...callerOf(request), request_id: request.id })

/**
 * Makes a command under the lock of the incident. `now` of the lock is the time that the rules will
 * see.
 */
export type MakeCommand = (tx: Tx, locked: LockedIncident) => Promise<Command> | Command

/** Makes a command from the time alone, so it works for alerts, too. */
export type MakeAction = (tx: Tx, locked: Pick<LockedIncident, 'now'>) => Promise<Command> | Command

/**
 * Runs a command. Returns the incident after it, and the time of the command in epoch ms. Throws
 * ApiError if there is no such incident or the rules refuse.
 */
export const command = (
  tx: Tx,
  codec: Codec,
  request: FastifyRequest,
  reference: string,
  make: MakeCommand,
  locks?: Locks
): Promise<{ incident: Incident; now: number }> => commandBy(tx, codec, doerOf(request), reference, make, locks)

/** Like `command`, for callers that do not come through REST. */
export async function commandBy(
  tx: Tx,
  codec: Codec,
  doer: Doer,
  reference: string,
  make: MakeCommand,
  locks?: Locks
): Promise<{ incident: Incident; now: number }> {
  const { tenant_id, actor, request_id } = doer
  const locked = await lockIncident(tx, tenant_id, reference, locks)
  if (!locked) throw notFound()
  const asked = await make(tx, locked)
  const context = commandContext(locked, { kind: 'command', src: actorText(actor), request_id })
  const step = reduceIncident(locked.incident, asked, context)
  if (step.refused) throw refusalOf(step.refused)
  const incident = await saveStep(tx, codec, locked, asked, step, context)
  await auditBy(tx, doer, step.events)
  return { incident, now: locked.now }
}

/** Writes one audit entry for each event. */
export const auditEvents = (tx: Tx, request: FastifyRequest, events: readonly Event[]): Promise<void> =>
  auditBy(tx, doerOf(request), events)

async function auditBy(tx: Tx, { tenant_id, actor, sender }: Doer, events: readonly Event[]): Promise<void> {
  for (const { change, ver, incident_id } of events) {
    await insertAudit(tx, tenant_id, actor, {
      action: `incident.${change}`,
      object_type: 'incident',
      object_id: incident_id,
      diff: { ver: [ver - 1, ver], ...(sender !== undefined && { sender: [null, sender] as [unknown, unknown] }) }
    })
  }
}

export function refusalOf(refused: Refusal): ApiError {
  if (refused.code === 'VALIDATION_FAILED') return invalid(refused.path, 'length', refused.message)
  return refused.code === 'NOT_FOUND' ? notFound() : new ApiError(refused.code, refused.message)
}

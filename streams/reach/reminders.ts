/**
 * Decides whether a reminder of an incident is sent now, and when to look again. Pure.
 *
 *   the incident                     now       again
 *   is over                          nothing   never
 *   is acknowledged                  nothing   after `every`
 *   is held, and not by flapping     nothing   after `every`
 *   is held by flapping alone        sent      after `every`, at most once an hour
 *   anything else                    sent      after `every`
 * Source: docs/design/api/monitors.md#reminders, docs/design/api/decision-rules.md#s23-9.
 */
import type { Incident } from '../../schemas/generated/events.ts'
import type { HoldKind } from '../../schemas/http/incidents.ts'
import type { Said } from './digest.ts'

const HOUR_MS = 3_600_000

export interface Reminding {
  incident: Pick<Incident, 'status' | 'acknowledged_at'>
  holds: readonly { kind: HoldKind }[]
  every_ms: number
  /** Epoch ms. */
  now: number
}

/** `again`: epoch ms; null when the incident is over. */
export function reminding({ incident, holds, every_ms, now }: Reminding): { told: boolean; again: number | null } {
  if (incident.status !== 'ongoing') return { told: false, again: null }
  const flaps = holds.length > 0 && holds.every(({ kind }) => kind === 'flap')
  const told = incident.acknowledged_at === null && (holds.length === 0 || flaps)
  return { told, again: now + (told && flaps ? Math.max(every_ms, HOUR_MS) : every_ms) }
}

function lengthOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  return `${Math.round(minutes / 60)} hours`
}

/** The text of a reminder. `title` is for example `Shop is down`, since `started_at`. */
export const reminderSaid = (
  { title, started_at }: Pick<Incident, 'title' | 'started_at'>,
  { now, again }: { now: number; again: number }
): Said => ({
  title: `Still so: ${title}`,
  body: `It has lasted for ${lengthOf(now - started_at)}, and nobody has acknowledged it. The next reminder comes in ${lengthOf(again - now)}.`
})

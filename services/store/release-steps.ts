/**
 * Applies commands to many locked incidents when the thing that held them together ends.
 * Source: docs/design/api/decision-rules.md#s23-8.
 */
import type { Codec } from '../../schemas/codec.ts'
import type { Incident } from '../../schemas/generated/events.ts'
import { type Command, type Event, reduceIncident } from '../../streams/incident/rules.ts'
import { commandContext, saveWith } from './incident-commands.ts'
import type { Tx } from './pool.ts'
import type { HoldEnd } from './releases.ts'

export interface Commanded {
  incident: Incident
  command: Command
}

/** Returns the ids of the incidents that it changed. Throws RowMoved as `save` does. */
export async function stepAll(tx: Tx, codec: Codec, commanded: readonly Commanded[], cause: HoldEnd): Promise<string[]> {
  const events: Event[] = []
  const changed: { incident: Incident; seen: number }[] = []
  for (const { incident: before, command } of commanded) {
    const step = reduceIncident(before, command, commandContext({ now: cause.at }, cause))
    if (!step.incident || step.events.length === 0) continue
    events.push(...step.events)
    changed.push({ incident: step.incident, seen: before.ver })
  }
  await saveWith(tx, codec, { incident: null, events, jobs: [] }, { signals: [], incidents: changed, counters: [] })
  return changed.map(({ incident }) => incident.incident_id)
}

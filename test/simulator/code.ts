/**
 * Loads the code that is simulated: the real rules and folds, and the real rule for what a
 * processor stores. It comes from this checkout, or from a copy of it with a bug planted
 * (planted.ts).
 */
import { pathToFileURL } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import * as heartbeat from '../../streams/heartbeat/fold.ts'
import * as alerts from '../../streams/incident/alerts.ts'
import * as dependencies from '../../streams/incident/dependencies.ts'
import * as incident from '../../streams/incident/fold.ts'
import * as grouping from '../../streams/incident/grouping.ts'
import * as holds from '../../streams/incident/holds.ts'
import * as members from '../../streams/incident/members.ts'
import * as outages from '../../streams/incident/outages.ts'
import * as outgoing from '../../streams/incident/outgoing.ts'
import * as reopening from '../../streams/incident/reopening.ts'
import * as replay from '../../streams/incident/replay.ts'
import * as rules from '../../streams/incident/rules.ts'
import * as signals from '../../streams/incident/signals.ts'
import * as storms from '../../streams/incident/storms.ts'
import * as spans from '../../streams/maintenance/spans.ts'
import * as windows from '../../streams/maintenance/windows.ts'
import * as routing from '../../streams/routing/rules.ts'
import * as silences from '../../streams/routing/silences.ts'
import * as task from '../../streams/runtime/partition-task.ts'
import * as status from '../../streams/status/fold.ts'

export interface Code {
  task: Pick<typeof task, 'mustBeStored' | 'statesOf' | 'takeOver'>
  status: Pick<typeof status, 'statusFold'>
  heartbeat: Pick<typeof heartbeat, 'heartbeatFold'>
  incident: Pick<typeof incident, 'groupsOf' | 'incidentFold' | 'nameOf' | 'promotionOf'>
  alerts: Pick<typeof alerts, 'reduceAlert' | 'reopenAlert'>
  dependencies: Pick<typeof dependencies, 'heldAt' | 'lookAgainAt' | 'waitOf'>
  grouping: Pick<typeof grouping, 'lockKeyOf'>
  holds: Pick<typeof holds, 'holdsOf' | 'holdsOfAlert' | 'isMutedGroup' | 'isUnmuted'>
  members: Pick<typeof members, 'noChange'>
  outages: Pick<typeof outages, 'noOutage' | 'outageOf'>
  outgoing: Pick<typeof outgoing, 'alertOutgoingOf' | 'outgoingOf'>
  reopening: Pick<
    typeof reopening,
    'aftermath' | 'aftermathOf' | 'cancelReopening' | 'isKept' | 'keptBy' | 'keptByWindow' | 'keptRow' | 'reopenedRow' | 'reopens'
  >
  replay: Pick<typeof replay, 'replayAlert' | 'replayIncident'>
  rules: Pick<typeof rules, 'endsIncident' | 'reduceIncident'>
  routing: Pick<typeof routing, 'compile'>
  silences: Pick<typeof silences, 'compileSilences'>
  signals: Pick<typeof signals, 'fromAlertRow' | 'keyOf' | 'rowAfter' | 'stillFiring'>
  spans: Pick<typeof spans, 'nextTurn' | 'spansNow' | 'turnsBetween'>
  storms: Pick<typeof storms, 'opening'>
  windows: Pick<typeof windows, 'compileWindows' | 'coveringWindows' | 'isCovered' | 'keepingWindow' | 'noWindows' | 'settledAt'>
}

export const realCode: Code = {
  task,
  status,
  heartbeat,
  incident,
  alerts,
  dependencies,
  grouping,
  holds,
  members,
  outages,
  outgoing,
  reopening,
  replay,
  rules,
  routing,
  silences,
  signals,
  spans,
  storms,
  windows
}

/**
 * A module that exports all of this code. It is put at the root of a copy of streams/ and schemas/.
 */
export const ENTRY = `
export * as task from './streams/runtime/partition-task.ts'
export * as status from './streams/status/fold.ts'
export * as heartbeat from './streams/heartbeat/fold.ts'
export * as incident from './streams/incident/fold.ts'
export * as alerts from './streams/incident/alerts.ts'
export * as dependencies from './streams/incident/dependencies.ts'
export * as grouping from './streams/incident/grouping.ts'
export * as holds from './streams/incident/holds.ts'
export * as members from './streams/incident/members.ts'
export * as outages from './streams/incident/outages.ts'
export * as outgoing from './streams/incident/outgoing.ts'
export * as reopening from './streams/incident/reopening.ts'
export * as replay from './streams/incident/replay.ts'
export * as rules from './streams/incident/rules.ts'
export * as routing from './streams/routing/rules.ts'
export * as silences from './streams/routing/silences.ts'
export * as signals from './streams/incident/signals.ts'
export * as spans from './streams/maintenance/spans.ts'
export * as storms from './streams/incident/storms.ts'
export * as windows from './streams/maintenance/windows.ts'
`

/** Loads the code of a copy, by the path of its entry. */
export const codeOf = async (entry: string): Promise<Code> =>
  (await tsImport(pathToFileURL(entry).href, { parentURL: import.meta.url, tsconfig: false })) as Code

/**
 * The code that is simulated: the real rules and folds, and the real rule of what a processor
 * stores. They are loaded from this checkout, or from a copy of it with a bug planted (planted.ts).
 */
import { pathToFileURL } from 'node:url'
import { tsImport } from 'tsx/esm/api'
import * as heartbeat from '../../streams/heartbeat/fold.ts'
import * as incident from '../../streams/incident/fold.ts'
import * as outgoing from '../../streams/incident/outgoing.ts'
import * as reopening from '../../streams/incident/reopening.ts'
import * as rules from '../../streams/incident/rules.ts'
import * as signals from '../../streams/incident/signals.ts'
import * as storms from '../../streams/incident/storms.ts'
import * as task from '../../streams/runtime/partition-task.ts'
import * as status from '../../streams/status/fold.ts'

export interface Code {
  task: Pick<typeof task, 'mustBeStored' | 'statesOf' | 'takeOver'>
  status: Pick<typeof status, 'statusFold'>
  heartbeat: Pick<typeof heartbeat, 'heartbeatFold'>
  incident: Pick<typeof incident, 'incidentFold' | 'nameOf'>
  outgoing: Pick<typeof outgoing, 'outgoingOf'>
  reopening: Pick<typeof reopening, 'aftermathOf' | 'cancelReopening' | 'reopenedRow' | 'reopens'>
  rules: Pick<typeof rules, 'reduceIncident'>
  signals: Pick<typeof signals, 'keyOf' | 'rowAfter' | 'stillFiring'>
  storms: Pick<typeof storms, 'opening'>
}

export const realCode: Code = { task, status, heartbeat, incident, outgoing, reopening, rules, signals, storms }

/** What loads all of it; put at the root of a copy of streams/ and schemas/. */
export const ENTRY = `
export * as task from './streams/runtime/partition-task.ts'
export * as status from './streams/status/fold.ts'
export * as heartbeat from './streams/heartbeat/fold.ts'
export * as incident from './streams/incident/fold.ts'
export * as outgoing from './streams/incident/outgoing.ts'
export * as reopening from './streams/incident/reopening.ts'
export * as rules from './streams/incident/rules.ts'
export * as signals from './streams/incident/signals.ts'
export * as storms from './streams/incident/storms.ts'
`

/** The code of a copy, by the path of its entry. */
export const codeOf = async (entry: string): Promise<Code> =>
  (await tsImport(pathToFileURL(entry).href, { parentURL: import.meta.url, tsconfig: false })) as Code

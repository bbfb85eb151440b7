/**
 * The operator's command that rebuilds incidents and alerts from their stored causes, with the
 * rules of this version, and reports for each whether the result has the same bytes: `npm run
 * replay -- --all [--workspace …]`, or `--incident <id or INC-number>`, or `--alert <id>`.
 *
 * It writes nothing and notifies nobody. It reads no rule set and no log, because a cause contains
 * everything that its decision read. It exits with 1 when something differs. It needs only Postgres
 * (SERVICE_POSTGRES_SYSTEM_URL), and the service may run meanwhile.
 * Source: docs/design/architecture.md#s6.
 */
import { parseArgs } from 'node:util'
import type { Alert, AlertEvent, Incident, IncidentEvent } from '../../schemas/generated/events.ts'
import { sortedByKey } from '../../schemas/text-order.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import { type Replayed, replayAlert, replayIncident, wasBefore } from '../../streams/incident/replay.ts'
import { localEnvironment, readConfig } from '../process/config.ts'
import { createPool, type Pool } from '../store/pool.ts'
import {
  type ChangeRow,
  findIncidentId,
  type Kept,
  type Meant,
  type Position,
  readAlertCauses,
  readIncidentCauses
} from '../store/stored-causes.ts'
import { findWorkspace } from '../store/tenants.ts'
import { runTool, UsageError } from './tool.ts'

const USAGE = `usage: npm run replay -- --all [--workspace <slug or id>]              every incident and alert
       npm run replay -- --incident <id> [--workspace <slug or id>]    one, with its alerts
       npm run replay -- --incident INC-12 --workspace <slug or id>
       npm run replay -- --alert <id>                                  one that has a life of its own`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_LISTED = 100

export interface ReplayWords {
  workspace: string | null
  /** An id, or an incident number of the workspace. */
  incident: string | number | null
  alert: string | null
}

/** Parses the arguments. Throws UsageError. */
export function wantedOf(words: readonly string[]): ReplayWords {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { all: flag, incident: text, alert: text, workspace: text, help: flag } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`)
  }
  const { all = false, incident, alert, workspace = null } = values
  if (values.help || [all, incident !== undefined, alert !== undefined].filter(Boolean).length !== 1) throw new UsageError(USAGE)
  if (alert !== undefined && !UUID.test(alert)) throw new UsageError(`--alert: expected an id, got "${alert.slice(0, 100)}"`)
  const number = /^INC-([1-9][0-9]{0,14})$/i.exec(incident ?? '')?.[1]
  if (incident !== undefined && number === undefined && !UUID.test(incident))
    throw new UsageError(`--incident: expected an id, or a number such as INC-12; got "${incident.slice(0, 100)}"`)
  if (number !== undefined && workspace === null) throw new UsageError('--workspace: expected the workspace of the number')
  return {
    workspace,
    incident: number === undefined ? (incident?.toLowerCase() ?? null) : Number(number),
    alert: alert?.toLowerCase() ?? null
  }
}

/** Writes JSON with the keys of every object sorted, because jsonb does not keep their order. */
const bytesOf = (value: unknown): string =>
  JSON.stringify(value, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) ? sortedByKey(one as Record<string, unknown>) : one
  )

/** The fields of an event that a row of changes stores. */
function rowOf(event: IncidentEvent | AlertEvent, { alert_id }: ChangeRow): ChangeRow {
  const { ver, event_id, change, at, cause, comment, config_versions } = event
  const row = { ver, event_id, change, at, cause, comment, config_versions }
  return alert_id === undefined ? row : { ...row, alert_id: event.alert_id }
}

/** Returns how the rebuilt result differs from the stored one. Null: every byte is the same. */
function differenceOf<Event extends IncidentEvent | AlertEvent>(
  { row, changes }: Kept<object>,
  { events, fault }: Replayed<Event>,
  after: (event: Event) => object
): string | null {
  for (const [index, change] of changes.entries()) {
    const event = events[index]
    if (!event) return fault ?? `version ${change.ver} is missing`
    const again = rowOf(event, change)
    const names = (Object.keys(change) as (keyof ChangeRow)[]).filter((name) => bytesOf(change[name]) !== bytesOf(again[name]))
    if (names.length > 0) return `version ${change.ver} differs in ${names.join(', ')}`
  }
  const last = events.at(-1)
  if (!last) return 'it has no stored change'
  const again = after(last) as Record<string, unknown>
  const names = Object.entries(row).filter(([name, value]) => bytesOf(value) !== bytesOf(again[name]))
  return names.length === 0 ? null : `as it stands it differs in ${names.map(([name]) => name).join(', ')}`
}

/** Returns the incident that an alert was by itself before a merge. Null: it was none. */
async function incidentBefore(pool: Pool, { row, changes: [first] }: Kept<Alert>): Promise<Incident | null> {
  const { tenant_id, alert_id } = row
  if (!first || first.ver === 1) return null
  const [kept] = await readIncidentCauses(pool, { tenant_id, incident_id: alert_id, alert_id: null }, null)
  return kept ? wasBefore(replayIncident(kept.changes, kept.row.number, uuidv5).events, first) : null
}

export interface Count {
  incidents: number
  alerts: number
  changes: number
  differ: number
}

/** `tell` receives a line for each one that differs, and for each one that was named. */
export async function replay(pool: Pool, { workspace, incident, alert }: ReplayWords, tell: (line: string) => void): Promise<Count> {
  const found = workspace === null ? null : await findWorkspace(pool, workspace)
  if (workspace !== null && !found) throw new UsageError(`there is no workspace ${workspace}`)
  const tenant_id = found?.tenant_id ?? null
  const incident_id = typeof incident === 'number' ? await findIncidentId(pool, tenant_id ?? '', incident) : incident
  if (typeof incident === 'number' && incident_id === null) throw new UsageError(`there is no incident INC-${incident} in ${workspace}`)
  const meant: Meant = { tenant_id, incident_id, alert_id: alert }
  const isNamed = incident !== null || alert !== null
  const count: Count = { incidents: 0, alerts: 0, changes: 0, differ: 0 }
  let listed = 0
  const judge = (name: string, { changes }: Kept<object>, difference: string | null): void => {
    count.changes += changes.length
    if (difference !== null) count.differ += 1
    if ((difference === null && !isNamed) || ++listed > MAX_LISTED) return
    tell(difference === null ? `${name}: ${changes.length} versions, the same bytes` : `${name}: ${difference}`)
  }
  for (let after: Position | null = null; alert === null; ) {
    const page: Awaited<ReturnType<typeof readIncidentCauses>> = await readIncidentCauses(pool, meant, after)
    for (const kept of page) {
      count.incidents += 1
      const again = replayIncident(kept.changes, kept.row.number, uuidv5)
      judge(
        `incident INC-${kept.row.number} (${kept.row.incident_id})`,
        kept,
        differenceOf(kept, again, ({ incident }) => incident)
      )
    }
    const last = page.at(-1)?.row
    if (!last || incident_id !== null) break
    after = { tenant_id: last.tenant_id, id: last.incident_id }
  }
  for (let after: Position | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readAlertCauses>> = await readAlertCauses(pool, meant, after)
    for (const kept of page) {
      count.alerts += 1
      const { alert_id, incident_id, promoted_at, opened_at } = kept.row
      const opened_in = promoted_at === opened_at ? incident_id : null
      const again = replayAlert(kept.changes, { opened_in, was: await incidentBefore(pool, kept) }, uuidv5)
      judge(
        `alert ${alert_id}`,
        kept,
        differenceOf(kept, again, ({ alert }) => alert)
      )
    }
    const last = page.at(-1)?.row
    if (!last || alert !== null) break
    after = { tenant_id: last.tenant_id, id: last.alert_id }
  }
  if (isNamed && count.incidents + count.alerts === 0)
    throw new UsageError(`there is no ${alert === null ? 'incident' : 'alert'} of this id`)
  if (listed > MAX_LISTED) tell(`… and ${listed - MAX_LISTED} more`)
  return count
}

export const verdictOf = ({ incidents, alerts, changes, differ }: Count): string =>
  `${incidents} incident(s) and ${alerts} alert(s) with ${changes} versions replayed from their causes: ${differ === 0 ? 'the same bytes' : `${differ} differ`}`

async function main(): Promise<void> {
  const wanted = wantedOf(process.argv.slice(2))
  const config = readConfig(localEnvironment(), ['system'])
  const pool = createPool(config.postgresSystemUrl, { application_name: 'replay', max: 1 })
  const tell = (line: string): void => void process.stdout.write(`${line}\n`)
  try {
    const count = await replay(pool, wanted, tell)
    tell(verdictOf(count))
    if (count.differ > 0) process.exitCode = 1
  } finally {
    await pool.end()
  }
}

runTool(import.meta.url, main)

/**
 * Reads incidents and alerts with every stored change, to replay them. They are read in pages by
 * (tenant_id, id). Each page is read in one snapshot, so that rows and changes belong together.
 */
import type { Alert, Incident } from '../../schemas/generated/events.ts'
import type { StoredChange } from '../../streams/incident/replay.ts'
import { alertColumnsOf, columnsOf, toAlert, toIncident } from './incident-rows.ts'
import { type Pool, snapshot, type Tx } from './pool.ts'

/** A change as it is stored in its row. */
export interface ChangeRow extends StoredChange {
  event_id: string
  change: string
  comment: string | null
  /** Only of incidents: the alert that alone made the change. */
  alert_id?: string | null
}

export interface Kept<Row> {
  row: Row
  /** The changes in the order of `ver`. */
  changes: ChangeRow[]
}

/** Which incidents or alerts are read; null: all. */
export interface Meant {
  tenant_id: string | null
  incident_id: string | null
  alert_id: string | null
}

export interface Position {
  tenant_id: string
  id: string
}

const PAGE = 100

const CHANGE = 'e.ver, e.event_id, e.change, e.at, e.cause, e.comment, e.config_versions'

async function pageOf<Row extends { tenant_id: string }>(
  tx: Tx,
  of: { table: 'incident' | 'alert'; columns: string; change: string; only: string; values: (string | null)[] },
  idOf: (row: Row) => string
): Promise<Kept<Row>[]> {
  const { table, columns, change, only, values } = of
  const { rows } = await tx.query<Row>(
    `SELECT ${columns} FROM ${table}s i
      WHERE ($1::uuid IS NULL OR i.tenant_id = $1) AND ($2::uuid IS NULL OR (i.tenant_id, i.${table}_id) > ($2, $3)) AND ${only}
      ORDER BY i.tenant_id, i.${table}_id LIMIT ${PAGE}`,
    values
  )
  const { rows: changes } = await tx.query<ChangeRow & { id: string }>(
    `SELECT e.${table}_id AS id, ${change}
       FROM unnest($1::uuid[], $2::uuid[]) AS k (tenant_id, id)
       JOIN ${table}_events e ON e.tenant_id = k.tenant_id AND e.${table}_id = k.id ORDER BY e.${table}_id, e.ver`,
    [rows.map(({ tenant_id }) => tenant_id), rows.map(idOf)]
  )
  const byId = new Map<string, ChangeRow[]>()
  for (const { id, ...one } of changes) {
    const list = byId.get(id)
    if (list) list.push(one)
    else byId.set(id, [one])
  }
  return rows.map((row) => ({ row, changes: byId.get(idOf(row)) ?? [] }))
}

/** Returns at most 100 incidents after `after`. */
export const readIncidentCauses = (pool: Pool, { tenant_id, incident_id }: Meant, after: Position | null): Promise<Kept<Incident>[]> =>
  snapshot(pool, async (tx) => {
    const only = '($4::uuid IS NULL OR i.incident_id = $4)'
    const values = [tenant_id, after?.tenant_id ?? null, after?.id ?? null, incident_id]
    const of = { table: 'incident', columns: columnsOf('i'), change: `${CHANGE}, e.alert_id`, only, values } as const
    const found = await pageOf<Incident>(tx, of, (row) => row.incident_id)
    return found.map(({ row, changes }) => ({ row: toIncident(row), changes }))
  })

/**
 * Returns at most 100 alerts that have rows of their own, after `after`. `incident_id`: only those
 * of that incident.
 */
export const readAlertCauses = (pool: Pool, { tenant_id, incident_id, alert_id }: Meant, after: Position | null): Promise<Kept<Alert>[]> =>
  snapshot(pool, async (tx) => {
    const only = '($4::uuid IS NULL OR i.incident_id = $4) AND ($5::uuid IS NULL OR i.alert_id = $5)'
    const values = [tenant_id, after?.tenant_id ?? null, after?.id ?? null, incident_id, alert_id]
    const of = { table: 'alert', columns: alertColumnsOf('i'), change: CHANGE, only, values } as const
    const found = await pageOf<Alert>(tx, of, (row) => row.alert_id)
    return found.map(({ row, changes }) => ({ row: toAlert(row), changes }))
  })

/**
 * Returns the id of an incident with a reference such as INC-12 in a workspace; null when there is
 * none.
 */
export async function findIncidentId(pool: Pool, tenant_id: string, number: number): Promise<string | null> {
  const { rows } = await pool.query<{ incident_id: string }>('SELECT incident_id FROM incidents WHERE tenant_id = $1 AND number = $2', [
    tenant_id,
    number
  ])
  return rows[0]?.incident_id ?? null
}

/**
 * Private locations of a workspace. Each has a row that names its workspace, beside its row in
 * `regions`; the policies of that table (0158_private_locations.sql) let a workspace change only
 * its own. A token is kept as its SHA-256; ending it tells every cache of credentials at once.
 * Source: docs/design/api/prober.md#locations.
 */
import type { Page } from '../../schemas/http/common.ts'
import { isLocationCode, MAX_LOCATION_PROBERS } from '../../schemas/http/private-locations.ts'
import { PROBER_BEHIND_MS, REGION_ONLINE_MS } from '../../schemas/http/prober.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { Tx } from './pool.ts'

export interface PrivateLocation {
  tenant_id: string
  location_id: string
  code: string
  label: string
  draining: boolean
  /** Null: its token was revoked. */
  token_prefix: string | null
  /** Epoch ms. */
  token_created_at: number | null
  ver: number
  created_at: number
  updated_at: number
}

export interface LocationSettings {
  label: string
  draining: boolean
}

export interface PresentProber {
  region: string
  instance_id: string
  version: string
  kinds: string[]
  capacity: { concurrent?: number; per_second?: number }
  /** The prober is present, not leaving and not behind. */
  online: boolean
  leaving: boolean
  /** Epoch ms. */
  last_hello_at: number
}

export interface NewToken {
  sha256: Buffer
  prefix: string
}

const SELECT = `SELECT l.tenant_id, l.location_id, l.code, r.label, l.draining, p.token_prefix, p.created_at AS token_created_at, l.ver, l.created_at,
                       l.updated_at
                  FROM private_locations l JOIN regions r ON r.code = l.code LEFT JOIN prober_tokens p ON p.region = l.code AND p.revoked_at IS NULL
                 WHERE l.tenant_id = $1`

export async function countLocations(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>('SELECT count(*) FROM private_locations WHERE tenant_id = $1', [tenant_id])
  return rows[0]?.count ?? 0
}

/** Lists the locations, sorted by label. */
export async function listLocations(
  tx: Tx,
  tenant_id: string,
  { page, per_page }: Page
): Promise<{ items: PrivateLocation[]; total: number }> {
  const { rows } = await tx.query<PrivateLocation>(`${SELECT} ORDER BY lower(r.label), l.location_id LIMIT $2 OFFSET $3`, [
    tenant_id,
    per_page,
    (page - 1) * per_page
  ])
  return { items: rows, total: await countLocations(tx, tenant_id) }
}

/** The location, or null. */
export async function readLocation(tx: Tx, tenant_id: string, location_id: string): Promise<PrivateLocation | null> {
  const { rows } = await tx.query<PrivateLocation>(`${SELECT} AND l.location_id = $2`, [tenant_id, location_id])
  return rows[0] ?? null
}

/** Like readLocation, but locks the row against changes and against monitors that choose it. */
export async function lockLocation(tx: Tx, tenant_id: string, location_id: string): Promise<PrivateLocation | null> {
  await tx.query('SELECT FROM private_locations WHERE tenant_id = $1 AND location_id = $2 FOR UPDATE', [tenant_id, location_id])
  return readLocation(tx, tenant_id, location_id)
}

/** Keeps those of `codes` that are locations until the transaction ends: a deletion waits. */
export async function keepLocations(tx: Tx, tenant_id: string, codes: readonly string[]): Promise<void> {
  const locations = codes.filter(isLocationCode)
  if (locations.length === 0) return
  await tx.query('SELECT FROM private_locations WHERE tenant_id = $1 AND code = ANY ($2) ORDER BY code FOR KEY SHARE', [
    tenant_id,
    locations
  ])
}

/**
 * Whether another location of the workspace has the label, whatever its letter case. The workspace
 * must be locked.
 */
export async function isLabelTaken(tx: Tx, tenant_id: string, label: string, except: string | null): Promise<boolean> {
  const { rowCount } = await tx.query(
    `SELECT FROM private_locations l JOIN regions r ON r.code = l.code
      WHERE l.tenant_id = $1 AND lower(r.label) = lower($2) AND l.location_id IS DISTINCT FROM $3::uuid LIMIT 1`,
    [tenant_id, label, except]
  )
  return (rowCount ?? 0) > 0
}

export async function insertLocation(tx: Tx, tenant_id: string, code: string, label: string, token: NewToken): Promise<PrivateLocation> {
  const location_id = uuidv7()
  await tx.query('INSERT INTO regions (code, label, private, created_at) VALUES ($1, $2, true, clock_timestamp())', [code, label])
  await tx.query('INSERT INTO private_locations (tenant_id, location_id, code) VALUES ($1, $2, $3)', [tenant_id, location_id, code])
  await insertToken(tx, code, token)
  const made = await readLocation(tx, tenant_id, location_id)
  if (!made) throw new Error('INSERT INTO private_locations left no row')
  return made
}

/** Updates a location that is locked. Returns null when it is gone. */
export async function updateLocation(
  tx: Tx,
  { tenant_id, location_id, code }: PrivateLocation,
  { label, draining }: LocationSettings
): Promise<PrivateLocation | null> {
  await tx.query('UPDATE regions SET label = $2 WHERE code = $1', [code, label])
  await tx.query(
    'UPDATE private_locations SET draining = $3, ver = ver + 1, updated_at = now() WHERE tenant_id = $1 AND location_id = $2',
    [tenant_id, location_id, draining]
  )
  return readLocation(tx, tenant_id, location_id)
}

async function insertToken(tx: Tx, code: string, { sha256, prefix }: NewToken): Promise<void> {
  await tx.query('INSERT INTO prober_tokens (token_id, region, name, token_sha256, token_prefix) VALUES ($1, $2, $3, $4, $5)', [
    uuidv7(),
    code,
    'Private location',
    sha256,
    prefix
  ])
}

/**
 * Replaces the one token of a location that is locked. Null ends the token without a new one.
 * Returns the location in its next version.
 */
export async function replaceLocationToken(tx: Tx, location: PrivateLocation, token: NewToken | null): Promise<PrivateLocation | null> {
  await tx.query('DELETE FROM prober_tokens WHERE region = $1', [location.code])
  if (token) await insertToken(tx, location.code, token)
  return updateLocation(tx, location, location)
}

/** Deletes the location with its token, the presence of its probers and what was asked of them. */
export async function deleteLocation(tx: Tx, code: string): Promise<void> {
  await tx.query('DELETE FROM regions WHERE code = $1 AND private', [code])
}

/** Returns the probers of the regions that were seen within a week, the last one first. */
export async function probersOf(tx: Tx, codes: readonly string[]): Promise<Map<string, PresentProber[]>> {
  const { rows } = await tx.query<PresentProber>(
    `SELECT region, instance_id, version, kinds, capacity, leaving, last_hello_at,
            NOT leaving AND behind_ms <= $3 AND last_hello_at > now() - $2 * interval '1 ms' AS online
       FROM (SELECT *, row_number() OVER (PARTITION BY region ORDER BY last_hello_at DESC, instance_id) AS place
               FROM (SELECT region, instance_id, version, kinds, capacity, leaving, behind_ms, last_hello_at FROM probers WHERE region = ANY ($1)) AS of_these) AS p
      WHERE place <= $4 ORDER BY region, place`,
    [codes, REGION_ONLINE_MS, PROBER_BEHIND_MS, MAX_LOCATION_PROBERS]
  )
  const found = new Map<string, PresentProber[]>(codes.map((code) => [code, []]))
  for (const row of rows) found.get(row.region)?.push(row)
  return found
}

/** Counts for each location the monitors that name it and that the transaction sees. */
export async function countUses(tx: Tx, tenant_id: string, codes: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await tx.query<{ code: string; count: number }>(
    `SELECT c.code, count(*) FROM unnest($2::text[]) AS c (code) JOIN monitors m
         ON m.tenant_id = $1 AND m.deleted_at IS NULL AND (c.code = ANY (m.regions) OR c.code = ANY (m.assigned_regions))
      GROUP BY c.code`,
    [tenant_id, codes]
  )
  return new Map(rows.map(({ code, count }) => [code, count]))
}

/**
 * Returns the names of monitors that name the location and that the transaction sees, at most
 * `most`.
 */
export async function namesOfUses(tx: Tx, tenant_id: string, code: string, most: number): Promise<string[]> {
  const { rows } = await tx.query<{ name: string }>(
    `SELECT name FROM monitors WHERE tenant_id = $1 AND deleted_at IS NULL AND ($2 = ANY (regions) OR $2 = ANY (assigned_regions))
      ORDER BY lower(name) LIMIT $3`,
    [tenant_id, code, most]
  )
  return rows.map(({ name }) => name)
}

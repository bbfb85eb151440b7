/**
 * Phones that receive push notifications. A device is a contact method with the same id, and ends
 * with it. The method holds the name; the token is sealed.
 *
 * Source: docs/design/api/notifications.md#no-19.
 */
import type { Platform } from '../../schemas/http/devices.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

export interface StoredDevice {
  device_id: string
  platform: Platform
  name: string
  app_version: string
  /** Epoch ms. */
  last_seen_at: number
  invalid_at: number | null
  created_at: number
  token_sha256: Buffer
}

const SELECT = `SELECT d.device_id, d.platform, m.address AS name, d.app_version, d.last_seen_at, d.invalid_at, d.created_at, d.token_sha256
    FROM push_devices d JOIN contact_methods m ON m.tenant_id = d.tenant_id AND m.method_id = d.device_id`

/** Lists the devices of one person, oldest first. */
export async function listDevices(tx: Tx, tenant_id: string, user_id: string): Promise<StoredDevice[]> {
  const { rows } = await tx.query<StoredDevice>(`${SELECT} WHERE d.tenant_id = $1 AND d.user_id = $2 ORDER BY d.created_at, d.device_id`, [
    tenant_id,
    user_id
  ])
  return rows
}

/** Makes the token belong to this person only, in every workspace. */
export async function takeToken(tx: Tx, platform: Platform, token_sha256: Buffer, user_id: string): Promise<void> {
  // Two people who register it at once take turns.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 77))', [`${platform}:${token_sha256.toString('hex')}`])
  await tx.query('SELECT take_push_token($1, $2, $3)', [platform, token_sha256, user_id])
}

export interface GivenDevice {
  device_id: string
  platform: Platform
  name: string
  app_version: string
  token_sha256: Buffer
  /** Sealed. */
  push_token: string
}

/** Adds a device as the last of the person's contact methods. */
export async function insertDevice(tx: Tx, tenant_id: string, user_id: string, given: GivenDevice): Promise<void> {
  const { device_id, platform, name, app_version, token_sha256, push_token } = given
  await tx.query(
    `INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at, position)
     SELECT $1, $2, $3, 'push', $4, now(), coalesce(max(position) + 1, 0) FROM contact_methods WHERE tenant_id = $1 AND user_id = $3`,
    [tenant_id, device_id, user_id, name]
  )
  await tx.query(
    `INSERT INTO push_devices (tenant_id, device_id, user_id, platform, token_sha256, push_token, app_version) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant_id, device_id, user_id, platform, token_sha256, push_token, app_version]
  )
}

/**
 * Updates a device whose app has registered again. It can be notified again, whatever was recorded
 * before.
 */
export async function refreshDevice(tx: Tx, tenant_id: string, user_id: string, given: GivenDevice): Promise<void> {
  const { device_id, name, app_version, token_sha256, push_token } = given
  await tx.query(
    `UPDATE push_devices SET token_sha256 = $4, push_token = $5, app_version = $6, last_seen_at = now(), invalid_at = NULL
      WHERE tenant_id = $1 AND user_id = $2 AND device_id = $3`,
    [tenant_id, user_id, device_id, token_sha256, push_token, app_version]
  )
  await tx.query(
    `UPDATE contact_methods SET address = $4, verified_at = coalesce(verified_at, now()), updated_at = now()
      WHERE tenant_id = $1 AND user_id = $2 AND method_id = $3`,
    [tenant_id, user_id, device_id, name]
  )
}

/** Deletes a device. Returns false when the person has no such device. */
export async function deleteDevice(tx: Tx, tenant_id: string, user_id: string, device_id: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    "DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2 AND method_id = $3 AND kind = 'push'",
    [tenant_id, user_id, device_id]
  )
  return (rowCount ?? 0) > 0
}

export interface DeadDevice {
  tenant_id: string
  device_id: string
  /** The sealed token that was used. A device that has registered again meanwhile stays. */
  push_token: string
}

export interface EndedDevice {
  tenant_id: string
  device_id: string
  user_id: string
  name: string
}

/**
 * Ends devices that the vendor no longer knows. Nothing is sent to them until the app registers
 * again.
 */
export async function endDevices(tx: Tx, dead: readonly DeadDevice[]): Promise<EndedDevice[]> {
  if (dead.length === 0) return []
  const { rows } = await tx.query<EndedDevice>({
    name: 'devices-end',
    text: `WITH ended AS (
             UPDATE push_devices d SET invalid_at = now()
               FROM json_to_recordset($1::json) AS r (tenant_id uuid, device_id uuid, push_token text)
              WHERE d.tenant_id = r.tenant_id AND d.device_id = r.device_id AND d.push_token = r.push_token AND d.invalid_at IS NULL
             RETURNING d.tenant_id, d.device_id)
           UPDATE contact_methods m SET verified_at = NULL, updated_at = now() FROM ended e
            WHERE m.tenant_id = e.tenant_id AND m.method_id = e.device_id
           RETURNING m.tenant_id, m.method_id AS device_id, m.user_id, m.address AS name`,
    values: [JSON.stringify(dead)]
  })
  return rows
}

/** Deletes devices that have been unusable for 30 days. Returns how many. */
export const forgetDevices = (pool: Pool): Promise<number> =>
  forget(
    pool,
    'contact_methods',
    `EXISTS (SELECT FROM push_devices d
              WHERE d.tenant_id = x.tenant_id AND d.device_id = x.method_id AND d.invalid_at < now() - interval '30 days')`
  )

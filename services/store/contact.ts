/**
 * How to reach one person, and the person's notification preferences. The rows are deleted with the
 * membership.
 *
 * Source: docs/design/api/notifications.md#s8-4.
 */
import { noWishes, type Wishes } from '../../schemas/http/notification-preferences.ts'
import type { MethodKind } from '../../schemas/http/notification-words.ts'
import type { Tx } from './pool.ts'

export interface ContactMethod {
  method_id: string
  kind: MethodKind
  address: string
  /** Epoch ms; null: the method is not verified. */
  verified_at: number | null
  position: number
}

export interface StoredWishes {
  ver: number
  body: Partial<Wishes>
}

/** Lists the contact methods of a person, in their order. */
export async function listMethods(tx: Tx, tenant_id: string, user_id: string): Promise<ContactMethod[]> {
  const { rows } = await tx.query<ContactMethod>(
    `SELECT method_id, kind, address, verified_at, position FROM contact_methods
      WHERE tenant_id = $1 AND user_id = $2 ORDER BY position, created_at, method_id`,
    [tenant_id, user_id]
  )
  return rows
}

/** Reads the preferences. Version 0 if nothing was set yet. */
export async function readWishes(tx: Tx, tenant_id: string, user_id: string): Promise<StoredWishes> {
  const { rows } = await tx.query<StoredWishes>('SELECT ver, body FROM notification_preferences WHERE tenant_id = $1 AND user_id = $2', [
    tenant_id,
    user_id
  ])
  return rows[0] ?? { ver: 0, body: {} }
}

/**
 * Reads as readWishes does. Until the transaction ends, nobody else writes the person's settings.
 */
export async function lockWishes(tx: Tx, tenant_id: string, user_id: string): Promise<StoredWishes> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 48))', [`${tenant_id}:${user_id}`])
  return readWishes(tx, tenant_id, user_id)
}

export async function saveWishes(tx: Tx, tenant_id: string, user_id: string, body: Wishes): Promise<void> {
  await tx.query(
    `INSERT INTO notification_preferences AS p (tenant_id, user_id, body) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id, user_id) DO UPDATE SET body = excluded.body, ver = p.ver + 1, updated_at = now()`,
    [tenant_id, user_id, JSON.stringify(body)]
  )
}

/**
 * Counts a new version of the person's settings. A caller that adds a contact method beside them
 * calls this, so that who saw the list before cannot replace it.
 */
export async function countVersion(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  const { body } = await lockWishes(tx, tenant_id, user_id)
  await saveWishes(tx, tenant_id, user_id, { ...noWishes, ...body })
}

/** Replaces the person's methods. Methods that are not in the list are deleted. */
export async function replaceMethods(tx: Tx, tenant_id: string, user_id: string, methods: readonly ContactMethod[]): Promise<void> {
  await tx.query('DELETE FROM contact_methods WHERE tenant_id = $1 AND user_id = $2 AND method_id <> ALL ($3::uuid[])', [
    tenant_id,
    user_id,
    methods.map(({ method_id }) => method_id)
  ])
  for (const { method_id, kind, address, verified_at, position } of methods)
    await tx.query(
      `INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at, position) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (tenant_id, method_id) DO UPDATE SET position = excluded.position, updated_at = now()
        WHERE contact_methods.user_id = excluded.user_id`,
      [tenant_id, method_id, user_id, kind, address, verified_at === null ? null : new Date(verified_at), position]
    )
}

/** Returns the account address of a member, or null if the person is not a member. */
export async function memberEmail(tx: Tx, tenant_id: string, user_id: string): Promise<string | null> {
  const { rows } = await tx.query<{ email: string }>(
    'SELECT u.email FROM members m JOIN users u USING (user_id) WHERE m.tenant_id = $1 AND m.user_id = $2',
    [tenant_id, user_id]
  )
  return rows[0]?.email ?? null
}

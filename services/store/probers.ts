/**
 * Probers: their tokens, their presence and what their region must check. Probers act for no
 * workspace, so everything but the tokens goes through the SECURITY DEFINER functions of
 * schemas/postgres/0009_check_lookups.sql, 0018_probers_behind.sql, 0158_private_locations.sql and
 * 0160_trials.sql.
 * Source: docs/design/api/prober.md#s16.
 */
import type { Assertion, CheckConfig, Retry } from '../../schemas/http/check-config.ts'
import { PROBER_BEHIND_MS, PROBER_LIVE_MS, REGION_ONLINE_MS } from '../../schemas/http/prober.ts'
import { uuidv7 } from '../../schemas/uuid.ts'
import type { TrialDefinition } from './check-trials.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'

export interface NewProberToken {
  /** Code of a region that exists. */
  region: string
  name: string
  sha256: Buffer
  prefix: string
}

/**
 * Adds a token and returns its id. Needs service_system or the owner. Rejects with 23503 when there
 * is no such region, with 23505 when the token exists.
 */
export async function createProberToken(pool: Pool, { region, name, sha256, prefix }: NewProberToken): Promise<string> {
  const token_id = uuidv7()
  await pool.query('INSERT INTO prober_tokens (token_id, region, name, token_sha256, token_prefix) VALUES ($1, $2, $3, $4, $5)', [
    token_id,
    region,
    name,
    sha256,
    prefix
  ])
  return token_id
}

/** Whether a token existed and was revoked. For service_system. */
export async function isRevoked(pool: Pool, sha256: Buffer): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM prober_tokens WHERE token_sha256 = $1 AND revoked_at IS NOT NULL', [sha256])
  return (rowCount ?? 0) > 0
}

export interface Hello {
  instance_id: string
  version: string
  kinds: readonly string[]
  /** Raw X25519 public key. */
  public_key: Buffer
  egress_ips: readonly string[]
  capacity: object
  leaving: boolean
  /** Milliseconds by which it lags behind its work. */
  behind_ms: number
}

export interface LiveProber {
  instance_id: string
  kinds: string[]
}

/**
 * Stores the hello. Returns the live probers of the region, by name, and the newest assignment
 * version.
 */
export async function noteHello(tx: Tx, region: string, hello: Hello): Promise<{ live: LiveProber[]; assignment_version: number }> {
  await tx.query({
    name: 'note-hello',
    text: 'SELECT note_hello($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    values: [
      region,
      hello.instance_id,
      hello.version,
      hello.kinds,
      hello.public_key,
      hello.egress_ips,
      JSON.stringify(hello.capacity),
      hello.leaving,
      hello.behind_ms
    ]
  })
  const { rows } = await tx.query<LiveProber>({
    name: 'live-probers',
    text: 'SELECT instance_id, kinds FROM find_live_probers($1, $2, $3)',
    values: [region, PROBER_LIVE_MS, PROBER_BEHIND_MS]
  })
  return { live: rows, assignment_version: await currentAssignment(tx) }
}

/**
 * Makes room for an instance of a location that says hello. Returns false when the location has
 * `most` others, and all of them are online.
 */
export async function makeRoom(tx: Tx, region: string, instance_id: string, most: number): Promise<boolean> {
  const { rows } = await tx.query<{ room: boolean }>({
    name: 'make-room-for-prober',
    text: 'SELECT make_room_for_prober($1, $2, $3, $4) AS room',
    values: [region, instance_id, most, REGION_ONLINE_MS]
  })
  return rows[0]?.room ?? false
}

export async function currentAssignment(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ version: number }>({
    name: 'assignment-version',
    text: 'SELECT current_assignment_version() AS version'
  })
  return rows[0]?.version ?? 0
}

/**
 * Returns the version from which on versions are known. Earlier ones were given out before the
 * store was restored (migrate --restored), and may name what is lost.
 */
export async function firstAssignment(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ version: number }>({
    name: 'first-assignment-version',
    text: "SELECT seqstart AS version FROM pg_sequence WHERE seqrelid = 'assignment_versions'::regclass"
  })
  return rows[0]?.version ?? 0
}

/**
 * A monitor as a prober needs it. `active` is false when the region does not check it, or no longer
 * does. Secrets are sealed for the workspace.
 */
export interface AssignedMonitor {
  assignment_version: number
  active: boolean
  tenant_id: string
  monitor_id: string
  ver: number
  type: string
  target: string
  config: CheckConfig
  assertions: Assertion[]
  retry: Retry
  interval_seconds: number
  /** Interval while it fails; null: no other interval. */
  down_interval_seconds: number | null
  /** Null when there is no other interval. */
  recovery_rounds: number | null
  timeout_seconds: number
  degraded_after_ms: number | null
  tls_expiry_days: number[]
}

/**
 * Which monitors a prober gets: those of a region that is open to everybody, or those of one
 * workspace's location.
 */
export interface ProbedRegion {
  region: string
  /** Null: of every workspace. */
  tenant_id: string | null
}

/** Returns what changed after `since`, in order. 0 returns everything that the region checks. */
export async function readAssignment(tx: Tx, { region, tenant_id }: ProbedRegion, since: number): Promise<AssignedMonitor[]> {
  if (tenant_id !== null) {
    const { rows } = await tx.query<AssignedMonitor>({
      name: 'find-location-assigned',
      text: `SELECT a.*, r.down_interval_seconds, r.recovery_rounds
               FROM find_location_assigned($1, $2, $3) a LEFT JOIN find_rhythms($1, $2) r USING (monitor_id) ORDER BY a.assignment_version`,
      values: [region, since, tenant_id]
    })
    return rows
  }
  const { rows } = await tx.query<AssignedMonitor>({
    name: 'find-assigned',
    text: `SELECT a.*, r.down_interval_seconds, r.recovery_rounds
             FROM find_assigned($1, $2) a LEFT JOIN find_rhythms($1, $2) r USING (monitor_id) ORDER BY a.assignment_version`,
    values: [region, since]
  })
  return rows
}

export interface OnDemand {
  tenant_id: string
  check_id: string
  monitor_id: string
  /** Epoch ms. */
  scheduled_at: number
  count: boolean
  expires_at: number
  /**
   * The definition of a trial (check-trials.ts); null: a check of the monitor as it is assigned.
   */
  definition: TrialDefinition | null
}

/** Returns what the region must do now and what has not expired: checks of monitors, and trials. */
export async function readOnDemand(tx: Tx, region: string): Promise<OnDemand[]> {
  const { rows } = await tx.query<OnDemand>({
    name: 'find-once',
    text: 'SELECT tenant_id, check_id, monitor_id, scheduled_at, count, expires_at, definition FROM find_once($1)',
    values: [region]
  })
  return rows
}

/** Returns the public key of the prober's last hello, or null when it never sent one. */
export async function findProberKey(tx: Tx, region: string, instance_id: string): Promise<Buffer | null> {
  const { rows } = await tx.query<{ key: Buffer | null }>({
    name: 'find-prober-key',
    text: 'SELECT find_prober_key($1, $2) AS key',
    values: [region, instance_id]
  })
  return rows[0]?.key ?? null
}

/**
 * Deletes the presence of instances that have sent no hello for a week. Needs service_system.
 * Returns how many were forgotten.
 */
export const forgetProbers = (pool: Pool): Promise<number> => forget(pool, 'probers', "x.last_hello_at < now() - interval '7 days'")

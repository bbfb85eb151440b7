/**
 * Look-ups that run before the workspace is known. They call the SECURITY DEFINER functions of
 * schemas/postgres (0006, 0009 and later) with the SHA-256 of a credential, or with the token, slug
 * or id of a watched target. They take no `tenant_id`, because they find it. Revoked credentials,
 * and those of disabled accounts, are not found; expired ones are, with `expires_at`.
 */
import type { MemberRole } from '../../schemas/http/endpoints.ts'
import type { BodyRules } from '../../schemas/http/heartbeats.ts'
import type { TeamLists } from '../../schemas/http/visibility.ts'
import type { PlanId } from '../../schemas/plans.ts'
import type { Tx } from './pool.ts'

export interface IntegrationRow {
  tenant_id: string
  integration_id: string
  source_type: string
  enabled: boolean
  team_id: string | null
  visibility: 'org' | 'private'
  default_severity: 'critical' | 'warning' | 'info' | null
  severity_map: Record<string, unknown>
  labels_add: Record<string, unknown>
  dedup_template: string | null
  capture: boolean
  options: Record<string, unknown>
  /** By name. Secrets are sealed for `integration:<id>`, `verify.<name>`. */
  verify: Record<string, unknown>
  allowed_cidrs: string[]
  /** Epoch ms at which a rotated token expires; null for the current one. */
  expires_at: number | null
  plan: string
}

/** Teams of the person who holds the credential. */
interface TeamRow extends TeamLists {
  /** Teams that are open to the whole workspace; null when no team is hidden from the person. */
  open_teams: readonly string[] | null
}

export interface ApiTokenRow extends TeamRow {
  tenant_id: string
  token_id: string
  user_id: string
  role: string
  name: string
  scopes: string[]
  allowed_cidrs: string[]
  /** Epoch ms; null for never. */
  expires_at: number | null
  plan: string
}

export interface SessionRow extends TeamRow {
  tenant_id: string
  user_id: string
  role: string
  /** Epoch ms. */
  expires_at: number
  plan: string
}

export async function findIntegration(tx: Tx, sha256: Buffer): Promise<IntegrationRow | null> {
  const { rows } = await tx.query<IntegrationRow>({
    name: 'find-integration',
    text: 'SELECT * FROM find_integration($1)',
    values: [sha256]
  })
  return rows[0] ?? null
}

export async function findApiToken(tx: Tx, sha256: Buffer): Promise<ApiTokenRow | null> {
  const { rows } = await tx.query<ApiTokenRow>({ name: 'find-api-token', text: 'SELECT * FROM find_api_token($1)', values: [sha256] })
  return rows[0] ?? null
}

export async function findSession(tx: Tx, sha256: Buffer): Promise<SessionRow | null> {
  const { rows } = await tx.query<SessionRow>({ name: 'find-session', text: 'SELECT * FROM find_session($1)', values: [sha256] })
  return rows[0] ?? null
}

/**
 * Whether the SHA-256 belongs to an API token or session that has expired, was revoked, or is of a
 * disabled account. Its holder may be told that it is dead.
 */
export async function isDeadCredential(tx: Tx, sha256: Buffer): Promise<boolean> {
  const { rows } = await tx.query<{ dead: boolean }>('SELECT is_dead_credential($1) AS dead', [sha256])
  return rows[0]?.dead ?? false
}

export interface LoginRow {
  user_id: string
  password_hash: string
  disabled: boolean
  /** The first workspace that the person joined. */
  tenant_id: string
}

/** Returns the account with the e-mail address, whatever its letter case, or null. */
export async function findLogin(tx: Tx, email: string): Promise<LoginRow | null> {
  const { rows } = await tx.query<LoginRow>('SELECT user_id, password_hash, disabled, tenant_id FROM find_login($1) LIMIT 1', [email])
  return rows[0] ?? null
}

export interface InviteRow {
  tenant_id: string
  invite_id: string
  email: string
  role: MemberRole
  /** Epoch ms. */
  expires_at: number
  workspace_name: string
  /** The account with the invited address; null when there is none. */
  account: { user_id: string; password_hash: string; disabled: boolean } | null
}

/** Returns the open invite whose token has this SHA-256, or null. */
export async function findInvite(tx: Tx, sha256: Buffer): Promise<InviteRow | null> {
  const { rows } = await tx.query<InviteRow>(
    `SELECT tenant_id, invite_id, email, role, expires_at, workspace_name,
            CASE WHEN user_id IS NOT NULL THEN jsonb_build_object('user_id', user_id, 'password_hash', password_hash, 'disabled', disabled) END AS account
       FROM find_invite($1)`,
    [sha256]
  )
  return rows[0] ?? null
}

export interface WorkspaceRow {
  tenant_id: string
  name: string
  slug: string
  plan: PlanId
}

/** Returns the workspaces of a person, in the order of joining. */
export async function findWorkspaces(tx: Tx, user_id: string): Promise<WorkspaceRow[]> {
  const { rows } = await tx.query<WorkspaceRow>('SELECT tenant_id, name, slug, plan FROM find_workspaces($1)', [user_id])
  return rows
}

export interface ProberRow {
  token_id: string
  region: string
  label: string
  /** Null for a private location. */
  country: string | null
  /** The workspace that owns the location; null for a region that is open to everybody. */
  tenant_id: string | null
  /** The location is drained. */
  draining: boolean
}

export async function findProber(tx: Tx, sha256: Buffer): Promise<ProberRow | null> {
  const { rows } = await tx.query<ProberRow>({
    name: 'find-prober-token',
    text: 'SELECT * FROM find_prober_token($1)',
    values: [sha256]
  })
  return rows[0] ?? null
}

/** Whom a ping is for. */
export interface PingedRow {
  tenant_id: string
  heartbeat_id: string
  paused: boolean
  team_id: string | null
  visibility: 'org' | 'private'
  plan: string
  /** GET, HEAD, POST, or some of them. */
  allowed_methods: readonly string[]
  body_rules: BodyRules
  /** Number of characters of a body that the door passes on. */
  body_excerpt_chars: number
}

/** `token` must be a UUID. */
export async function findPingToken(tx: Tx, token: string): Promise<PingedRow | null> {
  const { rows } = await tx.query<PingedRow>({
    name: 'find-pinged-by-token',
    text: 'SELECT * FROM find_pinged_by_token($1)',
    values: [token]
  })
  return rows[0] ?? null
}

export async function findPingSlug(tx: Tx, ping_key: string, slug: string): Promise<PingedRow | null> {
  const { rows } = await tx.query<PingedRow>({
    name: 'find-pinged-by-slug',
    text: 'SELECT * FROM find_pinged_by_slug($1, $2)',
    values: [ping_key, slug]
  })
  return rows[0] ?? null
}

/** `tenant_id` must be a UUID. */
export async function findNamedHeartbeat(tx: Tx, tenant_id: string, slug: string): Promise<PingedRow | null> {
  const { rows } = await tx.query<PingedRow>({
    name: 'find-pinged-by-name',
    text: 'SELECT * FROM find_pinged_by_name($1, $2)',
    values: [tenant_id, slug]
  })
  return rows[0] ?? null
}

/**
 * The workspace of a monitor. Deleted monitors are found too, because a late result still belongs
 * to a workspace.
 */
export interface MonitorOwnerRow {
  tenant_id: string
  monitor_id: string
  team_id: string | null
  visibility: 'org' | 'private'
  plan: string
}

/** `ids` must be UUIDs. Returns the monitors in no order; unknown ids are missing. */
export async function findMonitors(tx: Tx, ids: readonly string[]): Promise<MonitorOwnerRow[]> {
  const { rows } = await tx.query<MonitorOwnerRow>({ name: 'find-monitors', text: 'SELECT * FROM find_monitors($1)', values: [ids] })
  return rows
}

export interface CalendarLinkOwner {
  tenant_id: string
  link_id: string
  user_id: string
  role: string
  /** Null: all shifts of the person. */
  schedule_id: string | null
}

/** Returns the link when its member may log in; otherwise null. */
export async function findCalendarLink(tx: Tx, sha256: Buffer): Promise<CalendarLinkOwner | null> {
  const { rows } = await tx.query<CalendarLinkOwner>('SELECT tenant_id, link_id, user_id, role, schedule_id FROM find_calendar_link($1)', [
    sha256
  ])
  return rows[0] ?? null
}

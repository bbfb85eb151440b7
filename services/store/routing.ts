/**
 * Versions of the routing rules of workspaces. A version is written once and never changes; the
 * head names the version in force. Version 1 is the built-in set and has no row.
 *
 * Writers lock the head (`lockRuleSet`) until they commit. Folds read without a lock: a set that
 * comes into force meanwhile decides the next batch. The newest set of each workspace that
 * `loadInForce` and `ruleSetAt` compile is cached. A transaction that writes versions must not read
 * with these two, because what it sees may never be committed.
 * Source: docs/design/api/alerts-and-routing.md#s6-3,
 * docs/decisions/0060-routing-rules-are-versions-that-never-change.md.
 */
import type { Page } from '../../schemas/http/common.ts'
import { conditionGroups, MAX_SET_VERSIONS, type StoredRule } from '../../schemas/http/routing-words.ts'
import type { Depends } from '../../streams/incident/dependencies.ts'
import type { OutageSettings } from '../../streams/incident/outages.ts'
import type { WindowSet } from '../../streams/maintenance/windows.ts'
import type { PolicyDefaults } from '../../streams/routing/policies.ts'
import { builtIn, compile, ENGINE_VERSION, ROUTING_VERSION, type RuleSet } from '../../streams/routing/rules.ts'
import { CompiledRules } from './compiled-rules.ts'
import { dependsOf, dependsSql, type JsonDepends } from './dependencies.ts'
import { forget } from './forget.ts'
import { decidingWindowsSql, type JsonWindow, windowSetOf } from './maintenance.ts'
import type { Pool, Tx } from './pool.ts'

/** Per process: some 150 MB, if the rules are as large as they may be. */
const compiled = new CompiledRules({ sets: 1000, rules: 50_000, characters: 64_000_000 })

/** A version as it is stored. */
export interface StoredRuleSet {
  version: number
  rules: readonly StoredRule[]
  private_team_ids: readonly string[]
}

/** A version in a list. */
export interface RuleSetVersion {
  version: number
  engine_version: number
  /** Epoch ms. */
  created_at: number
  /** kind:id. */
  created_by: string
  note: string
}

const none: StoredRuleSet = { version: ROUTING_VERSION, rules: [], private_team_ids: [] }

type Row = StoredRuleSet & { tenant_id: string; characters: number }

async function compiledSets(tx: Tx, wanted: readonly { tenant_id: string; version: number }[]): Promise<Map<string, RuleSet>> {
  const sets = new Map<string, RuleSet>()
  const missing = wanted.filter(({ tenant_id, version }) => {
    const kept = version === ROUTING_VERSION ? builtIn : compiled.get(tenant_id, version)
    if (kept) sets.set(tenant_id, kept)
    return !kept
  })
  if (missing.length === 0) return sets
  const { rows } = await tx.query<Row>(
    `SELECT s.tenant_id, s.version, s.rules, s.private_team_ids, length(s.rules::text) AS characters
       FROM unnest($1::uuid[], $2::bigint[]) AS w (tenant_id, version) JOIN routing_rule_sets s USING (tenant_id, version)`,
    [missing.map(({ tenant_id }) => tenant_id), missing.map(({ version }) => version)]
  )
  for (const { tenant_id, version, rules, private_team_ids, characters } of rows) {
    const set = compile(version, rules, private_team_ids)
    compiled.set(tenant_id, set, characters)
    sets.set(tenant_id, set)
  }
  return sets
}

/** Everything that decides in the workspaces of a batch. */
export interface InForce {
  /**
   * One entry for every workspace that was asked for; the built-in set when it has none of its own.
   */
  rules: Map<string, RuleSet>
  /** Only for workspaces that name a policy. */
  policies: Map<string, PolicyDefaults>
  /** Of the workspaces with a window that keeps things from becoming incidents. */
  windows: Map<string, WindowSet>
  /** What the monitors that fire depend on, by signal key. */
  depends: Map<string, Depends>
  /** Only for workspaces that look for mass outages. */
  outages: Map<string, OutageSettings>
}

/**
 * Returns version → the ids, among `rule_ids`, of its rules that name none of the hidden teams,
 * neither in a condition nor as their target. Versions that no longer exist are missing. The rules
 * are not brought into this process: a page of alerts may be about 200 versions of 4 MB each.
 */
export async function rulesNamingNone(
  tx: Tx,
  tenant_id: string,
  versions: readonly number[],
  rule_ids: readonly string[],
  hidden: readonly string[]
): Promise<Map<number, ReadonlySet<string>>> {
  const { rows } = await tx.query<{ version: number; ids: string[] }>(
    `SELECT s.version, ARRAY(
         SELECT r.rule ->> 'id' FROM jsonb_array_elements(s.rules) AS r (rule)
          WHERE r.rule ->> 'id' = ANY ($3::text[])
            AND NOT coalesce(r.rule -> 'actions' ->> 'team_id' = ANY ($4::text[]), false)
            AND NOT EXISTS (
              SELECT FROM unnest($5::text[]) AS g (name), jsonb_array_elements(r.rule -> 'match' -> g.name) AS c (condition)
               WHERE c.condition ->> 'field' = 'team_id' AND c.condition -> 'value' ?| $4::text[])) AS ids
       FROM routing_rule_sets s WHERE s.tenant_id = $1 AND s.version = ANY ($2::bigint[])`,
    [tenant_id, versions, rule_ids, hidden, conditionGroups]
  )
  return new Map(rows.map(({ version, ids }) => [version, new Set(ids)]))
}

interface Head {
  tenant_id: string
  version: number | null
  policy_id: string | null
  teams: Record<string, string> | null
  integrations: Record<string, string> | null
  windows: JsonWindow[] | null
  depends: JsonDepends[] | null
  outage: OutageSettings | null
}

const named = (table: string, id: string): string =>
  `(SELECT json_object_agg(p.${id}, p.escalation_policy_id) FROM ${table} p WHERE p.tenant_id = t.tenant_id AND p.escalation_policy_id IS NOT NULL)`

/**
 * SQL column for a query of workspaces with alias `t`: what decides about a mass outage. Null when
 * the parameter `asked` is false, or the workspace has mass outages turned off.
 */
const outageSql = (asked: string): string => `CASE WHEN ${asked}::boolean AND t.mass_outage_enabled THEN json_build_object(
    'min_monitors', t.mass_outage_min_monitors,
    'monitors', (SELECT count(*) FROM (SELECT FROM monitors m WHERE m.tenant_id = t.tenant_id AND m.deleted_at IS NULL AND m.paused_at IS NULL
      AND cardinality(m.assigned_regions) > 1 LIMIT 2 * t.mass_outage_min_monitors) AS counted),
    'private_team_ids', ARRAY(SELECT p.team_id FROM teams p WHERE p.tenant_id = t.tenant_id AND p.visibility = 'private')) END`

const HEADS = `
  SELECT t.tenant_id, h.version, t.default_escalation_policy_id AS policy_id,
         ${named('teams', 'team_id')} AS teams, ${named('integrations', 'integration_id')} AS integrations,
         ${decidingWindowsSql('$2', '$3')} AS windows, ${dependsSql('$2')} AS depends, ${outageSql('$3')} AS outage
    FROM tenants t LEFT JOIN routing_heads h USING (tenant_id) WHERE t.tenant_id = ANY ($1::uuid[])`

const mapOf = (given: Record<string, string> | null): Map<string, string> => new Map(Object.entries(given ?? {}))

/**
 * Loads what is in force, for a batch of a fold. One statement reads versions, policies and
 * maintenance windows; a second reads versions that are not cached. Under service_tenant only its
 * own workspace has any. `watched`: ids of monitors and heartbeats that fire. `together`: some of
 * them may make a mass outage.
 */
export async function loadInForce(
  tx: Tx,
  tenant_ids: readonly string[],
  watched: readonly string[] = [],
  together = false
): Promise<InForce> {
  const wanted = [...new Set(tenant_ids)]
  const { rows } = await tx.query<Head>({ name: 'routing-heads', text: HEADS, values: [wanted, watched, together] })
  const versions = rows.flatMap(({ tenant_id, version }) => (version === null ? [] : [{ tenant_id, version }]))
  const sets = await compiledSets(tx, versions)
  for (const { tenant_id, version } of versions)
    if (!sets.has(tenant_id)) throw new Error(`routing rules: version ${version} of workspace ${tenant_id} is in force and not there`)
  return {
    rules: new Map(wanted.map((tenant_id) => [tenant_id, sets.get(tenant_id) ?? builtIn])),
    policies: new Map(
      rows.flatMap(({ tenant_id, policy_id, teams, integrations }): [string, PolicyDefaults][] =>
        policy_id === null && !teams && !integrations
          ? []
          : [[tenant_id, { workspace: policy_id, teams: mapOf(teams), integrations: mapOf(integrations) }]]
      )
    ),
    windows: new Map(
      rows.flatMap(({ tenant_id, windows }): [string, WindowSet][] => (windows === null ? [] : [[tenant_id, windowSetOf(windows)]]))
    ),
    depends: dependsOf(rows),
    outages: new Map(rows.flatMap(({ tenant_id, outage }): [string, OutageSettings][] => (outage === null ? [] : [[tenant_id, outage]])))
  }
}

/** Returns the policies of one workspace; null when it names none. */
export const loadPolicies = async (tx: Tx, tenant_id: string): Promise<PolicyDefaults | null> =>
  (await loadInForce(tx, [tenant_id])).policies.get(tenant_id) ?? null

/** Returns a version, for a replay or an explanation; null when it no longer exists. */
export async function ruleSetAt(tx: Tx, tenant_id: string, version: number): Promise<RuleSet | null> {
  return (await compiledSets(tx, [{ tenant_id, version }])).get(tenant_id) ?? null
}

/** Returns the version in force, as it is stored. */
export async function readRuleSet(tx: Tx, tenant_id: string): Promise<StoredRuleSet> {
  const { rows } = await tx.query<StoredRuleSet>(
    `SELECT s.version, s.rules, s.private_team_ids FROM routing_heads h JOIN routing_rule_sets s USING (tenant_id, version)
      WHERE h.tenant_id = $1`,
    [tenant_id]
  )
  return rows[0] ?? none
}

/** Returns a version as it is stored; null when it never existed or no longer exists. */
export async function readRuleSetAt(tx: Tx, tenant_id: string, version: number): Promise<StoredRuleSet | null> {
  if (version === ROUTING_VERSION) return none
  const { rows } = await tx.query<StoredRuleSet>(
    'SELECT version, rules, private_team_ids FROM routing_rule_sets WHERE tenant_id = $1 AND version = $2',
    [tenant_id, version]
  )
  return rows[0] ?? null
}

/** Returns the version in force. Nobody else can change it until the transaction ends. */
export async function lockRuleSet(tx: Tx, tenant_id: string): Promise<StoredRuleSet> {
  await tx.query('INSERT INTO routing_heads (tenant_id) VALUES ($1) ON CONFLICT (tenant_id) DO NOTHING', [tenant_id])
  await tx.query('SELECT FROM routing_heads WHERE tenant_id = $1 FOR UPDATE', [tenant_id])
  // A statement of its own, so that it sees what the former holder of the lock has committed.
  return readRuleSet(tx, tenant_id)
}

/** What a new version is made of. */
export interface NewRuleSet {
  rules: readonly StoredRule[]
  private_team_ids: readonly string[]
  /** kind:id. */
  created_by: string
  /** What was done, without names. */
  note: string
}

/** Puts a new version in force, under the lock of `lockRuleSet`. Returns its number. */
export async function insertRuleSet(tx: Tx, tenant_id: string, { rules, private_team_ids, created_by, note }: NewRuleSet): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    'UPDATE routing_heads SET version = version + 1 WHERE tenant_id = $1 RETURNING version',
    [tenant_id]
  )
  const version = rows[0]?.version
  if (version === undefined) throw new Error('insertRuleSet: the head is not locked')
  await tx.query(
    `INSERT INTO routing_rule_sets (tenant_id, version, rules, private_team_ids, engine_version, created_by, note)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant_id, version, JSON.stringify(rules), private_team_ids, ENGINE_VERSION, created_by, note]
  )
  return version
}

/** Returns the stored bytes of all versions that a workspace has made since a time (epoch ms). */
export async function ruleBytesSince(tx: Tx, tenant_id: string, since: number): Promise<number> {
  const { rows } = await tx.query<{ bytes: number }>(
    'SELECT coalesce(sum(pg_column_size(rules)), 0)::bigint AS bytes FROM routing_rule_sets WHERE tenant_id = $1 AND created_at > $2',
    [tenant_id, new Date(since)]
  )
  return rows[0]?.bytes ?? 0
}

/** Lists versions, newest first. The built-in set is not among them. */
export async function listRuleSets(
  tx: Tx,
  tenant_id: string,
  { page, per_page }: Page
): Promise<{ items: RuleSetVersion[]; total: number }> {
  const counted = await tx.query<{ total: number }>('SELECT count(*) AS total FROM routing_rule_sets WHERE tenant_id = $1', [tenant_id])
  const { rows } = await tx.query<RuleSetVersion>(
    `SELECT version, engine_version, created_at, created_by, note FROM routing_rule_sets
      WHERE tenant_id = $1 ORDER BY version DESC LIMIT $2 OFFSET $3`,
    [tenant_id, per_page, (page - 1) * per_page]
  )
  return { items: rows, total: counted.rows[0]?.total ?? 0 }
}

/** Counts the rules in force, without the default rule. */
export async function countRules(tx: Tx, tenant_id: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `SELECT jsonb_array_length(s.rules) AS count FROM routing_heads h JOIN routing_rule_sets s USING (tenant_id, version) WHERE h.tenant_id = $1`,
    [tenant_id]
  )
  return rows[0]?.count ?? 0
}

/** Ids that rules refer to. */
export interface References {
  monitor_id?: readonly string[]
  heartbeat_id?: readonly string[]
  integration_id?: readonly string[]
  team_id?: readonly string[]
  escalation_policy_id?: readonly string[]
  channel_id?: readonly string[]
}

/** Returns those of the ids that exist and that the transaction sees. */
export async function existingOf(tx: Tx, tenant_id: string, references: References): Promise<ReadonlySet<string>> {
  const { monitor_id = [], heartbeat_id = [], integration_id = [], team_id = [], escalation_policy_id = [], channel_id = [] } = references
  const { rows } = await tx.query<{ id: string }>(
    `SELECT monitor_id AS id FROM monitors WHERE tenant_id = $1 AND monitor_id = ANY ($2::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT heartbeat_id FROM heartbeats WHERE tenant_id = $1 AND heartbeat_id = ANY ($3::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT integration_id FROM integrations WHERE tenant_id = $1 AND integration_id = ANY ($4::uuid[])
     UNION ALL SELECT team_id FROM teams WHERE tenant_id = $1 AND team_id = ANY ($5::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT policy_id FROM escalation_policies WHERE tenant_id = $1 AND policy_id = ANY ($6::uuid[]) AND deleted_at IS NULL
     UNION ALL SELECT channel_id FROM notification_channels WHERE tenant_id = $1 AND channel_id = ANY ($7::uuid[]) AND deleted_at IS NULL`,
    [tenant_id, monitor_id, heartbeat_id, integration_id, team_id, escalation_policy_id, channel_id]
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Deletes old versions: all but the newest ones, unless an incident or alert names them. Returns
 * how many. For service_system.
 */
export const forgetRuleSets = (pool: Pool): Promise<number> =>
  forget(
    pool,
    'routing_rule_sets',
    `EXISTS (SELECT FROM routing_heads h WHERE h.tenant_id = x.tenant_id AND x.version <= h.version - $1)
       AND NOT EXISTS (SELECT FROM incidents i WHERE i.tenant_id = x.tenant_id AND i.routing_version = x.version)
       AND NOT EXISTS (SELECT FROM alerts a WHERE a.tenant_id = x.tenant_id AND a.routing_version = x.version)`,
    [MAX_SET_VERSIONS]
  )

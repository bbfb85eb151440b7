/** Writes routing rules for the workspaces of benchmarks. */

import type { StoredRule } from '../../schemas/http/routing-words.ts'
import { uuidv5 } from '../../schemas/uuid.ts'
import type { Pool } from '../../services/store/pool.ts'
import { ruleOf } from '../streams/routing/build.ts'

const NAMESPACE = '0190aaaa-0000-7000-8000-000000000001'

/** Gives each workspace `count` rules; 0 means none. */
export async function putRules(pool: Pool, tenant_ids: readonly string[], count: number): Promise<void> {
  const rules = Array.from({ length: count }, (_, n) =>
    ruleOf(
      uuidv5(NAMESPACE, `rule ${n}`),
      n === count - 1
        ? { actions: { priority: 'P3' } }
        : { match: { all: [{ field: 'label.service', op: 'eq', value: `service-${n}` }] }, actions: { severity: 'info' } }
    )
  )
  await pool.query('DELETE FROM routing_heads')
  await pool.query('DELETE FROM routing_rule_sets')
  // Compiled sets are cached by version, so each count has a version of its own.
  if (count > 0) await putSet(pool, tenant_ids, 1000 + count, rules)
}

/** Stores these rules in each workspace as `version`. */
export async function putSet(pool: Pool, tenant_ids: readonly string[], version: number, rules: readonly StoredRule[]): Promise<void> {
  await pool.query(
    "INSERT INTO tenants (tenant_id, name, slug) SELECT t, 'bench', t::text FROM unnest($1::uuid[]) AS t ON CONFLICT DO NOTHING",
    [tenant_ids]
  )
  await pool.query(
    `INSERT INTO routing_rule_sets (tenant_id, version, rules, private_team_ids, engine_version, created_by, note)
     SELECT t, $2, $3, '{}', 1, 'system:bench', 'bench' FROM unnest($1::uuid[]) AS t`,
    [tenant_ids, version, JSON.stringify(rules)]
  )
  await pool.query('INSERT INTO routing_heads (tenant_id, version) SELECT t, $2 FROM unnest($1::uuid[]) AS t', [tenant_ids, version])
}

/**
 * The real tables for tests of the incident rules: pools of both roles, two workspaces, and the
 * processor's transaction as the loop runs it.
 */

import type { Test } from 'tap'
import type { StoredRule } from '../../../schemas/http/routing-words.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { writeEffects } from '../../../services/store/effects.ts'
import { commandContext, type LockedIncident, lockIncident, saveStep } from '../../../services/store/incident-commands.ts'
import { type LockedMerge, lockMerge, mergeIncidents, refusalOf } from '../../../services/store/incident-merges.ts'
import { incidentStore } from '../../../services/store/incidents.ts'
import { createPool, type Pool, type Tx, tenantTransaction, transaction } from '../../../services/store/pool.ts'
import { insertRuleSet, lockRuleSet } from '../../../services/store/routing.ts'
import type { Input } from '../../../streams/define.ts'
import type { MergeRefusal } from '../../../streams/incident/merging.ts'
import type { Command, Step } from '../../../streams/incident/rules.ts'
import { reduceIncident } from '../../../streams/incident/rules.ts'
import { incidentProcessor } from '../../../streams/topology.ts'
import { localCodec } from '../../harness/codec.ts'
import { database } from '../../harness/engines.ts'
import { until } from '../../harness/until.ts'
import { other_tenant_id, tenant_id, user_id } from './build.ts'

export const codec = localCodec()

export interface Stack {
  /** Connects as service_system in pipeline mode, like the processors role. */
  pool: Pool
  /** Connects as service_tenant, like the api role. */
  tenantPool: Pool
  /** Runs one batch of the processor in a transaction of its own. */
  take(...inputs: Input[]): Promise<void>
  /** Runs one request of the api. `pause` runs while the locks are held. */
  obey(
    reference: string,
    command: Command,
    options?: { tenant?: string; alerts?: boolean; pause?: (locked: LockedIncident) => Promise<unknown> }
  ): Promise<Step | null>
  /** Merges as the api does. Resolves with the reason that prevents it, or null. */
  merge(source: string, target: string, options?: { pause?: (locked: LockedMerge) => Promise<unknown> }): Promise<MergeRefusal | null>
  /** Puts rules in force in the first workspace. Returns their version. */
  putRules(rules: readonly StoredRule[]): Promise<number>
  /** Resolves once as many sessions of this database wait for a lock; default: 1. */
  blocked(sessions?: number): Promise<unknown>
  rows<R extends object>(text: string, values?: unknown[]): Promise<R[]>
}

/** Loads, folds, saves and writes the effects, in the order of streams/runtime/run.ts. */
export async function foldIn(tx: Tx, inputs: readonly Input[]): Promise<void> {
  const { saved, outgoing, jobs } = incidentProcessor.fold(await incidentStore.load(tx, inputs), inputs)
  await incidentStore.save(tx, saved)
  await writeEffects(tx, { outgoing, jobs }, codec)
}

/**
 * The newest version of rules in this process. A process keeps compiled rules by workspace and
 * version, and all databases of these tests have the same workspaces.
 */
let newestRules = 1

export async function stack(t: Test): Promise<Stack> {
  const urls = await database(t)
  const pool = createPool(urls.systemUrl, { application_name: 'test processors', max: 12 })
  const tenantPool = createPool(urls.tenantUrl, { application_name: 'test api', max: 12 })
  const ownerPool = createPool(urls.ownerUrl, { application_name: 'test owner', max: 2 })
  t.teardown(() => Promise.all([pool.end(), tenantPool.end(), ownerPool.end()]))
  await pool.query(
    "INSERT INTO tenants (tenant_id, name, slug, reopen_after_seconds) VALUES ($1, 'Acme', 'acme', 1800), ($2, 'Other', 'other', 60)",
    [tenant_id, other_tenant_id]
  )
  return {
    pool,
    tenantPool,
    take: (...inputs) => transaction(pool, (tx) => foldIn(tx, inputs)),
    obey: (reference, command, { tenant = tenant_id, alerts = true, pause } = {}) =>
      tenantTransaction(tenantPool, wholeWorkspace(tenant), async (tx) => {
        const locked = await lockIncident(tx, tenant, reference, { alerts })
        if (!locked) return null
        await pause?.(locked)
        const context = commandContext(locked, { kind: 'command', src: command.by, request_id: 'request-1' })
        const step = reduceIncident(locked.incident, command, context)
        if (!step.refused) await saveStep(tx, codec, locked, command, step, context)
        return step
      }),
    merge: (source, target, { pause } = {}) =>
      tenantTransaction(tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        const locked = await lockMerge(tx, tenant_id, source, target)
        if (!('source' in locked)) throw new Error(`nothing to merge: ${JSON.stringify(locked)}`)
        await pause?.(locked)
        const refusal = refusalOf(locked)
        const by = `user:${user_id}`
        const context = commandContext(locked, { kind: 'command', src: by, request_id: 'request-1' })
        if (!refusal) await mergeIncidents(tx, codec, locked, by, context)
        return refusal
      }),
    putRules: (rules) =>
      tenantTransaction(tenantPool, wholeWorkspace(tenant_id), async (tx) => {
        await lockRuleSet(tx, tenant_id)
        await tx.query('UPDATE routing_heads SET version = $2 WHERE tenant_id = $1', [tenant_id, newestRules])
        const set = { rules, private_team_ids: [], created_by: `user:${user_id}`, note: 'test' }
        newestRules = await insertRuleSet(tx, tenant_id, set)
        return newestRules
      }),
    blocked: (sessions = 1) =>
      until(`${sessions} sessions wait for a lock`, async () => {
        const { rows } = await ownerPool.query(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return rows.length >= sessions
      }),
    rows: async <R extends object>(text: string, values: unknown[] = []) => (await pool.query<R>(text, values)).rows
  }
}

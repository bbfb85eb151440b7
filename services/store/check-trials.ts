/**
 * Trials: definitions that one region checks before anybody saves them. A row exists for as long as
 * somebody waits for its answer.
 *
 * Source: docs/design/api/monitors.md#mo-9, docs/design/api/prober.md#pr-4.
 */
import type { Result } from '../../schemas/http/prober.ts'
import { forget } from './forget.ts'
import type { Pool, Tx } from './pool.ts'
import { seeingAll } from './pool.ts'
import type { AssignedMonitor } from './probers.ts'

/**
 * The definition to check, in the form in which a region is assigned it. Its secrets are sealed for
 * `monitor_id`.
 */
export type TrialDefinition = Omit<AssignedMonitor, 'assignment_version' | 'active' | 'tenant_id'>

export interface Trial {
  check_id: string
  region: string
  definition: TrialDefinition
  /** Epoch ms. */
  expires_at: number
}

/** The answer of a prober to a trial. */
export interface TrialSaid {
  instance_id: string
  result: Result
}

/** Asks for a trial, and deletes trials of the workspace that nobody waits for any more. */
export function insertTrial(tx: Tx, tenant_id: string, { check_id, region, definition, expires_at }: Trial): Promise<void> {
  return seeingAll(tx, async (tx) => {
    await tx.query('DELETE FROM check_trials WHERE tenant_id = $1 AND expires_at < now()', [tenant_id])
    await tx.query('INSERT INTO check_trials (tenant_id, check_id, region, definition, expires_at) VALUES ($1, $2, $3, $4, $5)', [
      tenant_id,
      check_id,
      region,
      JSON.stringify(definition),
      new Date(expires_at)
    ])
  })
}

/** Reads the answer. Null: there is no answer yet. `gone`: the trial has ended. */
export function readTrialAnswer(tx: Tx, tenant_id: string, check_id: string): Promise<TrialSaid | null | 'gone'> {
  return seeingAll(tx, async (tx) => {
    const { rows } = await tx.query<{ answer: TrialSaid | null }>({
      name: 'trial-answer',
      text: 'SELECT answer FROM check_trials WHERE tenant_id = $1 AND check_id = $2',
      values: [tenant_id, check_id]
    })
    const [row] = rows
    return row ? row.answer : 'gone'
  })
}

export async function deleteTrial(tx: Tx, tenant_id: string, check_id: string): Promise<void> {
  await seeingAll(tx, (tx) => tx.query('DELETE FROM check_trials WHERE tenant_id = $1 AND check_id = $2', [tenant_id, check_id]))
}

/**
 * Stores the answer of a prober of the region. Returns false if nobody waits for it, or it was
 * answered before.
 */
export async function answerTrial(pool: Pool, region: string, check_id: string, said: TrialSaid): Promise<boolean> {
  const { rows } = await pool.query<{ answered: boolean }>({
    name: 'answer-trial',
    text: 'SELECT answer_trial($1, $2, $3) AS answered',
    values: [region, check_id, JSON.stringify(said)]
  })
  return rows[0]?.answered ?? false
}

/** Deletes trials that nobody waits for any more. Needs service_system. Returns how many. */
export const forgetTrials = (pool: Pool): Promise<number> => forget(pool, 'check_trials', 'x.expires_at < now()')

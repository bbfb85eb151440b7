/**
 * Daily chores. One statement decides which chore is due, so that two processes never do the same
 * one. For service_system.
 */
import type { Tx } from './pool.ts'

export const choreNames = [
  'reemit-configs',
  'forget-probers',
  'forget-trials',
  'forget-feed',
  'forget-invites',
  'forget-ignored',
  'forget-audit',
  'forget-routing',
  'forget-silences',
  'forget-holds',
  'forget-windows',
  'forget-intents',
  'forget-backtests',
  'forget-deliveries',
  'forget-mails',
  'forget-escalations',
  'forget-dead-jobs',
  'forget-dead-letters',
  'forget-verifications',
  'forget-phones',
  'forget-devices'
] as const
export type Chore = (typeof choreNames)[number]

/**
 * Claims a chore. Returns true once a day, for one caller. On the first day of a new database there
 * is nothing to do.
 */
export async function claimChore(tx: Tx, name: Chore): Promise<boolean> {
  const { rows } = await tx.query<{ due: boolean }>(
    `INSERT INTO chores AS c (name) VALUES ($1)
     ON CONFLICT (name) DO UPDATE SET done_at = now() WHERE c.done_at < now() - interval '1 day'
     RETURNING xmax <> 0 AS due`,
    [name]
  )
  return rows[0]?.due ?? false
}

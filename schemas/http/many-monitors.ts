/**
 * Limits and columns of requests about many monitors, for the api and for the pages that use it.
 */

/** Most monitors that one request may change. */
export const MAX_MONITOR_BULK = 500

/** Most monitors that one request may import. */
export const MAX_IMPORT = 500

/** Fields that a CSV column may hold. */
export const csvColumns = [
  'name',
  'type',
  'target',
  'url',
  'description',
  'interval_seconds',
  'timeout_seconds',
  'degraded_after_ms',
  'regions',
  'tags',
  'labels',
  'severity_down',
  'severity_degraded',
  'open_on_degraded',
  'tls_expiry_days',
  'group',
  'group_id',
  'team_id',
  'escalation_policy_id',
  'config',
  'assertions',
  'confirmation',
  'retry'
] as const
export type CsvColumn = (typeof csvColumns)[number]

/** What is done to many monitors at a time: for the api, and for the pages that ask for it. */

/** Changed by one request. */
export const MAX_MONITOR_BULK = 500

/** Imported by one request. */
export const MAX_IMPORT = 500

/** Fields that a column of a table may be. */
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

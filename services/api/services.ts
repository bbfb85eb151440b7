/** The services that routes receive: created once by main.ts, or by a test. */
import type { Codec } from '../../schemas/codec.ts'
import type { Credentials } from '../credentials/tokens.ts'
import type { Origins } from '../http/origins.ts'
import type { Config } from '../process/config.ts'
import type { Log } from '../process/log.ts'
import type { Metrics } from '../process/metrics.ts'
import type { Pool } from '../store/pool.ts'
import type { Analytics } from './analytics/client.ts'
import type { Patience } from './analytics/patience.ts'
import type { Buckets } from './plugins/buckets.ts'
import type { IngestBudget } from './plugins/ingest-budget.ts'
import type { UseLog } from './workspace/usage.ts'

export interface Services {
  config: Readonly<Config>
  log: Log
  metrics: Metrics
  /** Connects as the role service_tenant. */
  pool: Pool
  credentials: Credentials
  /** Encodes records for the outbox. */
  codec: Codec
  buckets: Buckets
  /** Requests that are alerts are counted here, not in a bucket. */
  ingest: IngestBudget
  uses: UseLog
  /** Answers questions about the past. */
  analytics: Analytics
  /** How long to wait for figures beside an object, if not the default. */
  patience?: Patience
  /** Which pages are ours. */
  origins: Origins
}

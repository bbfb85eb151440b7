/** What the routes are given: made once by main.ts, or by a test. */
import type { Codec } from '../../schemas/codec.ts'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Origins } from '../origins.ts'
import type { Pool } from '../store/pool.ts'
import type { Credentials } from '../tokens.ts'
import type { Analytics } from './analytics-client.ts'
import type { Buckets } from './buckets.ts'
import type { Patience } from './patience.ts'
import type { UseLog } from './usage.ts'

export interface Services {
  config: Readonly<Config>
  log: Log
  metrics: Metrics
  /** Of the role service_tenant. */
  pool: Pool
  credentials: Credentials
  /** Encodes what goes into the outbox. */
  codec: Codec
  buckets: Buckets
  uses: UseLog
  /** Answers about the past. */
  analytics: Analytics
  /** With figures beside an object, where not the usual. */
  patience?: Patience
  /** Which pages are ours. */
  origins: Origins
}

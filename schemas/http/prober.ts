/**
 * The protocol between probers and the service: presence (hello), the region's assignment (config,
 * a long poll), and results.
 *
 * The region comes from the token, never from a body. So does the workspace when the region is a
 * private location. Both sides ignore unknown fields. Secrets in an assignment's `config` are in
 * the places where `mapSecrets` (check-config.ts) finds them. They are `sealed:<base64>`, encrypted
 * to the public key of the prober's last hello (services/credentials/sealing.ts: openSealed).
 * Source: docs/design/api/prober.md#s16.
 */
import { type Static, Type } from 'typebox'
import {
  MAX_CAPTURE_BODY,
  MAX_CAPTURE_HEADER_NAME,
  MAX_CAPTURE_HEADER_VALUE,
  MAX_CAPTURE_HEADERS,
  MAX_CAPTURE_STATUS_TEXT,
  MAX_CERTIFICATE_ALTERNATIVE_NAME,
  MAX_CERTIFICATE_ALTERNATIVE_NAMES,
  MAX_CERTIFICATE_NAME,
  MAX_RESULT_ACTUAL,
  MAX_RESULT_EXCERPT,
  MAX_RESULT_MESSAGE,
  MAX_URL
} from '../limits.ts'
import { failureReasons, Retry, WrittenAssertion } from './check-config.ts'
import { capturedBodies } from './check-outcome.ts'
import { Id, Instant, nullable, oneOf } from './common.ts'
import { WrittenConfig } from './written-config.ts'

export const MAX_RESULTS = 500
/** Most answers of failed checks in one batch. */
export const MAX_CAPTURES = 20
/** Most records, and most characters of a record, from a DNS answer in a result. */
export const MAX_DNS_RECORDS = 50
export const MAX_DNS_RECORD = 512
/** A region without a hello for this long is offline. */
export const REGION_ONLINE_MS = 90_000
/** A prober without a hello for this long gets no share of its region's checks. */
export const PROBER_LIVE_MS = 30_000
/**
 * A prober that is further behind is not live: it has checks that are due and does not run them.
 */
export const PROBER_BEHIND_MS = 30_000
/** A larger value is reported as this one: a day. */
export const MAX_BEHIND_MS = 86_400_000

export const InstanceId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,100}$' })
const Region = Type.String({ pattern: '^[a-z][a-z0-9-]{1,31}$' })
const Kind = Type.String({ pattern: '^[a-z][a-z0-9_]{0,31}$' })

/**
 * POST /api/v1/prober/hello: sent at the start and then every 10 s. A prober that omits
 * `oldest_due_ms` and `event_loop_delay_ms` (older versions) counts as not behind.
 */
export const HelloBody = Type.Object({
  instance_id: InstanceId,
  version: Type.String({ minLength: 1, maxLength: 64 }),
  kinds: Type.Array(Kind, { minItems: 1, maxItems: 32, description: 'Check types that the prober can run.' }),
  public_key: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: 'Raw X25519 public key, 32 bytes in base64.' }),
  capacity: Type.Optional(
    Type.Object({ concurrent: Type.Integer({ minimum: 1, maximum: 100_000 }), per_second: Type.Number({ minimum: 0, maximum: 1e6 }) })
  ),
  ipv6: Type.Optional(Type.Boolean()),
  clock_at: Type.Optional(Instant),
  egress_ips: Type.Optional(Type.Array(Type.String({ maxLength: 45 }), { maxItems: 32 })),
  load: Type.Optional(Type.Number({ description: "Share of the prober's capacity that is in use." })),
  oldest_due_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BEHIND_MS,
      default: 0,
      description: 'How long the oldest check that could have started has been due; 0 when idle. Above 30,000 the prober is not live.'
    })
  ),
  event_loop_delay_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BEHIND_MS,
      default: 0,
      description: "The longest time since the last hello in which the prober's process was blocked. Above 30,000 the prober is not live."
    })
  ),
  leaving: Type.Optional(
    Type.Boolean({ default: false, description: 'The prober is leaving: the other probers of its region take over its share.' })
  )
})
export type HelloBody = Static<typeof HelloBody>

export const HelloAnswer = Type.Object({
  region: Region,
  label: Type.String(),
  country: nullable(Type.String({ description: 'ISO 3166-1 code; null when the region is a private location.' })),
  server_time: Instant,
  skew_ms: Type.Integer({ description: 'clock_at of the prober minus server_time, including transit time; 0 without clock_at.' }),
  live: Type.Array(Type.Object({ instance_id: InstanceId, kinds: Type.Array(Kind) }), {
    description: 'Probers of the region with a hello in the last 30 s, except those that are leaving or more than 30 s behind.'
  }),
  assignment_version: Type.Integer({
    description: 'The newest version of the assignment. When it differs from the version that the prober holds, call GET config.'
  }),
  config: Type.Object({
    result_batch: Type.Integer(),
    result_flush_ms: Type.Integer(),
    min_version: Type.String(),
    block_cidrs: Type.Array(Type.String(), { description: 'Networks that the prober must refuse in addition to the built-in list.' })
  }),
  drain: Type.Boolean({ description: 'When true, the prober must finish running checks and start no new ones.' })
})
export type HelloAnswer = Static<typeof HelloAnswer>

/**
 * GET /api/v1/prober/config. Without `since` the answer is the whole assignment. `instance_id` must
 * be the one of the preceding hello, because the secrets are sealed with that hello's key.
 */
export const ConfigQuery = Type.Object(
  {
    instance_id: InstanceId,
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'Version of the assignment that the prober holds.' })),
    wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 30, default: 30 }))
  },
  { additionalProperties: true }
)
export type ConfigQuery = Static<typeof ConfigQuery>

export const Assignment = Type.Object({
  monitor_id: Id,
  tenant_ref: Id,
  config_version: Type.Integer(),
  type: Kind,
  target: Type.String(),
  config: WrittenConfig,
  assertions: Type.Array(WrittenAssertion),
  retry: Retry,
  interval_seconds: Type.Integer(),
  down_interval_seconds: Type.Optional(
    Type.Integer({
      description:
        'Interval from a failed check until recovery_rounds successful checks in a row; absent when interval_seconds always applies.'
    })
  ),
  recovery_rounds: Type.Optional(
    Type.Integer({ description: 'Successful checks in a row that end down_interval_seconds; absent when interval_seconds always applies.' })
  ),
  timeout_seconds: Type.Integer(),
  degraded_after_ms: nullable(Type.Integer()),
  expiry_days: Type.Optional(
    Type.Integer({
      description: 'Days left at which a check of a certificate (type tls) fails: the smallest threshold; absent when there is none.'
    })
  )
})
export type Assignment = Static<typeof Assignment>

export const OnDemandCheck = Type.Object({
  check_id: Id,
  monitor_id: Id,
  scheduled_at: Instant,
  count: Type.Boolean({ description: 'False when the result is stored but not judged.' }),
  expires_at: Instant,
  definition: Type.Optional(
    Type.Unsafe<Assignment>({
      ...Assignment,
      description: 'A trial: the prober checks this definition instead, once, and sends the result to POST trials and nowhere else.'
    })
  )
})
export type OnDemandCheck = Static<typeof OnDemandCheck>

/** 200 as soon as something newer than `since` exists; otherwise 204 without a body. */
export const ConfigAnswer = Type.Object({
  version: Type.Integer({ description: 'Version of the assignment, to keep and to send as `since`.' }),
  full: Type.Boolean({ description: 'When true, this replaces everything that the prober holds, and `removed` is empty.' }),
  monitors: Type.Array(Assignment),
  removed: Type.Array(Id, {
    description: 'Monitors that this region does not, or no longer, check; may include some that the prober never held.'
  }),
  once: Type.Array(OnDemandCheck, {
    description:
      'Checks to run now, by the prober whose share includes the monitor. An item may come again until expires_at; check_id identifies it.'
  })
})
export type ConfigAnswer = Static<typeof ConfigAnswer>

const outcomes = ['success', 'degraded', 'failure', 'prober_error', 'missed_window', 'rate_limited'] as const
const Milliseconds = Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 3_600_000 })))

/**
 * Time of each phase. A phase that was not reached is null or absent. `ttfb` is the time from the
 * end of the request to the first byte.
 */
export const Timings = Type.Object({
  dns: Milliseconds,
  connect: Milliseconds,
  tls: Milliseconds,
  request: Milliseconds,
  ttfb: Milliseconds,
  download: Milliseconds,
  total: Milliseconds
})

const Message = Type.Optional(nullable(Type.String({ maxLength: MAX_RESULT_MESSAGE })))
const Reason = Type.Optional(nullable(oneOf(failureReasons)))

export const Attempt = Type.Object({
  started_at: Instant,
  finished_at: Instant,
  outcome: oneOf(outcomes),
  reason: Reason,
  message: Message,
  timings_ms: Type.Optional(Timings)
})

export const Result = Type.Object({
  check_id: Id,
  monitor_id: Id,
  tenant_ref: Id,
  config_version: Type.Integer({ minimum: 0 }),
  seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'scheduled_at in epoch milliseconds.' }),
  on_demand: Type.Optional(Type.Boolean({ default: false, description: 'True when the check was run for an item of `once`.' })),
  count: Type.Optional(Type.Boolean({ default: true })),
  scheduled_at: Instant,
  started_at: Instant,
  finished_at: Instant,
  outcome: oneOf(outcomes),
  reason: Reason,
  message: Message,
  attempts: Type.Array(Attempt, { maxItems: 6, description: 'Every attempt, including the last one; empty when none was started.' }),
  timings_ms: Timings,
  http: Type.Optional(
    Type.Unsafe<{
      status: number | null
      version?: string | null
      bytes?: number | null
      redirects?: string[]
      remote_ip?: string | null
      headers_excerpt?: Record<string, string>
    } | null>({
      type: ['object', 'null'],
      required: ['status'],
      properties: {
        status: { type: ['integer', 'null'], minimum: 100, maximum: 999 },
        version: { type: ['string', 'null'], maxLength: 16 },
        bytes: { type: ['integer', 'null'], minimum: 0 },
        redirects: { type: 'array', maxItems: 11, items: { type: 'string', maxLength: MAX_URL } },
        remote_ip: { type: ['string', 'null'], maxLength: 45 },
        headers_excerpt: { type: 'object', maxProperties: 50, additionalProperties: { type: 'string', maxLength: 1024 } }
      }
    })
  ),
  tls: Type.Optional(
    Type.Unsafe<{
      version?: string | null
      cipher?: string | null
      issuer: string | null
      subject?: string | null
      sans?: string[]
      not_before?: string | null
      not_after: string | null
      chain_ok: boolean | null
    } | null>({
      type: ['object', 'null'],
      required: ['issuer', 'not_after', 'chain_ok'],
      properties: {
        version: { type: ['string', 'null'], maxLength: 16 },
        cipher: { type: ['string', 'null'], maxLength: 64 },
        issuer: { type: ['string', 'null'], maxLength: MAX_CERTIFICATE_NAME },
        subject: { type: ['string', 'null'], maxLength: MAX_CERTIFICATE_NAME },
        sans: {
          type: 'array',
          maxItems: MAX_CERTIFICATE_ALTERNATIVE_NAMES,
          items: { type: 'string', maxLength: MAX_CERTIFICATE_ALTERNATIVE_NAME }
        },
        not_before: { type: ['string', 'null'], format: 'date-time' },
        not_after: { type: ['string', 'null'], format: 'date-time' },
        chain_ok: { type: ['boolean', 'null'] }
      }
    })
  ),
  dns: Type.Optional(
    Type.Unsafe<{ records: string[]; rcode: string; ttl: number | null } | null>({
      type: ['object', 'null'],
      required: ['records', 'rcode', 'ttl'],
      properties: {
        records: { type: 'array', maxItems: MAX_DNS_RECORDS, items: { type: 'string', maxLength: MAX_DNS_RECORD } },
        rcode: { type: 'string', maxLength: 16 },
        ttl: { type: ['integer', 'null'], minimum: 0 }
      }
    })
  ),
  domain: Type.Optional(
    Type.Unsafe<{ expires_at: string } | null>({
      type: ['object', 'null'],
      required: ['expires_at'],
      properties: { expires_at: { type: 'string', format: 'date-time' } }
    })
  ),
  assertions: Type.Optional(
    Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, maximum: 19 }),
        ok: Type.Boolean(),
        actual: Type.Optional(nullable(Type.String({ maxLength: MAX_RESULT_ACTUAL }))),
        message: Message
      }),
      { maxItems: 20 }
    )
  ),
  body_excerpt: Type.Optional(nullable(Type.String({ maxLength: MAX_RESULT_EXCERPT }))),
  prober_version: Type.Optional(nullable(Type.String({ maxLength: 64 })))
})
export type Result = Static<typeof Result>

/**
 * The target's answer to a failed check of a monitor with `capture_on_failure`. The prober has
 * redacted and cut it.
 */
export const Capture = Type.Object({
  check_id: Id,
  monitor_id: Id,
  tenant_ref: Id,
  config_version: Type.Integer({ minimum: 0 }),
  captured_at: Instant,
  reason: Reason,
  http_version: Type.Optional(nullable(Type.String({ maxLength: 16 }))),
  status: Type.Integer({ minimum: 100, maximum: 999 }),
  status_text: Type.Optional(nullable(Type.String({ maxLength: MAX_CAPTURE_STATUS_TEXT }))),
  headers: Type.Array(
    Type.Object({
      name: Type.String({ maxLength: MAX_CAPTURE_HEADER_NAME }),
      value: Type.String({ maxLength: MAX_CAPTURE_HEADER_VALUE })
    }),
    { maxItems: MAX_CAPTURE_HEADERS }
  ),
  headers_left_out: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 0 })),
  body_kind: oneOf(capturedBodies),
  body: Type.Optional(nullable(Type.String({ maxLength: MAX_CAPTURE_BODY, description: 'Body of the answer; null unless it is text.' }))),
  body_bytes: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Bytes of the body that were received, counted after decompression.'
  }),
  body_cut: Type.Boolean({ description: 'True when the body is longer than what is kept, or was not received to its end.' })
})
export type Capture = Static<typeof Capture>

/**
 * POST /api/v1/prober/results. The whole batch is refused (422) when one result or capture has a
 * wrong shape. Captures are sent in batches of their own, so that results neither wait for them nor
 * are refused with them. `results` may be empty only in a batch with captures (results-check.ts).
 */
export const ResultsBody = Type.Object({
  instance_id: InstanceId,
  results: Type.Array(Result, { maxItems: MAX_RESULTS }),
  captures: Type.Optional(Type.Array(Capture, { minItems: 1, maxItems: MAX_CAPTURES }))
})
export type ResultsBody = Static<typeof ResultsBody>

/** POST /api/v1/prober/trials: the outcome of a trial. */
export const TrialBody = Type.Object({ instance_id: InstanceId, result: Result })
export type TrialBody = Static<typeof TrialBody>

export const TrialAnswered = Type.Object({ accepted: Type.Boolean({ description: 'False when nobody waits for the result any more.' }) })
export type TrialAnswered = Static<typeof TrialAnswered>

/** 202 as soon as the batch is durable. */
export const ResultsAnswer = Type.Object({ accepted: Type.Integer() })
export type ResultsAnswer = Static<typeof ResultsAnswer>

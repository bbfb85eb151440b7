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
  kinds: Type.Array(Kind, { minItems: 1, maxItems: 32, description: 'Types of check it can do.' }),
  public_key: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$', description: 'Raw X25519 public key, 32 bytes in base64.' }),
  capacity: Type.Optional(
    Type.Object({ concurrent: Type.Integer({ minimum: 1, maximum: 100_000 }), per_second: Type.Number({ minimum: 0, maximum: 1e6 }) })
  ),
  ipv6: Type.Optional(Type.Boolean()),
  clock_at: Type.Optional(Instant),
  egress_ips: Type.Optional(Type.Array(Type.String({ maxLength: 45 }), { maxItems: 32 })),
  load: Type.Optional(Type.Number({ description: 'Share of its capacity in use.' })),
  oldest_due_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BEHIND_MS,
      default: 0,
      description: 'Since when the oldest check is due that could have begun; 0 when idle. Above 30,000 it is not live.'
    })
  ),
  event_loop_delay_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_BEHIND_MS,
      default: 0,
      description: 'The longest time since the last hello for which its process did nothing else. Above 30,000 it is not live.'
    })
  ),
  leaving: Type.Optional(Type.Boolean({ default: false, description: 'Goes away: its siblings take its share.' }))
})
export type HelloBody = Static<typeof HelloBody>

export const HelloAnswer = Type.Object({
  region: Region,
  label: Type.String(),
  country: nullable(Type.String({ description: 'ISO 3166-1; null of a private location.' })),
  server_time: Instant,
  skew_ms: Type.Integer({ description: 'clock_at of the prober minus server_time, transit included; 0 without clock_at.' }),
  live: Type.Array(Type.Object({ instance_id: InstanceId, kinds: Type.Array(Kind) }), {
    description: 'Probers of the region with a hello in the last 30 s, without those that are leaving or more than 30 s behind.'
  }),
  assignment_version: Type.Integer({ description: 'The newest there is; differs from the one held: GET config.' }),
  config: Type.Object({
    result_batch: Type.Integer(),
    result_flush_ms: Type.Integer(),
    min_version: Type.String(),
    block_cidrs: Type.Array(Type.String(), { description: 'Refused beside the built-in list.' })
  }),
  drain: Type.Boolean({ description: 'It is to finish what runs and to begin nothing.' })
})
export type HelloAnswer = Static<typeof HelloAnswer>

/**
 * GET /api/v1/prober/config. Without `since` the answer is the whole assignment. `instance_id` must
 * be the one of the preceding hello, because the secrets are sealed with that hello's key.
 */
export const ConfigQuery = Type.Object(
  {
    instance_id: InstanceId,
    since: Type.Optional(Type.Integer({ minimum: 0, description: 'Version held.' })),
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
    Type.Integer({ description: 'From a failed check until recovery_rounds good ones in a row; absent: no other rhythm.' })
  ),
  recovery_rounds: Type.Optional(Type.Integer({ description: 'Absent where there is no other rhythm.' })),
  timeout_seconds: Type.Integer(),
  degraded_after_ms: nullable(Type.Integer()),
  expiry_days: Type.Optional(
    Type.Integer({ description: 'Days left at which a certificate or a domain fails: the smallest threshold; absent without one.' })
  )
})
export type Assignment = Static<typeof Assignment>

export const OnDemandCheck = Type.Object({
  check_id: Id,
  monitor_id: Id,
  scheduled_at: Instant,
  count: Type.Boolean({ description: 'False: stored, not judged.' }),
  expires_at: Instant,
  definition: Type.Optional(
    Type.Unsafe<Assignment>({
      ...Assignment,
      description: 'A trial: this is checked instead, once, and the result goes to POST trials and nowhere else.'
    })
  )
})
export type OnDemandCheck = Static<typeof OnDemandCheck>

/** 200 as soon as something newer than `since` exists; otherwise 204 without a body. */
export const ConfigAnswer = Type.Object({
  version: Type.Integer({ description: 'To hold, and to send as `since`.' }),
  full: Type.Boolean({ description: 'Replaces everything held; `removed` is empty then.' }),
  monitors: Type.Array(Assignment),
  removed: Type.Array(Id, { description: 'Not, or no longer, of this region; among them may be ones that were never held.' }),
  once: Type.Array(OnDemandCheck, {
    description: 'Checks to do now, by the sibling whose share the monitor is. May come again until expires_at: check_id tells.'
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
  seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'scheduled_at in epoch ms.' }),
  on_demand: Type.Optional(Type.Boolean({ default: false, description: 'Done for an item of `once`.' })),
  count: Type.Optional(Type.Boolean({ default: true })),
  scheduled_at: Instant,
  started_at: Instant,
  finished_at: Instant,
  outcome: oneOf(outcomes),
  reason: Reason,
  message: Message,
  attempts: Type.Array(Attempt, { maxItems: 6, description: 'Every attempt, the last one included; empty where none was started.' }),
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
  body: Type.Optional(nullable(Type.String({ maxLength: MAX_CAPTURE_BODY, description: 'Null unless it is text.' }))),
  body_bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'That came, as they unpack.' }),
  body_cut: Type.Boolean({ description: 'There was more than is kept, or it did not come to its end.' })
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

export const TrialAnswered = Type.Object({ accepted: Type.Boolean({ description: 'False: nobody waits for it any more.' }) })
export type TrialAnswered = Static<typeof TrialAnswered>

/** 202 as soon as the batch is durable. */
export const ResultsAnswer = Type.Object({ accepted: Type.Integer() })
export type ResultsAnswer = Static<typeof ResultsAnswer>

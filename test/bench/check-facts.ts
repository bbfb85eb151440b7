/**
 * Makes the check results that benchmarks use: 100 workspaces of 50 monitors, three regions, one
 * check in fifty failing. The n-th result is always the same except for its time.
 */
import type { Records } from '../../schemas/generated/events.ts'
import { record } from '../harness/records.ts'

const hex = (value: number): string => value.toString(16).padStart(12, '0')

export function checkFact(n: number, at: number): Records['CheckResult'] {
  const monitor = n % 5000
  const failed = n % 50 === 7
  return record('CheckResult', {
    event_id: `0192f0c1-5e5a-7b1c-9d55-${hex(n)}`,
    tenant_id: `0192f0c1-5e5a-7b1c-8d55-${hex(monitor % 100)}`,
    monitor_id: `0192f0c1-5e5a-7b1c-ad55-${hex(monitor)}`,
    region: ['eu-central', 'us-east', 'ap-south'][n % 3] ?? '',
    seq: at + (n % 1000),
    scheduled_at: at,
    checked_at: at + (n % 90),
    finished_at: at + 200,
    received_at: at,
    prober: `prober-${n % 6}`,
    prober_version: '1.0.0',
    outcome: failed ? 'failure' : 'success',
    ok: !failed,
    reason: failed ? 'timeout' : null,
    message: failed ? 'no answer within 10 s' : null,
    status_code: failed ? null : 200,
    timings_ms: {
      dns: 1 + (n % 7),
      connect: 10.5 + (n % 13),
      tls: 22.25,
      request: 0.5,
      first_byte: 40 + ((n * 7919) % 400),
      download: 3.5,
      total: 80 + ((n * 7919) % 450)
    },
    response_bytes: 1000 + (n % 5000),
    certificate_not_after: at + 60 * 86_400_000,
    certificate_issuer: "Let's Encrypt R11",
    certificate_chain_ok: true,
    config_version: 3
  })
}

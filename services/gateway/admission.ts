/**
 * Limits how many may come, with token buckets: upgrades a second at this instance, connects a
 * minute of a workspace, and refused credentials from an address.
 *
 * A refused request takes nothing from anybody else's share. An address with too many refused
 * credentials gets only that answer for bad ones; its good credentials are still let in.
 * Source: docs/design/api.md#s21, docs/design/streaming.md#s5-1.
 */
import { rates } from '../../schemas/plans.ts'
import { type Failure, unavailable } from '../http/answer.ts'
import { senderOf } from '../http/networks.ts'
import { Bucket, KeyedBuckets, rateHeaders } from '../http/rate-buckets.ts'
import type { Holder } from './identify.ts'

export interface Admission {
  /** Counts a connect with a good credential. Returns null when it is admitted. */
  connect(holder: Holder): Failure | null
  /** True when the address is over its limit of refused credentials. */
  isSlowed(address: string): boolean
  /** Counts the refusal if it is about the credential. Returns the refusal to answer with. */
  refused(address: string, failure: Failure): Failure
  tooManyRefused(address: string): Failure
}

function limited(name: keyof typeof rates, limit: number, bucket: Bucket, error: string): Failure {
  const reset_seconds = bucket.waitSeconds()
  const headers = Object.entries(rateHeaders({ name, limit, remaining: 0, reset_seconds }))
  return { status: 429, code: 'RATE_LIMITED', error, headers: [['Retry-After', String(reset_seconds)], ...headers] }
}

export function createAdmission(upgradesPerSecond: number): Admission {
  const upgrades = new Bucket(upgradesPerSecond, Math.max(upgradesPerSecond, 1), performance.now())
  const connects = new KeyedBuckets()
  const strangers = new KeyedBuckets()

  function strangersOf(address: string): Bucket {
    const { limit, burst, window_seconds } = rates.public
    return strangers.of(senderOf(address), limit.free / window_seconds, burst, performance.now())
  }

  const tooManyRefused = (bucket: Bucket): Failure =>
    limited('public', rates.public.limit.free, bucket, 'Too many refused credentials from this address')

  return {
    connect({ tenant_id, plan }) {
      const now = performance.now()
      const { limit, burst, window_seconds } = rates.realtime
      const bucket = connects.of(tenant_id, limit[plan] / window_seconds, burst, now)
      // The workspace is asked first: one over its limit must not use up the others' upgrades.
      if (!bucket.take(now)) return limited('realtime', limit[plan], bucket, `At most ${limit[plan]} connects a minute for the workspace`)
      if (upgrades.take(now)) return null
      bucket.giveBack()
      return unavailable('Too many connects at once', 1)
    },
    isSlowed: (address) => strangersOf(address).isEmpty(performance.now()),
    refused(address, failure) {
      if (failure.status !== 401 && failure.status !== 403) return failure
      const bucket = strangersOf(address)
      return bucket.take(performance.now()) ? failure : tooManyRefused(bucket)
    },
    tooManyRefused: (address) => tooManyRefused(strangersOf(address))
  }
}

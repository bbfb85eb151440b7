/**
 * Rate groups: which bucket a request takes from, the four headers on every limited answer, and the refusal. Source: specification.md 8,
 * api-design.md 21.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../schemas/http/endpoints.ts'
import type { Buckets, Verdict } from '../buckets.ts'
import { ApiError } from '../errors.ts'

const headersOf = (verdict: Verdict) => ({
  'x-ratelimit-limit': String(verdict.limit),
  'x-ratelimit-remaining': String(verdict.remaining),
  'x-ratelimit-reset': String(verdict.reset_seconds),
  'x-ratelimit-name': verdict.name
})

/** Sets the headers; throws RATE_LIMITED with Retry-After when the bucket is empty. */
export function admit(reply: FastifyReply, verdict: Verdict): void {
  reply.headers(headersOf(verdict))
  if (verdict.admitted) return
  const { name, limit, remaining, window_seconds, reset_seconds: retry_after } = verdict
  throw new ApiError('RATE_LIMITED', `Too many requests; try again in ${retry_after} s`, {
    headers: { 'retry-after': String(retry_after) },
    body: { name, limit, remaining, retry_after, window_seconds }
  })
}

/** Takes from the bucket of the request's group: of the address, the credential or the workspace, whichever the group counts by. */
export function takeFor(buckets: Buckets, endpoint: Endpoint, request: FastifyRequest): Verdict | null {
  const { caller } = request
  switch (endpoint.rate) {
    case null:
      return null
    case 'auth':
    case 'public':
      return buckets.take(endpoint.rate, `address ${request.ip}`, 'free')
    case 'prober':
      return buckets.take('prober', request.prober?.token_id ?? `address ${request.ip}`, 'free')
    case 'api_read':
      if (!caller) return buckets.take('public', `address ${request.ip}`, 'free')
      return buckets.take('api_read', caller.kind === 'token' ? caller.token_id : caller.session_sha256, caller.plan)
    default:
      if (!caller) return buckets.take('public', `address ${request.ip}`, 'free')
      return buckets.take(endpoint.rate, caller.tenant_id, caller.plan)
  }
}

/**
 * Rate groups: which bucket a request takes from, the four headers on every limited answer, and the
 * refusal.
 * Source: docs/design/specification.md#s8, docs/design/api.md#s21.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../schemas/http/endpoints.ts'
import { senderOf } from '../../http/networks.ts'
import { rateHeaders } from '../../http/rate-buckets.ts'
import type { Caller } from '../http/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { Services } from '../services.ts'
import type { Verdict } from './buckets.ts'

/** Sets the headers; throws RATE_LIMITED with Retry-After when the bucket is empty. */
export function admit(reply: FastifyReply, verdict: Verdict): void {
  reply.headers(rateHeaders(verdict))
  if (verdict.admitted) return
  const { name, limit, remaining, window_seconds, reset_seconds: retry_after } = verdict
  throw new ApiError('RATE_LIMITED', `Too many requests. Retry in ${retry_after} s`, {
    headers: { 'retry-after': String(retry_after) },
    body: { name, limit, remaining, retry_after, window_seconds }
  })
}

/** The token or session of a caller: what reads and refusals count by. */
export const credentialOf = (caller: Caller): string => (caller.kind === 'token' ? caller.token_id : caller.session_sha256)

/**
 * Takes from the bucket of the request's group: of the address, the credential or the workspace,
 * whichever the group counts by; of what is an alert, from the inbound budget. For who may do what
 * they ask for. Guesses at passwords are counted by their routes (guesses.ts): only they know the
 * account.
 */
export async function takeFor(
  { buckets, ingest }: Pick<Services, 'buckets' | 'ingest'>,
  endpoint: Endpoint,
  request: FastifyRequest
): Promise<Verdict | null> {
  const { caller } = request
  const byAddress = (name: 'public' | 'prober'): Verdict => buckets.take(name, `address ${senderOf(request.ip)}`, 'free')
  switch (endpoint.rate) {
    case null:
    case 'auth':
      return null
    case 'public':
      return byAddress('public')
    case 'prober':
      return request.prober ? buckets.take('prober', request.prober.token_id, 'free') : byAddress('prober')
    case 'ingest_tenant':
      return caller ? ingest.take(caller) : byAddress('public')
    case 'api_read':
      return caller ? buckets.take('api_read', credentialOf(caller), caller.plan) : byAddress('public')
    default:
      return caller ? buckets.take(endpoint.rate, caller.tenant_id, caller.plan) : byAddress('public')
  }
}

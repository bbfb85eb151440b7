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

/** Sets the headers. Throws RATE_LIMITED with Retry-After when the bucket is empty. */
export function admit(reply: FastifyReply, verdict: Verdict): void {
  reply.headers(rateHeaders(verdict))
  if (verdict.admitted) return
  const { name, limit, remaining, window_seconds, reset_seconds: retry_after } = verdict
  throw new ApiError('RATE_LIMITED', `Too many requests. Retry in ${retry_after} s`, {
    headers: { 'retry-after': String(retry_after) },
    body: { name, limit, remaining, retry_after, window_seconds }
  })
}

/** Returns the id of a caller's token or session: reads and refusals are counted by it. */
export const credentialOf = (caller: Caller): string => (caller.kind === 'token' ? caller.token_id : caller.session_sha256)

/** Returns what the path names as the monitor. The route has not judged it yet. */
const monitorIn = ({ params }: FastifyRequest): string => String((params as { id?: unknown }).id).toLowerCase()

/**
 * Takes from the bucket of the request's group: that of the address, the credential or the
 * workspace, whichever the group counts by. A pushed state is counted by its monitor, too. A
 * request that is an alert takes from the inbound budget. Call it only for callers who may do what
 * they ask for. Password guesses are counted by their routes (guesses.ts), because only they know
 * the account.
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
    case 'own':
      return caller ? buckets.take(endpoint.rate, credentialOf(caller), caller.plan) : byAddress('public')
    case 'push': {
      if (!caller) return byAddress('public')
      const { tenant_id, plan } = caller
      // Only a push that the workspace has left may make a bucket of a monitor: the path names any.
      const ofAll = buckets.take('push', tenant_id, plan, 0)
      if (!ofAll.admitted) return ofAll
      // A program that pushes one monitor too often must not hold up the others.
      const ofMonitor = buckets.take('push_monitor', `${tenant_id} ${monitorIn(request)}`, plan)
      return ofMonitor.admitted ? buckets.take('push', tenant_id, plan) : ofMonitor
    }
    default:
      return caller ? buckets.take(endpoint.rate, caller.tenant_id, caller.plan) : byAddress('public')
  }
}

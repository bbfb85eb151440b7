/**
 * Decides whether a request may reach its route, before a byte of the body is read: who calls,
 * whether they may use the route, and whether their budget has room, in this order. So a request
 * takes from its workspace's budget only if it may do what it asks for. A 403 counts for its
 * credential alone. A 401 counts for its address; an address over that limit is still refused only
 * for bad credentials (services/http/strangers.ts).
 * Source: docs/design/specification.md#s8, docs/design/api.md#s1-4 and #s21.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../schemas/http/endpoints.ts'
import { sha256 } from '../../credentials/credentials.ts'
import { senderOf } from '../../http/networks.ts'
import { createStrangers, TooManyStrangers } from '../../http/strangers.ts'
import { isDeadCredential } from '../../store/lookups.ts'
import { ApiError, statusOf } from '../http/errors.ts'
import type { Services } from '../services.ts'
import {
  authenticate,
  authenticateProber,
  authorize,
  type CallerLookups,
  checkCookieWrite,
  checkNetwork,
  isWrite
} from './authentication.ts'
import { admit, credentialOf, takeFor } from './rates.ts'

const isBadCredential = (error: unknown): boolean =>
  error instanceof TooManyStrangers || (error instanceof ApiError && statusOf[error.code] === 401)

/** The key in the group `public` under which bad credentials of a request's address are counted. */
export const strangerOf = (request: FastifyRequest): string => `stranger ${senderOf(request.ip)}`

export type Admission = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Sets `caller` or `prober` of the request. Rejects with the refusal. */
export function createAdmission({ pool, credentials, buckets, ingest, uses, origins }: Services): Admission {
  const strangers = createStrangers()

  /**
   * Look-ups for one request. If its address has shown too many bad credentials, new ones wait
   * their turn.
   */
  function lookupsFor(stranger: string): CallerLookups {
    const isSlowed = !buckets.take('public', stranger, 'free', 0).admitted
    return {
      credentials: strangers.credentials(credentials, isSlowed),
      // Whether a credential is unknown or dead is told only to senders who are not slowed.
      isDead: async (credential) => !isSlowed && isDeadCredential(pool, sha256(credential))
    }
  }

  async function identify(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const stranger = strangerOf(request)
    const lookups = lookupsFor(stranger)
    try {
      if (endpoint.auth === 'prober') request.prober = await authenticateProber(request, lookups.credentials)
      else request.caller = await authenticate(endpoint, request, lookups)
    } catch (error) {
      if (isBadCredential(error)) admit(reply, buckets.take('public', stranger, 'free'))
      throw error
    }
  }

  return async (endpoint, request, reply) => {
    if (endpoint.auth !== 'public') await identify(endpoint, request, reply)
    const { caller } = request
    if (caller) {
      try {
        checkNetwork(caller, request.ip)
        uses.note(caller, request.ip, Date.now())
        authorize(endpoint, caller)
        if (caller.kind === 'session' && isWrite(request)) checkCookieWrite(request, origins)
      } catch (error) {
        if (error instanceof ApiError) admit(reply, buckets.take('refused', credentialOf(caller), 'free'))
        throw error
      }
    }
    const verdict = await takeFor({ buckets, ingest }, endpoint, request)
    if (verdict) admit(reply, verdict)
  }
}

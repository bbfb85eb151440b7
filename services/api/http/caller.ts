/**
 * The caller of a request: the person or token, the workspace it acts on, and what it may do there.
 */
import type { FastifyRequest } from 'fastify'
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import type { Rights } from '../../../schemas/http/rights.ts'
import type { Viewer } from '../../../schemas/http/visibility.ts'
import type { PlanId } from '../../../schemas/plans.ts'
import type { ProberCredential } from '../../credentials/tokens.ts'
import type { Actor } from '../../store/audit.ts'

interface Who extends Viewer {
  /** The person, or the owner of the token. */
  user_id: string
  role: MemberRole
  plan: PlanId
  rights: Rights
  /** Epoch ms; null: never. */
  expires_at: number | null
  actor: Actor
}

interface ByToken {
  kind: 'token'
  token_id: string
  token_name: string
  token_scopes: readonly string[]
  /** Networks from which the token may be used; none: any. */
  networks: readonly string[]
}

export type Caller = Who & ({ kind: 'session'; session_sha256: string } | ByToken)

declare module 'fastify' {
  interface FastifyRequest {
    /** Null on public routes. */
    caller: Caller | null
    /** Set on the routes of probers. */
    prober: ProberCredential | null
  }
}

/** Returns the caller. Only for routes that need one. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('This route has no caller: its row among the endpoints says public')
  return request.caller
}

/** Returns the prober. Only for routes of probers. */
export function proberOf(request: FastifyRequest): ProberCredential {
  if (!request.prober) throw new Error('This route has no prober: its row among the endpoints says otherwise')
  return request.prober
}

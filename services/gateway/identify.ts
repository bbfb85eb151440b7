/**
 * Identifies who opens a socket: by a workspace API token in the query, or by the session cookie
 * from a page of this service. Anything else is refused over HTTP, before the upgrade.
 *
 * In    what the handshake presents (copied, because the request is gone when the answer comes) and
 *       the cached credentials of services/credentials/tokens.ts
 * Out   who listens, or a refusal with its status and code
 *
 * A token has the form `service_<64 hex>`. An OAuth or JWT access token has another form and gets
 * 401 (docs/design/specification.md#s5-3). A browser sends the cookie with every handshake, even
 * for a page of another site. So with the cookie the Origin must be ours, or the answer is 403
 * ORIGIN_REJECTED. A socket that could hear nothing (rights.ts) gets 403 FORBIDDEN. Credentials
 * never reach a log, an answer or an error.
 */
import { channelsOf, rightsOf, roleOf, seesAllTeams } from '../../schemas/http/rights.ts'
import { type PlanId, planOf } from '../../schemas/plans.ts'
import { isToken } from '../credentials/token-forms.ts'
import type { ApiTokenCredential, Check, Credentials, SessionCredential } from '../credentials/tokens.ts'
import { Unavailable } from '../credentials/tokens.ts'
import { type Failure, unavailable } from '../http/answer.ts'
import { isAllowed } from '../http/networks.ts'
import type { Origins } from '../http/origins.ts'
import type { Listener } from './channels.ts'

export interface Handshake {
  query: URLSearchParams
  cookie: string
  origin: string
  host: string
  /** Address of the client. Behind a proxy of ours, it is the address that the proxy names. */
  address: string
  requestId: string
}

/** Who a socket belongs to, and the hash that identifies its credential when it changes. */
export interface Holder extends Listener {
  plan: PlanId
  /** SHA-256 of the credential, hex. */
  sha256: string
  /** Epoch ms; null for never. */
  expires_at: number | null
}

/**
 * `Ask` judges the credential: at once when the cache knows it, otherwise by asking Postgres. When
 * Postgres is down, the verdict is a Failure.
 */
export type Verdict = Holder | Failure
export type Ask = () => Verdict | Promise<Verdict>

export const isRefusal = (verdict: Verdict): verdict is Failure => 'status' in verdict

const unauthenticated = (error: string): Failure => ({
  status: 401,
  code: 'UNAUTHENTICATED',
  error,
  headers: [['WWW-Authenticate', 'Bearer']]
})

const forbidden = (code: string, error: string): Failure => ({ status: 403, code, error })

const COOKIE = /(?:^|;\s*)service_session=([A-Za-z0-9_-]{43})(?:;|$)/

function holderOf(found: ApiTokenCredential | SessionCredential): Holder {
  const { tenant_id, user_id, plan, sha256, expires_at } = found
  const role = roleOf(found.role)
  return {
    tenant_id,
    user_id,
    rights: rightsOf(role, 'scopes' in found ? found.scopes : null),
    seesAllTeams: seesAllTeams(role),
    own_teams: found.own_teams,
    open_teams: found.open_teams,
    plan: planOf(plan).id,
    sha256,
    expires_at
  }
}

function judge(found: ApiTokenCredential | SessionCredential | null, address: string): Verdict {
  if (!found) return unauthenticated('The credential is not known, or no longer good')
  const holder = holderOf(found)
  if (channelsOf(holder.rights).length === 0) return forbidden('FORBIDDEN', 'Needs the scope read or billing, and a role that has it')
  if ('scopes' in found && !isAllowed(address, found.allowed_cidrs))
    return forbidden('IP_NOT_ALLOWED', 'The token may not be used from this address')
  return holder
}

const cannotAsk = (error: unknown): Failure => {
  if (error instanceof Unavailable) return unavailable('Credentials cannot be checked just now', 2)
  throw error
}

/**
 * Returns a refusal when the handshake has the wrong form. Otherwise returns the function that
 * judges its credential, now and again later.
 */
export function identify(handshake: Handshake, credentials: Pick<Credentials, 'apiToken' | 'session'>, origins: Origins): Failure | Ask {
  const { query, cookie, origin, host, address } = handshake
  const ask = (check: () => Check<ApiTokenCredential | SessionCredential>): Ask => {
    return () => {
      const found = check()
      return found instanceof Promise ? found.then((late) => judge(late, address), cannotAsk) : judge(found, address)
    }
  }
  const token = query.get('token')
  if (token !== null) {
    if (!isToken('service', token))
      return unauthenticated('The token must be a workspace API token; access tokens of other kinds are not accepted')
    return ask(() => credentials.apiToken(token))
  }
  const session = COOKIE.exec(cookie)?.[1]
  if (session === undefined) return unauthenticated('A workspace API token (query parameter token) or the session cookie is needed')
  if (origins.pageOf({ origin, host }) !== 'ours')
    return forbidden('ORIGIN_REJECTED', 'With the session cookie the Origin must be a page of this service')
  return ask(() => credentials.session(session))
}

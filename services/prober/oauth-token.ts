/**
 * Gets a token by OAuth 2.0 client credentials (RFC 6749, section 4.4) and keeps it for as long as
 * its server says. The address of the token server passes the guard like any target, and its
 * redirects are not followed. The time for a token does not count as the target's time.
 */
import type { SecureContext } from 'node:tls'
import type { Auth } from '../../schemas/http/check-config.ts'
import { BlockedTarget } from '../http/address-guard.ts'
import { bodyFailure, type Edge } from './attempt.ts'
import { CheckFailure, ourFault, ProberFault, toFailure } from './failure.ts'
import { textOf } from './http-body.ts'
import { performHop } from './http-hop.ts'
import type { Answer } from './http-shapes.ts'
import { Stopwatch } from './phases.ts'
import { PlanFault } from './prober-type.ts'

export interface TokenSource {
  /** Returns a token. Rejects with CheckFailure if none was given. */
  token(edge: Pick<Edge, 'network' | 'now'>, signal: AbortSignal, deadlineAt: number): Promise<string>
  /** The token that is held, which nobody may see. */
  secrets(): string[]
  /** Drops the token that is held, because the target refused it. */
  forget(): void
}

export interface Reach {
  verifyTls: boolean
  secureContext: SecureContext | null
  family: 0 | 4 | 6
  userAgent: string
}

const MAX_ANSWER_BYTES = 65_536
const MAX_TOKEN = 16_384
/** Lifetime of a token if the server does not say, and the longest lifetime that is used. */
const USUAL_SECONDS = 60
const MAX_SECONDS = 3600
/** A token is not used in its last seconds. */
const MARGIN_SECONDS = 10

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined. */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)

export function tokenSource({ token_url = '', client_id = '', client_secret, scopes = [] }: Auth, reach: Reach): TokenSource {
  const url = URL.canParse(token_url) ? new URL(token_url) : null
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password) {
    throw new PlanFault('The address of the token server is no http or https address')
  }
  url.hash = ''
  const account = Buffer.from(`${formEncoded(client_id)}:${formEncoded(client_secret ?? '')}`).toString('base64')
  const asked = new URLSearchParams({ grant_type: 'client_credentials', ...(scopes.length > 0 && { scope: scopes.join(' ') }) })
  const body = Buffer.from(asked.toString())
  const headers = {
    authorization: `Basic ${account}`,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(body.length),
    'user-agent': reach.userAgent
  }
  let held: { token: string; until: number } | null = null

  return {
    async token({ network, now }, signal, deadlineAt) {
      if (held && now() < held.until) return held.token
      const watch = new Stopwatch()
      const answer = await performHop(
        {
          ...reach,
          url,
          method: 'POST',
          headers,
          body,
          http2: false,
          maxBodyBytes: MAX_ANSWER_BYTES,
          deadlineAt,
          onTls: () => undefined,
          onConnected: () => undefined,
          onHead: () => undefined,
          isBodyWanted: () => true
        },
        network,
        watch,
        signal
      ).catch((error) => notGiven(error, watch, signal))
      const { token, seconds } = granted(answer)
      held = { token, until: now() + Math.max(0, Math.min(seconds, MAX_SECONDS) - MARGIN_SECONDS) * 1000 }
      return token
    },
    secrets: () => (held ? [held.token] : []),
    forget: () => {
      held = null
    }
  }
}

function notGiven(error: unknown, watch: Stopwatch, signal: AbortSignal): never {
  if (signal.aborted || error instanceof BlockedTarget) throw error
  const own = ourFault(error, watch.phase)
  if (own !== null) throw new ProberFault(own)
  const failure = bodyFailure(error) ?? toFailure(error, watch.phase)
  throw failure ? new CheckFailure('auth', `The token server gave no token: ${failure.message}`) : error
}

function granted({ head, body }: Answer): { token: string; seconds: number } {
  if (head.status !== 200) throw new CheckFailure('auth', `The token server answers with the status ${head.status}`)
  const said = parsed(textOf(body.first(MAX_ANSWER_BYTES), head.headers['content-type']))
  const { access_token: token, token_type = 'bearer', expires_in = USUAL_SECONDS } = said
  if (typeof token !== 'string' || token.length === 0 || token.length > MAX_TOKEN || !/^[\x21-\x7e]+$/.test(token)) {
    throw new CheckFailure('auth', 'The answer of the token server holds no token')
  }
  if (String(token_type).toLowerCase() !== 'bearer') throw new CheckFailure('auth', 'The token is no bearer token')
  const seconds = Number(expires_in)
  return { token, seconds: Number.isFinite(seconds) ? seconds : USUAL_SECONDS }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    // The answer is not JSON, so it holds no token.
    return {}
  }
}

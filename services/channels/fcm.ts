/**
 * Sends push messages to Android phones: FCM HTTP v1.
 * Source: docs/design/outbound-channels.md#s6-2.
 */
import type { Deployment, HttpRequest, Message, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import { baseUrl, jsonRequest, judge, later, lost, objectIn, retryAfterMs, textIn } from './judging.ts'
import {
  asksToAct,
  type Device,
  deadDevice,
  GOOD_FOR_SECONDS,
  notSetUp,
  operatorsFault,
  pushBody,
  pushData,
  pushTitle,
  shownAs
} from './push-words.ts'
import { issuedAt, signedToken } from './signed-token.ts'
import { severityOf } from './words.ts'

type Account = NonNullable<Deployment['fcm']>

const VENDOR = 'Google'
const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging'
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** An assertion is used at once, so messages within this period may share one. */
const ASSERTION_PERIOD_SECONDS = 300
const ASSERTION_SECONDS = 1800
/** How long a token is reused. It is valid for an hour. */
const KEPT_MS = 55 * 60_000
/** The shortest wait before a retry that Google allows. */
const LEAST_WAIT_MS = 10_000

/** Requests the access token that messages carry. `again`: the stored token was refused. */
function tokenRequest({ client_email, private_key }: Account, context: SendContext, again: boolean): HttpRequest {
  const url = baseUrl('fcm_token', 'https://oauth2.googleapis.com/token', context)
  const iat = issuedAt(context.now, ASSERTION_PERIOD_SECONDS)
  const claims = { iss: client_email, scope: SCOPE, aud: url, iat, exp: iat + ASSERTION_SECONDS }
  const assertion = signedToken('RS256', private_key, claims, { typ: 'JWT' })
  return {
    via: 'http',
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': context.deployment.user_agent
    },
    body: new URLSearchParams({ grant_type: GRANT, assertion }).toString(),
    secrets: [assertion],
    guarded: false,
    reuse: { key: `fcm ${client_email} ${url}`, for_ms: KEPT_MS, ...(again && { again: true as const }) }
  }
}

export function fcmBody(message: Message, { push_token }: Pick<Device, 'push_token'>, now: number): object {
  const tag = shownAs(message)
  return {
    message: {
      token: push_token,
      notification: { title: pushTitle(message), body: pushBody(message, now) },
      data: pushData(message),
      android: {
        priority: asksToAct(message) || message.event === 'test' ? 'high' : 'normal',
        ttl: `${GOOD_FOR_SECONDS}s`,
        collapse_key: tag,
        notification: { channel_id: severityOf(message), tag }
      }
    }
  }
}

interface Refusal {
  /** FCM's own error code, or else the code that all Google APIs use. */
  code: string
  /** The paths of the invalid fields. */
  fields: string[]
}

const objects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter((one): one is Record<string, unknown> => one !== null && typeof one === 'object') : []

function refusalIn(reply: SendReply): Refusal {
  const error = objectIn(reply)?.error
  const known = error !== null && typeof error === 'object' ? (error as Record<string, unknown>) : {}
  const details = objects(known.details)
  const own = details.map((detail) => textIn(detail, 'errorCode')).find((code) => code !== null)
  const violations = details.flatMap((detail) => objects(detail.fieldViolations))
  return { code: own ?? textIn(known, 'status') ?? '', fields: violations.map((one) => textIn(one, 'field') ?? '') }
}

/** Judges the reply. Null: the token was refused, and a new token may help. */
function verdict(reply: SendReply, context: SendContext): SendOutcome | null {
  const { status } = reply
  const name = textIn(objectIn(reply), 'name')
  if (status === 200 && name !== null) return { outcome: 'delivered', provider_message_id: name }
  const { code, fields } = refusalIn(reply)
  if (code === 'UNREGISTERED' || code === 'SENDER_ID_MISMATCH') return deadDevice(reply)
  if (code === 'INVALID_ARGUMENT') {
    if (fields.includes('message.token')) return deadDevice(reply)
    return lost(reply, 'Google refused this message.')
  }
  if (code === 'THIRD_PARTY_AUTH_ERROR') return operatorsFault(reply, VENDOR, context)
  if (status === 401) return null
  if (status === 403 || status === 404) return operatorsFault(reply, VENDOR, context)
  if (status === 429 || status >= 500) return later(reply, context.now, Math.max(LEAST_WAIT_MS, retryAfterMs(reply, context.now) ?? 0))
  if (status >= 400 && status !== 408) return lost(reply, 'Google refused this message.')
  return judge(reply, context)
}

type Steps<Result> = Generator<SendRequest, Result, SendReply>

/** Returns the token, or the outcome when there is none. */
function* accessToken(account: Account, context: SendContext, again: boolean): Steps<string | SendOutcome> {
  const reply = yield tokenRequest(account, context, again)
  const token = reply.status === 200 ? textIn(objectIn(reply), 'access_token') : null
  if (token !== null) return token
  if (reply.status === 429 || reply.status >= 500) return later(reply, context.now)
  return operatorsFault(reply, VENDOR, context)
}

export function* fcmSteps(message: Message, device: Device, context: SendContext): Steps<SendOutcome> {
  const { fcm } = context.deployment
  if (!fcm) return notSetUp(VENDOR)
  const url = `${baseUrl('fcm', 'https://fcm.googleapis.com', context)}/v1/projects/${fcm.project_id}/messages:send`
  let reply: SendReply | null = null
  for (const again of [false, true]) {
    const token = yield* accessToken(fcm, context, again)
    if (typeof token !== 'string') return token
    const secrets = [device.push_token, token]
    const request = jsonRequest(url, fcmBody(message, device, context.now), context, {
      headers: { authorization: `Bearer ${token}` },
      secrets
    })
    reply = yield { ...request, http2: true }
    const outcome = verdict(reply, context)
    if (outcome) return outcome
  }
  return operatorsFault(reply ?? { status: 401, headers: {}, body: '' }, VENDOR, context)
}

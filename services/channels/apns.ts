/**
 * Sends push messages to iPhones and iPads: APNs over HTTP/2.
 * Source: docs/design/outbound-channels.md#s6-3.
 */
import type { Deployment, Message, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import { baseUrl, jsonRequest, judge, later, lost, objectIn, textIn } from './judging.ts'
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

type Account = NonNullable<Deployment['apns']>

const VENDOR = 'Apple'
/**
 * Apple refuses tokens that are over an hour old, and also a new token more often than every 20
 * minutes.
 */
const TOKEN_PERIOD_SECONDS = 1800
/** The wait after too many new tokens. */
const TOO_MANY_TOKENS_MS = 20 * 60_000

const DEAD = new Set(['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken', 'MissingDeviceToken'])
/**
 * Errors of the account or of the operator's settings. The person who owns the phone cannot fix
 * them.
 */
const OPERATOR = new Set([
  'BadTopic',
  'MissingTopic',
  'TopicDisallowed',
  'BadCertificate',
  'BadCertificateEnvironment',
  'BadEnvironmentKeyIdInToken',
  'UnrelatedKeyIdInToken',
  'ExpiredProviderToken',
  'InvalidProviderToken',
  'MissingProviderToken',
  'Forbidden'
])

export const providerToken = ({ private_key, key_id, team_id }: Account, now: number): string =>
  signedToken('ES256', private_key, { iss: team_id, iat: issuedAt(now, TOKEN_PERIOD_SECONDS) }, { kid: key_id })

function levelOf(message: Message): 'time-sensitive' | 'active' | 'passive' {
  if (message.event === 'acknowledged') return 'passive'
  return asksToAct(message) && severityOf(message) !== 'info' ? 'time-sensitive' : 'active'
}

export function apnsBody(message: Message, now: number): object {
  const level = levelOf(message)
  return {
    aps: {
      alert: { title: pushTitle(message), body: pushBody(message, now) },
      ...(level !== 'passive' && { sound: 'default' }),
      'interruption-level': level,
      'thread-id': message.subject?.id ?? shownAs(message)
    },
    ...pushData(message)
  }
}

function headersOf(message: Message, { topic }: Account, token: string, now: number): Record<string, string> {
  return {
    authorization: `bearer ${token}`,
    'apns-topic': topic,
    'apns-push-type': 'alert',
    'apns-priority': levelOf(message) === 'passive' ? '5' : '10',
    'apns-expiration': String(Math.floor(now / 1000) + GOOD_FOR_SECONDS),
    'apns-collapse-id': shownAs(message),
    'apns-id': message.delivery_id
  }
}

function verdict(reply: SendReply, { registered_at }: Device, context: SendContext): SendOutcome {
  const { status, headers } = reply
  if (status === 200) {
    const id = headers['apns-id']
    return { outcome: 'delivered', ...(id !== undefined && { provider_message_id: id }) }
  }
  const object = objectIn(reply)
  const reason = textIn(object, 'reason') ?? ''
  if (status === 410 || DEAD.has(reason)) {
    // The app has registered again after the time at which Apple saw it removed.
    const since = Number(textIn(object, 'timestamp') ?? Number.NaN)
    return since < registered_at ? later(reply, context.now) : deadDevice(reply)
  }
  if (reason === 'TooManyProviderTokenUpdates')
    return { outcome: 'retry', why: `${VENDOR}: ${reason}`, after_ms: TOO_MANY_TOKENS_MS, operator: true }
  if (status === 403 || status === 404 || OPERATOR.has(reason)) return operatorsFault(reply, VENDOR, context)
  if (status === 429 || status >= 500) return later(reply, context.now)
  if (status >= 400 && status !== 408) return lost(reply, 'Apple refused this message.')
  return judge(reply, context)
}

export function* apnsSteps(message: Message, device: Device, context: SendContext): Generator<SendRequest, SendOutcome, SendReply> {
  const { apns } = context.deployment
  if (!apns) return notSetUp(VENDOR)
  const token = providerToken(apns, context.now)
  const host = `https://api.${apns.sandbox ? 'sandbox.' : ''}push.apple.com`
  const request = jsonRequest(`${baseUrl('apns', host, context)}/3/device/${device.push_token}`, apnsBody(message, context.now), context, {
    headers: headersOf(message, apns, token, context.now),
    secrets: [device.push_token, token]
  })
  return verdict(yield { ...request, http2: true }, device, context)
}

/**
 * What SMS and voice share: phone numbers, texts in segments, and the errors of Twilio.
 * Source: docs/design/outbound-channels.md#s3-25 and #s3-26.
 */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { Type } from 'typebox'
import type { ConfigFault, Deployment, HttpRequest, SendContext, SendOutcome, SendReply } from './channel.ts'
import { closed, field } from './config.ts'
import { baseUrl, deadChannel, judge, later, lost, objectIn, textIn } from './judging.ts'
import { plain } from './text.ts'
import { codeSms, codeTwiml } from './verification.ts'

export type NumberConfig = { number: string }

const NUMBER = /^\+[1-9]\d{6,14}$/

export const numberConfig = Type.Object(
  { number: field({ title: 'Number', description: 'With country code, as +4915112345678. It must be verified first.', maxLength: 16 }) },
  closed
)

/** Kinds of numbers that reach no person, or whose owner sets the price of a call. */
const REFUSED = new Set(['PREMIUM_RATE', 'SHARED_COST', 'UAN', 'VOICEMAIL', 'PAGER'])
/**
 * Satellite and international networks of no country, where a message costs many times the usual
 * price.
 */
const BEYOND = new Set(['870', '878', '881', '882', '883', '888', '979'])

const fault = (message: string): ConfigFault => ({ path: 'number', rule: 'format', message })

/** Checks a number against the numbering plans of the countries. */
const faultFor =
  (kind: 'sms' | 'voice') =>
  ({ number }: NumberConfig): ConfigFault | null => {
    const known = NUMBER.test(number) ? parsePhoneNumberFromString(number) : undefined
    if (!known?.isValid()) return fault('must be a number with country code, as +4915112345678')
    const type = known.getType()
    if (BEYOND.has(known.countryCallingCode) || (type && REFUSED.has(type)))
      return fault('must be the number of a person: no service, premium rate or satellite')
    return kind === 'sms' && type === 'FIXED_LINE' ? fault('must take text messages: this is a fixed line') : null
  }

export const isFixedLine = (number: string): boolean => parsePhoneNumberFromString(number)?.getType() === 'FIXED_LINE'

export const smsFault = faultFor('sms')
export const voiceFault = faultFor('voice')

/** Removes the spaces, dashes, dots and brackets that people write. */
export const bareNumber = ({ number }: NumberConfig): NumberConfig => ({ number: number.replace(/[\s().-]/g, '') })

export const hiddenNumber = ({ number }: NumberConfig): string => `${number.slice(0, 3)}…${number.slice(-2)}`

const GSM = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
)
const GSM_DOUBLE = new Set('^{}\\[]~|€')
const SIMPLE: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
  '–': '-',
  '—': '-',
  '…': '...',
  '\u00a0': ' ',
  '•': '-'
}

/** Replaces quotes and dashes by those that every phone has, and removes emoji. */
export const gsmText = (text: string): string =>
  plain(text)
    .replace(/[‘’“”–—…\u00a0•]/g, (character) => SIMPLE[character] ?? character)
    .replace(/\p{Extended_Pictographic}\ufe0f?/gu, '')

/**
 * The number of parts in which a text is sent: up to 160 characters in one part, 153 each in
 * several; 70 and 67 when it has characters beyond GSM-7.
 */
export function segmentsOf(text: string): number {
  let septets = 0
  for (const character of text) {
    if (GSM.has(character)) septets += 1
    else if (GSM_DOUBLE.has(character)) septets += 2
    else return text.length <= 70 ? 1 : Math.ceil(text.length / 67)
  }
  return septets <= 160 ? 1 : Math.ceil(septets / 153)
}

/** Builds a form POST to the account. Null: the operator has no account. */
export function twilioRequest(
  resource: 'Messages' | 'Calls',
  form: readonly [name: string, value: string][],
  context: SendContext
): HttpRequest | null {
  const account = context.deployment.twilio
  if (!account) return null
  const credential = Buffer.from(account.credential).toString('base64')
  return {
    via: 'http',
    method: 'POST',
    url: `${baseUrl('twilio', 'https://api.twilio.com', context)}/2010-04-01/Accounts/${account.account_sid}/${resource}.json`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': context.deployment.user_agent,
      authorization: `Basic ${credential}`
    },
    body: new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString(),
    secrets: [account.credential.slice(account.credential.indexOf(':') + 1), credential],
    guarded: false
  }
}

/** The sender: the number, or a messaging service with several numbers. */
export function senderOf({ twilio }: Deployment): [string, string] {
  const service = twilio?.messaging_service_sid
  return service ? ['MessagingServiceSid', service] : ['From', twilio?.from ?? '']
}

/** Builds the request that sends a code to a number. Null: the operator has no account. */
export function codeRequest(way: 'sms' | 'voice', number: string, code: string, context: SendContext): HttpRequest | null {
  const { deployment } = context
  const request =
    way === 'sms'
      ? twilioRequest(
          'Messages',
          [['To', number], senderOf(deployment), ['Body', codeSms(deployment, code)], ['ValidityPeriod', '600']],
          context
        )
      : twilioRequest(
          'Calls',
          [
            ['To', number],
            ['From', deployment.twilio?.from ?? ''],
            ['Twiml', codeTwiml(deployment, code)],
            ['Timeout', '30']
          ],
          context
        )
  return request && { ...request, secrets: [...request.secrets, code] }
}

export const notSent: SendOutcome = {
  outcome: 'permanent',
  why: 'no telephony account',
  scope: 'delivery',
  operator: true,
  user_text: 'This service sends no messages to phones: its operator must set an account.'
}

const DEAD: Readonly<Record<string, string>> = {
  '21211': 'The number is not valid.',
  '21214': 'The number cannot be reached.',
  '21610': 'The owner of the number has answered STOP.',
  '21612': 'The number cannot be reached from here.',
  '21614': 'The number is not a mobile one.'
}
/** Errors of the deployment's account, which no workspace can fix. */
const OPERATOR = new Set(['20003', '21408', '21606', '21659', '30002', '30007', '30034'])
const LATER = new Set(['20429', '30001', '30003', '30008'])
/** The wait after a fault of the operator's account. */
const OPERATOR_MS = 60_000
const HALF_AN_HOUR_MS = 1_800_000

/** Twilio adds new codes over time: an unknown code ends the message, and never the channel. */
export function twilioVerdict(reply: SendReply, context: SendContext): SendOutcome {
  const object = objectIn(reply)
  const sid = textIn(object, 'sid')
  if (reply.status === 201 && sid !== null) return { outcome: 'delivered', provider_message_id: sid }
  const code = textIn(object, 'code') ?? ''
  const dead = DEAD[code]
  if (dead !== undefined) return deadChannel(reply, dead, true)
  if (OPERATOR.has(code) || reply.status === 401 || reply.status === 403)
    return { outcome: 'retry', why: `Twilio ${code || reply.status}`, after_ms: OPERATOR_MS, operator: true }
  if (code === '30003') return later(reply, context.now, HALF_AN_HOUR_MS)
  if (LATER.has(code)) return later(reply, context.now)
  if (reply.status >= 400 && reply.status < 500 && reply.status !== 429 && reply.status !== 408)
    return lost(reply, 'The provider refused this message.')
  return judge(reply, context)
}

/**
 * Simulates Twilio: it refuses what Twilio refuses, remembers what it accepts, and sends callbacks
 * signed by Twilio's own library. Numbers, texts and error codes are those of Twilio's OpenAPI
 * document and its list of errors.
 * Source: docs/design/outbound-channels.md#s3-25, #s3-26 and #s8-3.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import twilio from 'twilio'
import type { Teardown } from './engines.ts'

export const ACCOUNT = 'AC0123456789abcdef0123456789abcdef'
export const AUTH_TOKEN = 'fedcba9876543210fedcba9876543210'
export const FROM = '+12025550123'

/** The part of a configuration that has this account. */
export const twilioSettings = { twilioAccountSid: ACCOUNT, twilioAuthTokens: [AUTH_TOKEN], twilioFrom: FROM }

/** Environment variables of a service that has this account. */
export const twilioEnvironment = (url: string): Record<string, string> => ({
  SERVICE_TWILIO_ACCOUNT_SID: ACCOUNT,
  SERVICE_TWILIO_AUTH_TOKEN: AUTH_TOKEN,
  SERVICE_TWILIO_FROM: FROM,
  OUTBOUND_BASE_URLS_JSON: JSON.stringify({ twilio: url })
})

export interface Sent {
  resource: 'Messages' | 'Calls'
  sid: string
  path: string
  authorization: string
  form: [name: string, value: string][]
  to: string
  /** Text of a message, or TwiML of a call. */
  text: string
  callback: string | null
}

export interface TwilioMemory {
  sent: Sent[]
  /** Numbers that accept no text messages, and numbers that have answered STOP. */
  fixedLines: Set<string>
  stopped: Set<string>
}

export interface FakeTwilio extends TwilioMemory {
  url: string
  /** Errors for the next requests. They are sent before the request is examined. */
  faults: { status: number; code: number }[]
  /** How many of the next requests are processed but get no answer: the connection is cut. */
  cuts: number
  close(): Promise<void>
}

/** Returns the signature that the official library computes for a callback. */
export const signatureOf = (url: string, form: Readonly<Record<string, string>>, token = AUTH_TOKEN): string =>
  twilio.getExpectedTwilioSignature(token, url, form)

type Fault = readonly [status: number, code: number, message: string]
const isNumber = (text: string): boolean => /^\+[1-9]\d{6,14}$/.test(text)
const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

/** Whether `text` is XML that uses only TwiML elements, closed in the right order. */
export function isTwiml(text: string): boolean {
  const open: string[] = []
  for (const [, close, name, attributes, end] of text.matchAll(
    /<(\/?)([A-Za-z]+)((?:\s+[A-Za-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#39|apos);[^"<&]*)*")*)\s*(\/?)>/g
  )) {
    if (!['Response', 'Say', 'Gather', 'Message', 'Hangup', 'Pause'].includes(name ?? '')) return false
    if (close && (attributes || open.pop() !== name)) return false
    if (!close && !end) open.push(name ?? '')
  }
  const rest = text.replace(/<\/?[A-Za-z][^<>]*>/g, '')
  return /^<Response[\s/>]/.test(text) && open.length === 0 && !/[<>]/.test(rest) && !/&(?!(?:amp|lt|gt|quot|apos|#39);)/.test(rest)
}

function senderFault(form: URLSearchParams): Fault | null {
  const service = form.get('MessagingServiceSid')
  if (service !== null) return /^MG[0-9a-f]{32}$/.test(service) ? null : [400, 21701, 'The Messaging Service does not exist']
  const from = form.get('From')
  if (from === null || from === '') return [400, 21603, "A 'From' phone number is required"]
  return from === FROM ? null : [400, 21659, `${from} is not a Twilio phone number`]
}

function faultOf(resource: string, form: URLSearchParams, { fixedLines, stopped }: TwilioMemory): Fault | null {
  const to = form.get('To') ?? ''
  if (to === '') return [400, 21604, "A 'To' phone number is required"]
  if (!isNumber(to)) return [400, 21211, `Invalid 'To' Phone Number: ${to}`]
  const callback = form.get('StatusCallback')
  if (callback !== null && !isAddress(callback)) return [400, 21609, 'Invalid StatusCallback URL']
  if (resource === 'Messages') {
    const body = form.get('Body') ?? ''
    if (body === '') return [400, 21602, 'Message body is required']
    if ([...body].length > 1600) return [400, 21617, 'The concatenated message body exceeds the 1600 character limit']
    const validity = form.get('ValidityPeriod')
    if (validity !== null && !(Number(validity) >= 1 && Number(validity) <= 36_000)) return [400, 21626, 'Invalid ValidityPeriod']
    if (fixedLines.has(to)) return [400, 21614, `${to} is not a valid mobile number`]
    if (stopped.has(to)) return [400, 21610, 'Attempt to send to unsubscribed recipient']
    return senderFault(form)
  }
  const twiml = form.get('Twiml')
  if (twiml === null && form.get('Url') === null) return [400, 21205, 'Url parameter is required']
  if (twiml !== null && (twiml.length > 4000 || !isTwiml(twiml))) return [400, 21218, 'Invalid Twiml']
  const events = form.getAll('StatusCallbackEvent')
  if (events.some((event) => !['initiated', 'ringing', 'answered', 'completed'].includes(event)))
    return [400, 21626, 'Invalid StatusCallbackEvents']
  return form.get('From') === FROM ? null : [400, 21210, "'From' phone number not verified"]
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const piece of request) body += String(piece)
  return body
}

const refusal = ([status, code, message]: Fault) => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
})

export interface TwilioRequest {
  method: string
  path: string
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Returns Twilio's answer to a request, and stores what it accepts in `memory`. */
export function answerOfTwilio({ method, path, headers, body }: TwilioRequest, memory: TwilioMemory): { status: number; body: object } {
  const authorization = String(headers.authorization ?? '')
  if (authorization !== `Basic ${Buffer.from(`${ACCOUNT}:${AUTH_TOKEN}`).toString('base64')}`) return refusal([401, 20003, 'Authenticate'])
  const resource = new RegExp(`^/2010-04-01/Accounts/${ACCOUNT}/(Messages|Calls)\\.json$`).exec(path)?.[1] as Sent['resource'] | undefined
  if (method !== 'POST' || !resource) return refusal([404, 20404, 'The requested resource was not found'])
  if (!String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) return refusal([400, 20001, 'Unknown content type'])
  const form = new URLSearchParams(body)
  const wrong = faultOf(resource, form, memory)
  if (wrong) return refusal(wrong)
  const sid = `${resource === 'Messages' ? 'SM' : 'CA'}${String(memory.sent.length + 1).padStart(32, '0')}`
  const [to, text] = [form.get('To') ?? '', form.get('Body') ?? form.get('Twiml') ?? '']
  memory.sent.push({ resource, sid, path, authorization, form: [...form], to, text, callback: form.get('StatusCallback') })
  return { status: 201, body: { sid, status: 'queued', account_sid: ACCOUNT, to, from: form.get('From'), error_code: null } }
}

export async function fakeTwilio(t: Teardown): Promise<FakeTwilio> {
  const answer = (response: ServerResponse, { status, body }: { status: number; body: object }): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const fault = fake.faults.shift()
    if (fault) return answer(response, refusal([fault.status, fault.code, 'As the test has it']))
    const { method = '', url: path = '', headers } = request
    const answered = answerOfTwilio({ method, path, headers, body }, fake)
    if (fake.cuts > 0) {
      fake.cuts -= 1
      request.socket.destroy()
    } else answer(response, answered)
  })
  const fake: FakeTwilio = {
    url: '',
    sent: [],
    fixedLines: new Set(),
    stopped: new Set(),
    faults: [],
    cuts: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(() => fake.close())
  return fake
}

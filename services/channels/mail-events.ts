/**
 * Reads what a mail provider reports later about a mail: that it bounced, or that its reader
 * complained. A report is trusted only after its signature was checked. Pure.
 * Source: docs/design/api/notifications.md#ch-10, docs/design/outbound-channels.md#s3-4.
 */
import { createHmac, createPublicKey, verify } from 'node:crypto'
import { type MailId, mailIdIn } from './mail-ids.ts'
import { isSameSecret } from './same-secret.ts'
import { oneLine, truncate } from './text.ts'

export const mailProviders = ['mailgun', 'sendgrid'] as const
export type MailProvider = (typeof mailProviders)[number]

export interface MailEvent {
  /** The provider's id of the event: the same when it is reported again. */
  event_id: string
  mail: MailId
  recipient: string
  /**
   * `refused`: only this mail failed; `bounced`: the address accepts no mail; `complaint`: its
   * reader wants no mail.
   */
  what: 'refused' | 'bounced' | 'complaint'
  /** In the other side's own words. */
  why: string
}

/** How far the time of a call may be from our time. Providers repeat a report for hours. */
const MAX_AGE_SECONDS = 24 * 3600
export const MAX_EVENTS = 1000
const MAX_WHY = 300

const isRecent = (timestamp: string, now: number): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS

type Fields = Readonly<Record<string, unknown>>

const fieldsIn = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {})
const textIn = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** What an SMTP code, or its enhanced status, says about the address. */
function refusalOf(code: string, status: string): MailEvent['what'] {
  if (/^5\.(?:1\.|2\.1$)/.test(status)) return 'bounced'
  if (/^5\.(?:2\.[23]|3\.|6\.|7\.)/.test(status) || code === '552' || code === '554') return 'refused'
  return 'bounced'
}

const statusIn = (words: string): string => /\b5\.\d{1,3}\.\d{1,3}\b/.exec(words)?.[0] ?? ''

function eventOf(event_id: string, id: string, recipient: string, what: MailEvent['what'], why: string): MailEvent[] {
  const mail = mailIdIn(id)
  return mail === null || event_id === '' || recipient === ''
    ? []
    : [{ event_id, mail, recipient, what, why: truncate(oneLine(why), MAX_WHY) }]
}

export interface MailCall {
  /** Returns a header by its name in lower case. Empty when it is missing. */
  header(name: string): string
  body: Buffer
  /** Epoch ms. */
  now: number
}

function isOfMailgun(keys: readonly string[], call: Fields, now: number): boolean {
  const signature = fieldsIn(call.signature)
  const [timestamp, token, given] = ['timestamp', 'token', 'signature'].map((name) => textIn(signature, name)) as [string, string, string]
  if (!isRecent(timestamp, now) || token === '') return false
  return keys.some((key) => {
    const wanted = createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex')
    return isSameSecret(given, wanted)
  })
}

function mailgunEvents(call: Fields): MailEvent[] {
  const event = fieldsIn(call['event-data'])
  const id = textIn(fieldsIn(fieldsIn(event.message).headers), 'message-id')
  const told = (what: MailEvent['what'], why: string) => eventOf(textIn(event, 'id'), id, textIn(event, 'recipient'), what, why)
  const name = textIn(event, 'event')
  if (name === 'complained') return told('complaint', 'the recipient reported it as unwanted')
  if (name !== 'failed' || textIn(event, 'severity') !== 'permanent') return []
  const status = fieldsIn(event['delivery-status'])
  const words = textIn(status, 'message') || textIn(status, 'description') || textIn(event, 'reason')
  // A mail that Mailgun gave up because of its age says nothing about the address.
  const what = textIn(event, 'reason') === 'old' ? 'refused' : refusalOf(textIn(status, 'code'), statusIn(words))
  return told(what, words)
}

function isOfSendgrid(keys: readonly string[], { header, body, now }: MailCall): boolean {
  const timestamp = header('x-twilio-email-event-webhook-timestamp')
  const signature = Buffer.from(header('x-twilio-email-event-webhook-signature'), 'base64')
  if (!isRecent(timestamp, now) || signature.length === 0) return false
  const signed = Buffer.concat([Buffer.from(timestamp), body])
  return keys.some((key) =>
    verify('sha256', signed, createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' }), signature)
  )
}

function sendgridEvents(events: readonly unknown[]): MailEvent[] {
  return events.slice(0, MAX_EVENTS).flatMap((one) => {
    const event = fieldsIn(one)
    const words = textIn(event, 'reason')
    const told = (what: MailEvent['what'], why: string) =>
      eventOf(textIn(event, 'sg_event_id'), textIn(event, 'smtp-id'), textIn(event, 'email'), what, why)
    switch (textIn(event, 'event')) {
      case 'spamreport':
        return told('complaint', 'the recipient reported it as unwanted')
      case 'bounce':
        return told(textIn(event, 'type') === 'blocked' ? 'refused' : refusalOf(words.slice(0, 3), textIn(event, 'status')), words)
      // SendGrid did not send it, because the address is on one of its lists.
      case 'dropped':
        return told(/spam/i.test(words) ? 'complaint' : /bounce|invalid/i.test(words) ? 'bounced' : 'refused', words)
      default:
        return []
    }
  })
}

/** The events about mails of this service. Null: the signature is invalid. */
export function mailEventsOf(provider: MailProvider, keys: readonly string[], call: MailCall): MailEvent[] | null {
  if (provider === 'mailgun') {
    const body = fieldsIn(parsed(call.body))
    return isOfMailgun(keys, body, call.now) ? mailgunEvents(body) : null
  }
  if (!isOfSendgrid(keys, call)) return null
  const events = parsed(call.body)
  return Array.isArray(events) ? sendgridEvents(events) : []
}

/**
 * What Rocket.Chat and Mattermost share: a webhook address on the workspace's own server, which is
 * a credential, and a message with one coloured attachment.
 * Source: docs/design/outbound-channels.md#s3-17 and #s3-19.
 */
import type { ConfigFault, HttpRequest, Message, SendContext } from './channel.ts'
import { addressFault } from './config.ts'
import { jsonRequest } from './judging.ts'
import { escapeChat, escapedWithin } from './text.ts'
import { bodyOf, factsOf, linkOf, severityOf, subjectLine, titleOf } from './words.ts'

const RED = '#d9534f'
const YELLOW = '#f0ad4e'
const GREEN = '#5cb85c'

const MAX_TITLE = 300
const MAX_VALUE = 200
const MAX_FACTS = 8

const colorOf = ({ event }: Message): string => (event === 'up' ? GREEN : event === 'ssl_expiry' ? YELLOW : RED)

export const chatTitle = (message: Message): string => escapedWithin(titleOf(message), MAX_TITLE, escapeChat)

/** Title and body, each on lines of its own. */
export const chatText = (message: Message, max: number, now: number): string =>
  [chatTitle(message), escapedWithin(bodyOf(message, now), max, escapeChat)].filter((part) => part !== '').join('\n')

/** For example `**api.example.com is down** (critical)`. */
export const chatHeadline = (message: Message): string =>
  `**${escapedWithin(subjectLine(message), MAX_TITLE, escapeChat)}** (${message.event === 'up' ? 'resolved' : severityOf(message)})`

/** `max`: the limit of its text, in characters. */
export function attachmentOf(message: Message, max: number, now: number) {
  const url = linkOf(message)
  return {
    color: colorOf(message),
    title: escapedWithin(subjectLine(message), MAX_TITLE, escapeChat),
    ...(url !== null && { title_link: url }),
    text: escapedWithin(bodyOf(message, now), max, escapeChat),
    fields: factsOf(message)
      .slice(0, MAX_FACTS)
      .map(([title, value]) => ({ title, value: escapedWithin(value, MAX_VALUE, escapeChat), short: true }))
  }
}

/** Checks a webhook address. Returns null when it has the form that the server gives out. */
export function hookFault(webhook_url: string | undefined, path: RegExp, example: string): ConfigFault | null {
  if (webhook_url === undefined) return null
  const fault = addressFault('webhook_url', webhook_url, 'invalid_webhook_url')
  if (fault) return fault
  const { pathname, search } = new URL(webhook_url)
  return path.test(pathname) && search === ''
    ? null
    : { path: 'webhook_url', rule: 'invalid_webhook_url', message: `must look like ${example}` }
}

/** A request to a workspace's server. Its secrets are the address, and the id and token in it. */
export function hookRequest(webhook_url: string, body: object, context: SendContext): HttpRequest {
  const { pathname } = new URL(webhook_url)
  const [token = pathname, id = pathname] = pathname.split('/').reverse()
  return jsonRequest(webhook_url, body, context, { secrets: [webhook_url, pathname, `${id}/${token}`, token], guarded: true })
}

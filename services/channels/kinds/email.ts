/**
 * E-mail through the deployment's own relay. All mails of one incident form one thread.
 * Source: docs/design/outbound-channels.md#s3-4.
 */
import { Type } from 'typebox'
import type { Channel, MailRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from '../channel.ts'
import { closed, field } from '../config.ts'
import { why } from '../judging.ts'
import { mailIdText } from '../mail-ids.ts'
import { refusesOperator } from '../mail-refusals.ts'
import { escapeHtml, truncate } from '../text.ts'
import { bodyOf, factsOf, linkOf, severityOf, titleOf } from '../words.ts'

const MAX_ADDRESS = 254
const MAX_LOCAL = 64
const MAX_SUBJECT = 150
const MAX_BODY = 20_000
/** The wait after the relay has refused the operator's account. */
const OPERATOR_MS = 60_000

type Config = { recipient: string }

const config = Type.Object(
  { recipient: field({ title: 'Recipient', description: 'One address. A list of your mail server is fine.', maxLength: MAX_ADDRESS }) },
  closed
)

const COLOURS = { critical: '#b42318', warning: '#b54708', info: '#175cd3' } as const

/**
 * Returns the domain as DNS resolves it: lower case, and letters beyond ASCII as punycode. Null
 * when it is not a domain.
 */
function domainOf(text: string): string | null {
  if (!/^[^\s/?#@:\\[\]]+$/.test(text) || !URL.canParse(`http://${text}`)) return null
  const { hostname } = new URL(`http://${text}`)
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(hostname) && !/^[\d.]+$/.test(hostname) ? hostname : null
}

function parts(address: string): [local: string, domain: string] | null {
  const at = address.indexOf('@')
  if (at < 1 || at !== address.lastIndexOf('@') || address.length > MAX_ADDRESS) return null
  const local = address.slice(0, at)
  const domain = domainOf(address.slice(at + 1))
  return local.length <= MAX_LOCAL && /^[^\s\p{Cc},;:<>()[\]"\\]+$/u.test(local) && domain !== null ? [local, domain] : null
}

function htmlOf(message: Message, body: string): string {
  const colour = message.event === 'up' ? '#067647' : COLOURS[severityOf(message)]
  const url = linkOf(message)
  const rows = factsOf(message).map(
    ([name, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#667085">${escapeHtml(name)}</td><td style="padding:2px 0">${escapeHtml(value)}</td></tr>`
  )
  const paragraphs = body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `<p style="margin:0 0 12px">${escapeHtml(line)}</p>`)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark"></head>',
    '<body style="margin:0;padding:24px;font:16px/1.5 -apple-system,Segoe UI,Helvetica,Arial,sans-serif">',
    `<div style="max-width:560px;border-left:4px solid ${colour};padding-left:16px">`,
    `<h1 style="font-size:20px;line-height:1.3;margin:0 0 12px">${escapeHtml(truncate(titleOf(message), MAX_SUBJECT * 2))}</h1>`,
    ...paragraphs,
    rows.length === 0
      ? ''
      : `<table role="presentation" style="border-collapse:collapse;font-size:14px;margin:0 0 16px">${rows.join('')}</table>`,
    url === null ? '' : `<p style="margin:0 0 12px"><a href="${escapeHtml(url)}">Open in the dashboard</a></p>`,
    actsHtml(message),
    `<p style="margin:24px 0 0;color:#667085;font-size:13px">${escapeHtml(footer(message))}`,
    message.unsubscribe_url === null ? '' : ` <a href="${escapeHtml(message.unsubscribe_url)}">Stop these mails</a>`,
    '</p></div></body></html>'
  ].join('\n')
}

/** The links with which the reader can act. Each page asks for confirmation before it acts. */
const actsOf = ({ act_urls }: Message): [name: string, url: string][] =>
  act_urls === null
    ? []
    : [
        ['Acknowledge', act_urls.acknowledge],
        ['Resolve', act_urls.resolve]
      ]

function actsHtml(message: Message): string {
  const links = actsOf(message).map(
    ([name, url]) =>
      `<a href="${escapeHtml(url)}" style="display:inline-block;margin:0 8px 0 0;padding:8px 14px;border:1px solid #667085;border-radius:6px">${name}</a>`
  )
  return links.length === 0 ? '' : `<p style="margin:0 0 12px">${links.join('')}</p>`
}

const footer = ({ workspace }: Message): string => `Sent for the workspace ${workspace.name}.`

function textOf(message: Message, body: string): string {
  const url = linkOf(message)
  const facts = factsOf(message).map(([name, value]) => `${name}: ${value}`)
  return [
    titleOf(message),
    body,
    facts.join('\n'),
    url,
    actsOf(message)
      .map(([name, address]) => `${name}: ${address}`)
      .join('\n'),
    `-- \n${footer(message)}${message.unsubscribe_url === null ? '' : `\nStop these mails: ${message.unsubscribe_url}`}`
  ]
    .filter((part) => part)
    .join('\n\n')
}

function idsOf({ incident, event, delivery_id, target_id, workspace }: Message, ref: RemoteRef | null, { deployment }: SendContext) {
  const { tenant_id } = workspace
  const at = deployment.mail_domain
  const own = (incident_id: string | null): string => mailIdText({ tenant_id, incident_id, of: { delivery_id } }, at)
  if (!incident || event === 'test') return { id: own(null), root: null }
  const root = ref?.message_id ?? mailIdText({ tenant_id, incident_id: incident.id, of: { target_id } }, at)
  return event === 'down' && ref === null ? { id: root, root: null } : { id: own(incident.id), root }
}

function mail(message: Message, { recipient }: Config, ref: RemoteRef | null, context: SendContext): MailRequest {
  const { id, root } = idsOf(message, ref, context)
  const body = truncate(bodyOf(message, context.now), MAX_BODY)
  const { unsubscribe_url } = message
  return {
    via: 'smtp',
    to: recipient,
    subject: truncate(titleOf(message), MAX_SUBJECT),
    text: textOf(message, body),
    html: htmlOf(message, body),
    headers: {
      'Message-ID': id,
      ...(root !== null && { 'In-Reply-To': root, References: root }),
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribe_url !== null &&
        severityOf(message) !== 'critical' && {
          'List-Unsubscribe': `<${unsubscribe_url}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click'
        })
    },
    // People who read the ledger must not be able to act in the reader's name.
    secrets: [unsubscribe_url, ...actsOf(message).map(([, url]) => url)].flatMap((url) => url?.split('/').at(-1) ?? [])
  }
}

/** Codes of RFC 3463 for a mailbox that does not exist, for servers that say so after the text. */
const NO_MAILBOX = /\b5\.1\.(?:1|2|3|6|10)\b/

/** 452 means that the mailbox is full. It may have room again later. */
function judged(reply: SendReply): SendOutcome {
  const { status, headers, body } = reply
  if (refusesOperator(reply)) return { outcome: 'retry', why: why(reply), after_ms: OPERATOR_MS, operator: true }
  if (status >= 400 && status < 500) return { outcome: 'retry', why: why(reply) }
  if (status === 552 || status === 554)
    return { outcome: 'permanent', why: why(reply), scope: 'delivery', user_text: 'The mail server of the recipient refused this mail.' }
  if (headers.command === 'RCPT TO' || ((status === 550 || status === 551 || status === 553) && NO_MAILBOX.test(body)))
    return {
      outcome: 'permanent',
      why: why(reply),
      scope: 'channel',
      user_text: 'The mail server of the recipient knows no such mailbox, or refuses mail for it.'
    }
  return { outcome: 'permanent', why: why(reply), scope: 'delivery', user_text: 'The mail server refused this mail.' }
}

export const channel: Channel<Config> = {
  kind: 'email',
  name: 'E-mail',
  hint: 'An address. It confirms once that it wants these mails.',
  family: 'email',
  config,
  fields: [{ name: 'recipient' }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: true,
  check: ({ recipient }) =>
    parts(recipient) ? null : { path: 'recipient', rule: 'format', message: 'must be one e-mail address, as ops@example.com' },
  normalise({ recipient }) {
    const [local, domain] = parts(recipient.trim()) ?? []
    return { recipient: local === undefined ? recipient : `${local}@${domain}` }
  },
  target: ({ recipient }) => recipient.replace(/^(.{1,2})[^@]*@/, '$1…@'),
  *steps(message, settings, ref, context) {
    const request = mail(message, settings, ref, context)
    const reply: SendReply = yield request satisfies SendRequest
    if (reply.status < 200 || reply.status >= 300) return judged(reply)
    const id = request.headers['Message-ID'] ?? ''
    const isRoot = message.incident !== null && message.event !== 'test' && ref === null
    const root = request.headers.References ?? id
    return { outcome: 'delivered', provider_message_id: id, ...(isRoot && { remote_ref: { message_id: root } }) }
  }
}

/**
 * The texts that carry a code or a link, for the jobs `verification_send` and `password_reset`. The
 * payload of the first names the recipient, and holds the secret sealed for
 * `verification:<verification_id>`, field `code`.
 * Source: docs/design/api/notifications.md#no-8 and #no-26, docs/design/api/authentication.md#au-6.
 */
import type { Deployment } from './channel.ts'
import { escapeHtml, oneLine } from './text.ts'

type Sender = Pick<Deployment, 'product' | 'api_url'>

export const confirmUrl = ({ api_url }: Sender, token: string): string => `${api_url}/links/${encodeURIComponent(token)}`

const mail = (subject: string, lines: readonly string[], link: { label: string; url: string } | null) => ({
  subject,
  text: [...lines, ...(link === null ? [] : [link.url])].join('\n\n'),
  html: [
    '<!doctype html><html lang="en"><body style="font:16px/1.5 sans-serif">',
    ...lines.map((line) => `<p>${escapeHtml(line)}</p>`),
    link === null ? '' : `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
    '</body></html>'
  ].join('\n')
})

export const confirmMail = (sender: Sender, workspace: string, token: string) =>
  mail(
    oneLine(`Confirm mails of ${sender.product}`),
    [
      oneLine(`The workspace ${workspace} wants to send its alerts to this address.`),
      'They begin when you confirm on the page behind the link. It is good for 24 hours. If you do not know of it, do nothing.'
    ],
    { label: 'Confirm', url: confirmUrl(sender, token) }
  )

export const resetUrl = (api_url: string, token: string): string => `${api_url}/password/${encodeURIComponent(token)}`

export const resetMail = (sender: Sender, token: string) =>
  mail(
    oneLine(`Set a new password for ${sender.product}`),
    [
      oneLine(`Somebody asked for a new password for your account at ${sender.product}.`),
      'Set it on the page behind the link. The link works once, and for an hour. If you did not ask, do nothing: your password stays as it is.'
    ],
    { label: 'Set a new password', url: resetUrl(sender.api_url, token) }
  )

export const codeMail = (sender: Sender, code: string) =>
  mail(
    oneLine(`Your code: ${code}`),
    [oneLine(`Your code for ${sender.product} is ${code}.`), 'It is good for 10 minutes. Nobody of ours asks you for it.'],
    null
  )

export const codeSms = ({ product }: Sender, code: string): string =>
  oneLine(`${product}: your code is ${code}. It is good for 10 minutes.`)

/** Reads the digits one by one, twice. */
export const codeTwiml = ({ product }: Sender, code: string): string => {
  const digits = escapeHtml([...code].join(', '))
  return `<Response><Say>Your code for ${escapeHtml(oneLine(product))} is ${digits}. Again: ${digits}.</Say></Response>`
}

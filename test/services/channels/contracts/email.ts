/**
 * A mail server with one mailbox. It reads the mails: all mails of an incident form one thread. The
 * codes of its refusals follow docs/design/outbound-channels.md#s3-4.
 */
import { type Answer, type Asked, type Contract, refused, took, withHeader } from '../contract.ts'

type Config = { recipient: string }

const MAX_LINE = 998
const ID = /^<[^<>@\s]+@[^<>@\s]+>$/

function faultIn({ headers, body }: Asked): string | null {
  for (const name of ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type'])
    if (!headers[name]) return `no ${name}`
  if (!ID.test(headers['message-id'] ?? '')) return 'its id is none'
  if (Number.isNaN(Date.parse(headers.date ?? ''))) return 'its date is none'
  if (!/^multipart\/alternative;/.test(headers['content-type'] ?? '')) return 'not as text and HTML'
  if (body.split('\r\n').some((line) => Buffer.byteLength(line) > MAX_LINE || line.includes('\n')))
    return 'a line that is too long or broken'
  return headers['auto-submitted'] === 'auto-generated' ? null : 'a robot might answer it'
}

export const contract: Contract<Config> = {
  mail: true,
  config: () => ({ recipient: 'operations@example.test' }),
  rotated: null,
  vendor({ recipient }) {
    const threads = new Set<string>()
    return (asked): Answer => {
      if (asked.path !== recipient) return refused(550, 'no such mailbox', '5.1.1 no such mailbox')
      const fault = faultIn(asked)
      if (fault !== null) return refused(554, fault, '5.6.0 bad mail')
      const { 'message-id': id = '', 'in-reply-to': parent, references } = asked.headers
      threads.add(id)
      if (parent === undefined) return took('mail', 'taken', 250)
      return took(threads.has(parent) && references === parent ? 'answer in its thread' : 'answer to nothing', 'taken', 250)
    }
  },
  faults: {
    '400': { answer: { status: 554, body: '5.7.1 content refused', command: 'DATA' } },
    '401': { answer: { status: 530, body: '5.7.0 authentication required', command: 'MAIL' }, times: 1 },
    '404': { answer: { status: 550, body: '5.1.1 no such mailbox', command: 'RCPT' } },
    '413': { answer: { status: 552, body: '5.3.4 too large', command: 'DATA' } },
    '429': { answer: { status: 450, body: '4.2.1 too many, come again', command: 'RCPT' }, times: 1 },
    '500': { answer: { status: 451, body: '4.3.0 something broke', command: 'DATA' }, times: 1 },
    malformed: { answer: { status: 200, body: 'who are you?', command: 'MAIL' }, times: 1, name: 'nonsense' }
  },
  wrong: {
    'another mailbox': (asked) => ({ ...asked, path: 'nobody@example.test' }),
    'no id': withHeader('message-id', null),
    'not marked as from a robot': withHeader('auto-submitted', null),
    'a line that is too long': (asked) => ({ ...asked, body: `${asked.body}\r\n${'x'.repeat(999)}` })
  },
  checked: "`aiosmtpd` takes the mails, and Python's own MIME library reads them; Chromium shows them",
  row: {
    create: 'nothing → saved',
    test: 'mail → arrived',
    down: 'mail → sent',
    update: 'answer in its thread → sent',
    acknowledge: 'answer in its thread → sent',
    recover: 'answer in its thread → sent',
    rotate: 'not applicable: an address is no secret, and the mail server is that of the deployment',
    '400': '554 → failed',
    '401': '530, mail → sent',
    '404': '3× 550 → failed, channel off',
    '413': '552 → failed',
    '429': '450, mail → sent',
    '500': '451, mail → sent',
    timeout: 'no answer, mail → sent',
    malformed: 'nonsense, mail → sent'
  }
}

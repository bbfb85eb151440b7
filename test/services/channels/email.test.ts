/** Tests of e-mail: threads, texts, headers and the meaning of answers. */
import t from 'tap'
import { channel } from '../../../services/channels/kinds/email.ts'
import { acknowledged, context, drive, hostile, INCIDENT, incident, mailOf, message, NOW, reply, short, test, up } from './messages.ts'

const settings = { recipient: 'ops@example.com' }
const { target_id, workspace } = message()
const root = `<inc.${INCIDENT}.open.${target_id}.${workspace.tenant_id}@mail.example.com>`

t.test('the first mail of an incident keeps its id over retries, and later mails refer to it', async (t) => {
  const first = drive(channel, message(), settings, [reply(250, '2.0.0 Ok')])
  t.equal(mailOf(first.requests[0]).headers['Message-ID'], root)
  t.notOk('In-Reply-To' in mailOf(first.requests[0]).headers)
  t.match(first.outcome, { outcome: 'delivered', remote_ref: { message_id: root } })
  const again = drive(channel, message(), settings, [reply(250)], { at: context({ attempt: 2, now: NOW + 30_000 }) })
  t.equal(mailOf(again.requests[0]).headers['Message-ID'], root)
  const ref = { message_id: root }
  for (const later of [acknowledged(), up(), message({ delivery_id: 'page-2' })]) {
    const { requests, outcome } = drive(channel, later, settings, [reply(250)], { ref })
    const { headers } = mailOf(requests[0])
    t.equal(headers['In-Reply-To'], root, later.event)
    t.equal(headers.References, root)
    t.not(headers['Message-ID'], root)
    t.notOk('remote_ref' in outcome)
  }
})

t.test('subjects and texts of mails', async (t) => {
  const down = mailOf(drive(channel, message(), settings, [reply(250)]).requests[0])
  t.equal(down.to, 'ops@example.com')
  t.equal(down.subject, '[CRITICAL] api.example.com is down')
  t.match(down.text, /HTTP 503\n/)
  t.match(down.text, /Severity: critical/)
  t.match(down.text, /https:\/\/app\.example\.com\/incidents\/42/)
  t.match(down.html, /<a href="https:\/\/app\.example\.com\/incidents\/42">/)
  t.notMatch(down.html, /<img|<script/)
  t.equal(down.headers['Auto-Submitted'], 'auto-generated')
  t.equal(mailOf(drive(channel, up(), settings, [reply(250)]).requests[0]).subject, '[RESOLVED] api.example.com is up again after 4m 10s')
  t.equal(mailOf(drive(channel, test(), settings, [reply(250)]).requests[0]).subject, '[TEST] Notifications from Acme work.')
  const combined = mailOf(drive(channel, up({ combined: true }), settings, [reply(250)]).requests[0])
  t.equal(combined.subject, '[RESOLVED] api.example.com was down and is up again')
  t.match(combined.text, /It was down from 2025-12-31 23:59 UTC to 2026-01-01 00:00 UTC\./)
  const late = mailOf(drive(channel, message(), settings, [reply(250)], { at: context({ now: NOW + 5 * 3_600_000 }) }).requests[0])
  t.match(late.text, /Delayed delivery: this was to be sent at 2025-12-31 23:59 UTC\./)
})

t.test('hostile text becomes neither a mail header nor markup', async (t) => {
  const mail = mailOf(
    drive(channel, hostile({ incident: incident({ title: 'a\r\nBcc: x@example.com </h1><script>' }) }), settings, [reply(250)]).requests[0]
  )
  t.equal(mail.subject, '[CRITICAL] a Bcc: x@example.com </h1><script>')
  t.notMatch(mail.html, /<script>/)
  t.ok(mailOf(drive(channel, hostile(), settings, [reply(250)]).requests[0]).subject.length <= 151)
})

t.test('mails of a channel have a one-click unsubscribe link, except critical ones', async (t) => {
  const unsubscribe_url = 'https://app.example.com/u/secret'
  const warning = mailOf(
    drive(channel, message({ unsubscribe_url, incident: incident({ severity: 'warning' }) }), settings, [reply(250)]).requests[0]
  )
  t.equal(warning.headers['List-Unsubscribe'], `<${unsubscribe_url}>`)
  t.equal(warning.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
  t.same(warning.secrets, ['secret'], 'the token of the link')
  t.notOk('List-Unsubscribe' in mailOf(drive(channel, message({ unsubscribe_url }), settings, [reply(250)]).requests[0]).headers)
})

t.test('a page to a person has links to acknowledge and resolve, other mails have none', async (t) => {
  const act_urls = { acknowledge: 'https://app.example.com/links/lnk_a', resolve: 'https://app.example.com/links/lnk_r' }
  const page = mailOf(drive(channel, message({ act_urls }), settings, [reply(250)]).requests[0])
  t.match(page.text, /Acknowledge: https:\/\/app\.example\.com\/links\/lnk_a\nResolve: /)
  t.match(page.html, /<a href="https:\/\/app\.example\.com\/links\/lnk_r"/)
  t.same(page.secrets, ['lnk_a', 'lnk_r'], 'who reads the ledger cannot act')
  t.notOk('List-Unsubscribe' in page.headers)
  t.notMatch(mailOf(drive(channel, message(), settings, [reply(250)]).requests[0]).html, /Acknowledge/)
})

t.test('SMTP answers and their outcomes', async (t) => {
  const table: [status: number, command: string, verdict: string, said?: string][] = [
    [250, 'DATA', 'delivered'],
    [421, 'CONN', 'retry'],
    [451, 'RCPT TO', 'retry'],
    [452, 'RCPT TO', 'retry'],
    [550, 'RCPT TO', 'permanent channel'],
    [551, 'RCPT TO', 'permanent channel'],
    [553, 'RCPT TO', 'permanent channel'],
    [550, 'RCPT TO', 'permanent channel', '550 5.1.1 <relay@example.com>: Recipient address rejected: User unknown'],
    [550, 'DATA', 'permanent channel', '550 5.1.1 <ops@example.com> no such mailbox'],
    [550, 'DATA', 'permanent delivery', '550 5.7.1 rejected as spam'],
    [550, 'DATA', 'permanent delivery'],
    [552, 'MAIL FROM', 'permanent delivery'],
    [552, 'DATA', 'permanent delivery'],
    [554, 'DATA', 'permanent delivery'],
    [554, 'RCPT TO', 'permanent delivery'],
    [535, 'AUTH PLAIN', 'retry operator'],
    [530, 'MAIL FROM', 'retry operator'],
    [554, 'CONN', 'retry operator'],
    [501, 'MAIL FROM', 'retry operator'],
    [550, 'MAIL FROM', 'retry operator', '550 5.7.1 your account is suspended'],
    [553, 'RCPT TO', 'retry operator', '553 5.7.1 <no-reply@mail.test>: Sender address rejected: not owned by user'],
    [554, 'RCPT TO', 'retry operator', '554 5.7.1 <ops@example.com>: Relay access denied'],
    [550, 'RCPT TO', 'retry operator', '550 5.1.8 <no-reply@mail.test>: Domain not found']
  ]
  for (const [status, command, verdict, said = 'words'] of table) {
    const { outcome } = drive(channel, message(), settings, [reply(status, said, { command })])
    t.equal(`${short(outcome)}${'operator' in outcome ? ' operator' : ''}`, verdict, `${status} ${command}: ${said}`)
  }
})

t.test('valid and invalid e-mail addresses', async (t) => {
  const good = ['ops@example.com', 'a.b+c@sub.example.co', 'ü@bücher.example']
  const bad = [
    'ops',
    '@example.com',
    'a@b@example.com',
    'a,b@example.com',
    'a@localhost',
    'a b@example.com',
    `${'x'.repeat(65)}@example.com`,
    'a@1.2.3.4',
    'a@example.com\n'
  ]
  for (const recipient of good) t.equal(channel.check?.({ recipient }), null, recipient)
  for (const recipient of bad) t.match(channel.check?.({ recipient }), { path: 'recipient', rule: 'format' }, recipient)
  t.same(channel.normalise?.({ recipient: 'Ops@BÜCHER.Example' }), { recipient: 'Ops@xn--bcher-kva.example' })
  t.equal(channel.target(settings), 'op…@example.com')
})

/**
 * Sends mails to a mail server of another project and reads them with another MIME library. Needs
 * Python.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { channel } from '../../../services/channels/kinds/email.ts'
import { createMailbox, createSmtpSender } from '../../../services/delivery/mail.ts'
import { freePort } from '../../harness/free-ports.ts'
import { pythonWith } from '../../harness/python.ts'
import { until } from '../../harness/until.ts'
import { acknowledged, drive, INCIDENT, incident, mailOf, message, up } from '../channels/messages.ts'
import { certificate } from '../prober/stand.ts'

const mail = {
  via: 'smtp' as const,
  to: 'ops@example.test',
  subject: '[CRITICAL] Grüße\r\nBcc: thief@example.test',
  text: 'It is down: äöü',
  html: '<p>It is <b>down</b></p>',
  headers: { 'Message-ID': '<inc.1.open.2@mail.test>', 'Auto-Submitted': 'auto-generated' },
  secrets: []
}
const tenant_id = '00000000-0000-4000-8000-000000000000'
const LIMIT_MS = 30_000

t.test('a real mail server accepts a mail, and its refusal of a mailbox is reported', async (t) => {
  const python = await pythonWith(['aiosmtpd==1.4.6'])
  const port = await freePort()
  const printed = python.script(join(projectRoot, 'test/services/delivery/smtp-server.py'), { PORT: String(port), MAILS: '1' })
  const sender = createSmtpSender(`smtp://127.0.0.1:${port}`, 'Service <no-reply@mail.test>')
  t.teardown(() => sender.close())
  const refused = await until('the server to answer', () =>
    sender.send({ ...mail, to: 'nobody@example.test' }, tenant_id, LIMIT_MS).catch(() => null)
  )
  t.match(refused, { status: 550, headers: { command: 'RCPT TO' }, body: /no such mailbox/ })
  t.match(await sender.send(mail, tenant_id, LIMIT_MS), { status: 250, body: /taken/ })
  const got = JSON.parse(await printed)
  t.same(got.to, ['ops@example.test'], 'nobody else')
  t.match(got.headers, {
    From: 'Service <no-reply@mail.test>',
    To: 'ops@example.test',
    'Message-ID': '<inc.1.open.2@mail.test>',
    'Auto-Submitted': 'auto-generated'
  })
  t.match(got.headers.Subject, /^\[CRITICAL\] Grüße/)
  t.notOk('Bcc' in got.headers)
  t.match(got.parts, { 'text/plain': /äöü/, 'text/html': /<b>down<\/b>/ })
})

t.test('mails are sent over TLS with a login, and the mails of an incident form one thread', async (t) => {
  const python = await pythonWith(['aiosmtpd==1.4.6'])
  const port = await freePort()
  const pair = certificate(t)
  const folder = mkdtempSync(join(tmpdir(), 'service-mail-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  writeFileSync(certFile, pair.cert)
  writeFileSync(keyFile, pair.key)
  const printed = python.script(join(projectRoot, 'test/services/delivery/smtp-server.py'), {
    PORT: String(port),
    MAILS: '3',
    TLS_CERT: certFile,
    TLS_KEY: keyFile,
    USERNAME: 'service',
    PASSWORD: 'right'
  })
  const open = (user: string, ca?: string) => {
    const sender = createSmtpSender(`smtp://${user}@127.0.0.1:${port}`, 'Service <no-reply@mail.test>', ca)
    t.teardown(() => sender.close())
    return sender
  }
  const sender = open('service:right', pair.cert)
  const wrong = await until('the server to answer', () =>
    open('service:wrong', pair.cert)
      .send(mail, tenant_id, LIMIT_MS)
      .catch(() => null)
  )
  t.match(wrong, { status: 535 })
  await t.rejects(open('service:right').send(mail, tenant_id, LIMIT_MS), { name: 'SendFailure', kind: 'tls_untrusted', operator: true })
  t.match(drive(channel, message(), { recipient: 'ops@example.test' }, [wrong ?? { status: 0, headers: {}, body: '' }]).outcome, {
    outcome: 'retry',
    operator: true
  })

  const settings = { recipient: 'ops@example.test' }
  const unsubscribe_url = 'https://app.example.com/api/v1/notifications/links/lnk_1'
  const act_urls = { acknowledge: 'https://app.example.com/links/lnk_2', resolve: 'https://app.example.com/links/lnk_3' }
  const warning = incident({ severity: 'warning' })
  const ref = { message_id: `<inc.${INCIDENT}.open.${message().target_id}.${message().workspace.tenant_id}@mail.example.com>` }
  for (const [said, before] of [
    [message({ unsubscribe_url, incident: warning }), null],
    [acknowledged({ unsubscribe_url, incident: warning }), ref],
    [up({ act_urls }), ref]
  ] as const) {
    const { requests } = drive(channel, said, settings, [{ status: 250, headers: {}, body: '' }], { ref: before })
    t.match(await sender.send(mailOf(requests[0]), tenant_id, LIMIT_MS), { status: 250 })
  }
  const mails = (await printed)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.same(
    mails.map(({ tls, as }) => [tls, as]),
    Array.from({ length: 3 }, () => [true, 'service'])
  )
  const [first, ...later] = mails
  // Python keeps the space of a folded line.
  const unfolded = (name: string): string => String(first.headers[name]).trim()
  t.equal(unfolded('Message-ID'), ref.message_id)
  t.equal(unfolded('List-Unsubscribe'), `<${unsubscribe_url}>`)
  t.equal(first.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click', 'RFC 8058')
  t.match(first.parts, { 'text/plain': /Stop these mails: https:/, 'text/html': /Stop these mails/ })
  for (const { headers } of later) {
    t.match(headers, { 'In-Reply-To': ref.message_id, References: ref.message_id })
    t.not(headers['Message-ID'], ref.message_id)
  }
  t.notOk('List-Unsubscribe' in later[1].headers, 'a page of a person has none')
  t.match(later[1].parts, { 'text/plain': /Acknowledge: https:\/\/app.example.com\/links\/lnk_2/, 'text/html': /links\/lnk_3/ })
})

t.test('a mail without a server fails with a network error, and cannot have arrived', async (t) => {
  const sender = createSmtpSender(`smtp://127.0.0.1:${await freePort()}`, 'no-reply@mail.test')
  t.teardown(() => sender.close())
  await t.rejects(sender.send(mail, tenant_id, LIMIT_MS), { name: 'SendFailure', kind: 'network', ambiguous: false, operator: true })
})

/**
 * Starts a mail server that accepts every address. `taken` answers when it has the text of a mail.
 * Returns its address.
 */
async function server(t: Test, taken: (mail: string, socket: Socket) => void): Promise<string> {
  const answers: [RegExp, string][] = [
    [/^EHLO/, '250 mail.test'],
    [/^(MAIL|RCPT|RSET)/, '250 ok'],
    [/^DATA/, '354 go on']
  ]
  const sockets = new Set<Socket>()
  const listening = createServer((socket) => {
    sockets.add(socket)
    let mail = ''
    socket.on('error', () => undefined) // The sender may reset a connection that is closed here.
    socket.write('220 mail.test\r\n')
    socket.on('data', (bytes) => {
      const said = bytes.toString()
      const answer = answers.find(([command]) => command.test(said))
      if (answer) return void socket.write(`${answer[1]}\r\n`)
      mail += said
      if (!mail.endsWith('\r\n.\r\n')) return
      taken(mail, socket)
      mail = ''
    })
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    listening.close()
  })
  return `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`
}

t.test('a mail may have arrived when its server closes the connection after the text', async (t) => {
  let mails = 0
  const url = await server(t, (_mail, socket) => {
    mails += 1
    socket.destroy()
  })
  const sender = createSmtpSender(url, 'no-reply@mail.test')
  t.teardown(() => sender.close())
  await t.rejects(sender.send(mail, tenant_id, LIMIT_MS), { name: 'SendFailure', kind: 'network', ambiguous: true, operator: true })
  t.equal(mails, 1)
})

t.test('a mail whose time is over is not sent any more', async (t) => {
  const mails: string[] = []
  let isSlow = true
  const url = await server(t, (text, socket) => {
    mails.push(/^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '')
    if (!isSlow) socket.write('250 taken\r\n')
  })
  const sender = createSmtpSender(url, 'no-reply@mail.test')
  t.teardown(() => sender.close())
  const send = (subject: string, ms: number) => sender.send({ ...mail, subject }, tenant_id, ms)
  const failed = (ambiguous: boolean) => ({ name: 'SendFailure', kind: 'timeout', ambiguous, operator: true })
  const stuck = ['1', '2', '3', '4', '5'].map((nth) => t.rejects(send(nth, 5000), failed(true)))
  await until('all connections to wait for their answer', () => mails.length === 5)
  await t.rejects(send('waits', 100), failed(false), 'it waited for a connection')
  isSlow = false
  await Promise.all(stuck)
  t.match(await send('next', LIMIT_MS), { status: 250, body: /taken/ })
  t.same(mails.slice(5), ['next'])
})

t.test('a local run keeps a mail as it would be sent, marked as not sent', async (t) => {
  const kept: { recipient: string; mime: string }[] = []
  const box = createMailbox('no-reply@mail.test', async (_tenant, one) => void kept.push(one))
  t.match(await box.send(mail, tenant_id, LIMIT_MS), { status: 250, body: /not sent/ })
  t.match(kept, [{ recipient: 'ops@example.test', mime: /Message-ID: <inc.1.open.2@mail.test>/ }])
  t.match(kept[0]?.mime, /X-Service-Not-Sent/)
})

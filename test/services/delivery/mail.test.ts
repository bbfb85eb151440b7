/** Mails against a server of another project, read by another MIME library. Needs Python. */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import { createMailbox, createSmtpSender } from '../../../services/delivery/mail.ts'
import { pythonWith } from '../../harness/python.ts'
import { until } from '../../harness/until.ts'

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

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

t.test('a real server takes it; a mailbox that it refuses is told as it says', async (t) => {
  const python = await pythonWith(t, ['aiosmtpd==1.4.6'])
  const port = await freePort()
  const printed = python.script(join(projectRoot, 'test/services/delivery/smtp-server.py'), { PORT: String(port), MAILS: '1' })
  const sender = createSmtpSender(`smtp://127.0.0.1:${port}`, 'Service <no-reply@mail.test>')
  t.teardown(() => sender.close())
  const refused = await until('the server to answer', () =>
    sender.send({ ...mail, to: 'nobody@example.test' }, tenant_id).catch(() => null)
  )
  t.match(refused, { status: 550, headers: { command: 'RCPT TO' }, body: /no such mailbox/ })
  t.match(await sender.send(mail, tenant_id), { status: 250, body: /taken/ })
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

t.test('no server: nothing came back, and it did not arrive', async (t) => {
  const sender = createSmtpSender(`smtp://127.0.0.1:${await freePort()}`, 'no-reply@mail.test')
  t.teardown(() => sender.close())
  await t.rejects(sender.send(mail, tenant_id), { name: 'SendFailure', kind: 'network' })
})

t.test('a local run keeps it as it would have gone out, marked', async (t) => {
  const kept: { recipient: string; mime: string }[] = []
  const box = createMailbox('no-reply@mail.test', async (_tenant, one) => void kept.push(one))
  t.match(await box.send(mail, tenant_id), { status: 250, body: /not sent/ })
  t.match(kept, [{ recipient: 'ops@example.test', mime: /Message-ID: <inc.1.open.2@mail.test>/ }])
  t.match(kept[0]?.mime, /X-Service-Not-Sent/)
})

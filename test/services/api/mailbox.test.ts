/**
 * Tests of the mailbox of a run without a mail server. It shows the real mails to owners and admins
 * of their workspace only, and is empty where mails are sent.
 */
import { execFileSync } from 'node:child_process'
import t from 'tap'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { createMailbox } from '../../../services/delivery/mail.ts'
import { readMime } from '../../../services/delivery/mime.ts'
import { emptyMailbox, forgetMails, keepMail } from '../../../services/store/mailbox.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { type Stand, stand, type Workspace } from './stand.ts'

const BOX = '/api/v1/notifications/mailbox'

async function post(s: Stand, { tenant_id }: Workspace, subject: string, html = '<p>It is <b>down</b>: äöü</p>'): Promise<void> {
  const box = createMailbox('Service <no-reply@mail.test>', (tenant, mail) =>
    tenantTransaction(s.systemPool, wholeWorkspace(tenant), (tx) => keepMail(tx, tenant, mail))
  )
  const headers = { 'Message-ID': `<${subject}@mail.test>`, 'In-Reply-To': '<root@mail.test>' }
  const text = `It is down: äöü\n${'a long line '.repeat(30)}`
  await box.send({ via: 'smtp', to: 'ops@example.test', subject, text, html, headers, secrets: [] }, tenant_id, 30_000)
}

/** Reads the mail with Python's own library. */
const PYTHON = `
import email, email.policy, json, sys
mail = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
of = lambda kind: mail.get_body((kind,)).get_content()
print(json.dumps({"subject": mail["subject"], "id": mail["message-id"], "text": of("plain"), "html": of("html")}))`

t.test('the mailbox of a local run shows real mails, to their own workspace only', async (t) => {
  const s = await stand(t, { config: { mailbox: 'on' } })
  await post(s, s.acme, 'first')
  await post(s, s.acme, 'second')
  await post(s, s.globex, 'theirs')

  const list = (await s.call(s.acme, 'GET', `${BOX}?per_page=1`)).json()
  t.match(list, { total: 2, total_pages: 2, items: [{ subject: 'second', recipient: 'ops@example.test', sent: false }] })
  t.equal(list.items.length, 1)
  t.match((await s.call(s.acme, 'GET', `${BOX}?per_page=1&page=2`)).json(), { items: [{ subject: 'first' }] })

  const [{ id }] = list.items
  const mail = (await s.call(s.acme, 'GET', `${BOX}/${id}`)).json()
  const read = JSON.parse(execFileSync('python3', ['-c', PYTHON], { input: mail.mime, encoding: 'utf8' }))
  t.equal(read.subject, 'second')
  t.equal(read.id, '<second@mail.test>')
  t.equal(mail.text.trimEnd(), read.text.trimEnd(), 'the text is what Python reads')
  t.equal(mail.has_html, true)
  t.match(Object.fromEntries(mail.headers.map(({ name, value }: { name: string; value: string }) => [name, value])), {
    'In-Reply-To': '<root@mail.test>',
    'X-Service-Not-Sent': /local run/
  })

  const html = await s.call(s.acme, 'GET', `${BOX}/${id}/html`)
  t.match(html.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  const policy = String(html.headers['content-security-policy'])
  t.match(policy, /default-src 'none'/)
  t.match(policy, /(^|;)sandbox allow-popups allow-popups-to-escape-sandbox$/, 'nothing of a mail runs')
  t.notMatch(policy, /script-src|allow-scripts|allow-same-origin/)
  t.equal(html.body.replace(/^.*<base target="_blank">/, '').trimEnd(), read.html.trimEnd(), 'the HTML is what Python reads')

  const [{ id: theirs }] = (await s.call(s.globex, 'GET', BOX)).json().items
  for (const path of [`${BOX}/${theirs}`, `${BOX}/${theirs}/html`])
    t.equal((await s.call(s.acme, 'GET', path)).statusCode, 404, 'another workspace has its own')

  const emptied = await s.call(s.acme, 'DELETE', BOX)
  t.equal(emptied.statusCode, 204)
  t.match((await s.call(s.acme, 'GET', BOX)).json(), { total: 0 })
  t.match((await s.call(s.globex, 'GET', BOX)).json(), { total: 1 }, 'theirs is full as before')
  t.match((await s.call(s.acme, 'GET', '/api/v1/auth/session')).json(), { mail: 'kept' })
})

t.test('the mailbox keeps the newest 200 mails, for 30 days', async (t) => {
  const s = await stand(t, { config: { mailbox: 'on' } })
  const { tenant_id } = s.acme
  for (let at = 0; at < 203; at++)
    await tenantTransaction(s.systemPool, wholeWorkspace(tenant_id), (tx) =>
      keepMail(tx, tenant_id, { recipient: 'a@example.test', subject: String(at), mime: 'Subject: x\n\nx' })
    )
  const { total } = (await s.call(s.acme, 'GET', BOX)).json()
  t.equal(total, 200)
  const old = (mail_id: string, days: number) =>
    s.systemPool.query(
      "INSERT INTO mailbox (tenant_id, mail_id, at, recipient, subject, mime) VALUES ($1, $2, now() - $3 * interval '1 day', 'a@example.test', 'old', 'x')",
      [tenant_id, mail_id, days]
    )
  await tenantTransaction(s.systemPool, wholeWorkspace(tenant_id), (tx) => emptyMailbox(tx, tenant_id))
  await old('01890000-0000-7000-8000-000000000001', 31)
  await old('01890000-0000-7000-8000-000000000002', 29)
  t.equal(await forgetMails(s.systemPool), 1)
  t.match((await s.call(s.acme, 'GET', BOX)).json(), { total: 1, items: [{ id: '01890000-0000-7000-8000-000000000002' }] })
})

t.test('there is no mailbox without its setting or where SMTP is used', async (t) => {
  for (const [config, mail] of [
    [{}, 'none'],
    [{ mailbox: 'on', smtpUrl: 'smtp://127.0.0.1:2525' }, 'sent']
  ] as const) {
    const s = await stand(t, { config })
    await post(s, s.acme, 'left from before')
    const { rows } = await s.systemPool.query<{ mail_id: string }>('SELECT mail_id FROM mailbox')
    for (const path of [BOX, `${BOX}/${rows[0]?.mail_id}`, `${BOX}/${rows[0]?.mail_id}/html`])
      t.equal((await s.call(s.acme, 'GET', path)).statusCode, 404, path)
    t.equal((await s.call(s.acme, 'DELETE', BOX)).statusCode, 404)
    t.match((await s.call(s.acme, 'GET', '/api/v1/auth/session')).json(), { mail })
  }
})

t.test('malformed mails are read as far as possible', async (t) => {
  t.same(readMime(''), { headers: [], text: null, html: null })
  t.same(readMime('Subject: x\r\n\r\nbody'), { headers: [['Subject', 'x']], text: null, html: null })
  t.match(readMime('Content-Type: text/plain\nContent-Transfer-Encoding: quoted-printable\n\ngr=C3=BC=\n=C3=9Fe'), { text: 'grüße' })
  t.match(readMime('Content-Type: multipart/alternative; boundary="b"\n\n--b\nContent-Type: text/html\n\n<p>'), { html: null })
})

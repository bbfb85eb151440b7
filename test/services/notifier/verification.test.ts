/** Tests of the mail that confirms a channel's address, from the api to the mailbox and back. */
import t from 'tap'
import { createMailbox } from '../../../services/delivery/mail.ts'
import type { MailSender } from '../../../services/delivery/perform.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { ORIGIN, SECRETS_KEY, type Stand, stand } from '../api/stand.ts'
import { deployment, localSenders } from './channels.ts'

const CHANNELS = '/api/v1/notifications/channels'

const start = (s: Stand, mail: MailSender | null) => {
  const shared = { pool: s.systemPool, codec: localCodec(), log: createLog('test', 'silent'), metrics: createMetrics(), runs, pollMs: 20 }
  return startWorker({ ...shared, post: { ...localSenders(), mail, deployment, secretsKey: SECRETS_KEY, publicUrl: ORIGIN } })
}

const waiting = async (s: Stand): Promise<number[]> =>
  (await s.systemPool.query<{ attempts: number }>("SELECT attempts FROM jobs WHERE kind = 'verification_send'")).rows.map(
    ({ attempts }) => attempts
  )

t.test('the link in the mail confirms the address', async (t) => {
  const s = await stand(t)
  const sent: { recipient: string; subject: string; mime: string; tenant_id: string }[] = []
  const mailbox = createMailbox('no-reply@mail.test', async (tenant_id, mail) => void sent.push({ ...mail, tenant_id }))
  const made = await s.call(s.acme, 'POST', CHANNELS, { name: 'List', kind: 'email', config: { recipient: 'ops@list.example.com' } })
  t.match([made.statusCode, made.json()], [201, { verified_at: null }], made.body)
  const worker = start(s, mailbox)
  t.teardown(() => worker.close())
  await until('the job ends', async () => (await waiting(s)).length === 0)
  t.equal(sent.length, 1)
  t.match(sent[0], { recipient: 'ops@list.example.com', subject: 'Confirm mails of Service', tenant_id: s.acme.tenant_id })
  // Quoted-printable breaks lines and writes = as =3D.
  const text = (sent[0]?.mime ?? '').replaceAll('=\n', '').replaceAll('=3D', '=')
  const token = /\/links\/(cnf_[\w-]+)/.exec(text)?.[1] ?? ''
  t.match(text, 'wants to send its alerts to this address')
  t.match((await s.call(null, 'POST', `/api/v1/notifications/links/${token}`, {})).json(), { act: 'confirm', done: true })
  t.ok((await s.call(s.acme, 'GET', `${CHANNELS}/${made.json().id}`)).json().verified_at)
})

t.test('a busy mail server, and one that refuses this service, is tried again, an unknown mailbox is not', async (t) => {
  const s = await stand(t)
  const answers = [
    { status: 451, headers: {}, body: 'later' },
    { status: 550, headers: { command: 'RCPT TO' }, body: '5.7.1 <ops@list.example.com>: Relay access denied' },
    { status: 550, headers: { command: 'RCPT TO' }, body: 'nobody here' }
  ]
  let asked = 0
  const busy: MailSender = { send: async () => answers[asked++] ?? { status: 250, headers: {}, body: '' } }
  await s.call(s.acme, 'POST', CHANNELS, { name: 'List', kind: 'email', config: { recipient: 'ops@list.example.com' } })
  const worker = start(s, busy)
  t.teardown(() => worker.close())
  await until('it is put off', async () => asked === 1 && (await waiting(s))[0] === 1)
  await until('it is given up', async () => {
    await s.systemPool.query("UPDATE jobs SET run_at = now() WHERE kind = 'verification_send' AND lease_until <= now()")
    return (await waiting(s)).length === 0
  })
  t.equal(asked, 3)
  const { rows } = await s.systemPool.query('SELECT FROM dead_jobs')
  t.equal(rows.length, 0)
})

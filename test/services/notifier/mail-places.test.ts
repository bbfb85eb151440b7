/** Tests of the places that attempts by mail take, while the one mail server behind them fails. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { createSmtpSender } from '../../../services/delivery/mail.ts'
import { InFlight } from '../../../services/notifier/in-flight.ts'
import { MailPlaces } from '../../../services/notifier/mail-places.ts'
import { until } from '../../harness/until.ts'
import { type Stand, stand } from '../api/stand.ts'
import { channel, isQuiet, ledger, localSenders, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

/** Starts a mail server that greets and then says nothing, or that ends each connection. */
async function mailServer(t: Test, does: 'hang' | 'end') {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    if (does === 'end') socket.destroy()
    else socket.write('220 mail.test\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sender = createSmtpSender(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, 'Service <no-reply@mail.test>')
  const close = (): void => {
    sender.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  t.teardown(close)
  return { senders: { ...localSenders(), mail: sender }, sockets, close }
}

const mailboxes = async (s: Stand, count: number): Promise<void> => {
  for (let nth = 0; nth < count; nth++) await channel(s, s.acme, { kind: 'email', config: { recipient: `ops-${nth}@example.test` } })
}

t.test('a mail server that hangs holds up no message by another channel', async (t) => {
  const s = await stand(t, { jobs: true })
  const target = await receiver(t)
  const server = await mailServer(t, 'hang')
  await mailboxes(s, 16)
  const one = notifier(t, s, { maxInFlight: 64, senders: server.senders })
  await s.incident(s.acme, { dedup_key: 'int:x:1' })
  await until('the mails to wait for the server', () => server.sockets.size > 0)
  await until('all of them to be decided', async () => (await ledger(s)).length === 16)
  const hook = await channel(s, s.acme, { config: { url: `${target.url}/hook` } })
  await s.incident(s.acme, { dedup_key: 'int:x:2' })
  await until('the webhook', () => target.received.length === 1)
  const mails = (await ledger(s)).filter(({ channel_id }) => channel_id !== hook)
  t.ok(
    mails.every(({ attempt_log }) => attempt_log.length === 0),
    'no attempt by mail had to end first'
  )
  t.equal(mails.filter(({ state }) => state === 'sending').length, 2, 'an eighth of the share of the workspace')
  server.close()
  await one.close()
})

t.test('a mail server that keeps failing rests, and no address does', async (t) => {
  const s = await stand(t, { jobs: true })
  const server = await mailServer(t, 'end')
  await mailboxes(s, 12)
  notifier(t, s, { maxInFlight: 128, senders: server.senders })
  await s.incident(s.acme)
  const attempts = async (): Promise<number[]> => (await ledger(s)).map(({ attempt_log }) => attempt_log.length)
  const tried = async (): Promise<number> => (await attempts()).filter((count) => count > 0).length
  await until('five attempts', async () => (await tried()) >= 5)
  await until('those on their way', async () => !(await ledger(s)).some(({ state }) => state === 'sending'))
  t.ok((await tried()) < 12, 'others are not tried while the server rests')
  t.notOk(await isQuiet(s))
})

t.test('the mail server rests after five failures, and is tried by a few mails then', (t) => {
  const mail = new MailPlaces(new InFlight(), 256, 64)
  t.equal(mail.room(0).room, 32)
  for (let nth = 0; nth < 4; nth++) mail.failed(nth)
  t.equal(mail.room(9).room, 32)
  mail.failed(10)
  t.ok(mail.rests(15_009))
  t.equal(mail.room(15_009).room, 0)
  t.equal(mail.room(15_010).room, 4, 'a few try it')
  mail.failed(15_010)
  t.equal(mail.room(45_009).room, 0)
  mail.failed(45_010)
  mail.failed(105_010)
  t.ok(mail.rests(165_009))
  t.equal(mail.room(165_010).room, 4, 'at most a minute')
  mail.answered()
  t.equal(mail.room(165_010).room, 32)
  t.end()
})

t.test('mails have an eighth of the places, and half of these for what follows an attempt', (t) => {
  const inFlight = new InFlight()
  const mail = new MailPlaces(inFlight, 256, 64)
  const mails = (tenant_id: string, count: number) => Array.from({ length: count }, () => ({ tenant_id, target_id: 'x', kind: 'email' }))
  inFlight.add([...mails('acme', 8), { tenant_id: 'acme', target_id: 'y', kind: 'sms' }])
  t.same(mail.room(0), { room: 24, roomOfWorkspace: 8 })
  t.same(
    mail.roomAfter(
      mails('acme', 2).map((row) => ({ row })),
      0
    ),
    { room: 10, roomOfWorkspace: 4 }
  )
  t.notOk(mail.isRoomFor('acme', 0), 'the share of the workspace is taken')
  t.ok(mail.isRoomFor('globex', 0))
  inFlight.add(mails('globex', 24))
  t.notOk(mail.isRoomFor('initech', 0), 'all are taken')
  t.end()
})

/**
 * Tests that the telephone number and the e-mail address of a person are not in the ledger, which
 * everybody reads.
 */
import t from 'tap'
import type { Senders } from '../../../services/delivery/perform.ts'
import { ACCOUNT, AUTH_TOKEN, FROM } from '../../harness/twilio.ts'
import { until } from '../../harness/until.ts'
import { as, person } from '../api/people.ts'
import { asks, phone } from '../api/phoning.ts'
import { stand } from '../api/stand.ts'
import { deployment, isQuiet, ledger, localSenders, notifier } from './channels.ts'
import { receiver } from './receiver.ts'

const LEDGER = '/api/v1/notifications/deliveries'
const NUMBER = '+4915112345678'
const ADDRESS = 'Ann.Home@private.example'
const TOLD = /4915112345678|ann\.home/i

t.test('other people do not see the number and the address of a person in the ledger', async (t) => {
  const s = await stand(t, { jobs: true })
  const [ann, bo] = [await person(s, s.acme, 'ann-address', 'responder'), await person(s, s.acme, 'bo-address', 'responder')]
  const viewer = await person(s, s.acme, 'vi-address', 'viewer')
  const target = await receiver(t)
  target.answers.set(`/2010-04-01/Accounts/${ACCOUNT}/Messages.json`, (response) => {
    const body = JSON.stringify({ code: 21614, message: `${NUMBER} is not a valid mobile number`, to: NUMBER, status: 400 })
    response.writeHead(400, { 'content-type': 'application/json' }).end(body)
  })
  const twilio = { account_sid: ACCOUNT, credential: `${ACCOUNT}:${AUTH_TOKEN}`, from: FROM, messaging_service_sid: null }
  const mail: Senders['mail'] = {
    send: async ({ to }) => ({ status: 550, headers: {}, body: `550 5.1.1 <${to.toLowerCase()}>: Recipient address rejected` })
  }
  await phone(s, s.acme, ann.user_id, 'sms', NUMBER)
  await phone(s, s.acme, bo.user_id, 'email', ADDRESS)
  await asks(s, s.acme, ann.user_id, bo.user_id)
  notifier(t, s, { deployment: { ...deployment, base_urls: { twilio: target.url }, twilio }, senders: { ...localSenders(), mail } })
  const { incident_id } = await s.incident(s.acme)
  const ids = await until('both to have failed', async () => {
    const rows = (await ledger(s, incident_id)).filter(({ state }) => state === 'failed')
    return rows.length === 2 && (await isQuiet(s)) && rows
  })
  t.match(target.received[0]?.body, /To=%2B4915112345678/)
  const listed = async (who: { cookie: string }) => (await as(s, who, 'GET', `${LEDGER}?incident_id=${incident_id}`)).json().items
  const read = async (who: { cookie: string }, id: string) => (await as(s, who, 'GET', `${LEDGER}/${id}`)).json()
  const found = await listed(viewer)
  t.equal(found.length, ids.length)
  t.notMatch(JSON.stringify(found), TOLD)
  for (const { id, kind } of found) {
    const one = await read(viewer, id)
    t.match(one, { request: { body: /Disk.full/ }, attempts: [{ error: /\[secret\]/ }], reply: /\[secret\]/ }, kind)
    t.notMatch(JSON.stringify(one), TOLD)
  }
  t.notMatch(JSON.stringify((await s.systemPool.query('SELECT * FROM deliveries')).rows), TOLD)

  // As an older version wrote it.
  await s.systemPool.query(
    `UPDATE deliveries SET request = jsonb_build_object('method', 'POST', 'url', 'x', 'headers', '{}'::jsonb, 'body', $1::text),
            attempt_log = (SELECT jsonb_agg(a - 'masked' || jsonb_build_object('error', $1::text, 'reply', $1::text)) FROM jsonb_array_elements(attempt_log) AS a)
      WHERE incident_id = $2`,
    [NUMBER, incident_id]
  )
  const sms = found.find(({ kind }: { kind: string }) => kind === 'sms').id
  for (const who of [viewer, bo]) {
    t.notMatch(JSON.stringify((await listed(who)).filter(({ id }: { id: string }) => id === sms)), TOLD)
    t.match(await read(who, sms), { request: null, reply: null, attempts: [{ outcome: 'refused', http_status: 400, error: null }] })
  }
  t.match(await read(ann, sms), { request: { body: NUMBER }, reply: NUMBER, attempts: [{ error: NUMBER }] })
  t.match((await s.call(s.acme, 'GET', `${LEDGER}/${sms}`)).json(), { request: { body: NUMBER } })
})

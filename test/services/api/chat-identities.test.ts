/**
 * Tests of how a member is linked to a sender in a chat app. The link is private, works once and
 * for a limited time, and only for a person who is logged in. The identity ends with the
 * membership.
 */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { mintChatLink } from '../../../services/credentials/credentials.ts'
import { identityOf, type NamedSender, offerLink } from '../../../services/store/chat.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { as, audited, person } from './people.ts'
import { type Stand, stand } from './stand.ts'

const JO: NamedSender = { vendor: 'slack', account: 'T0001', sender: 'U0001', name: 'jo' }
const LINKS = '/api/v1/chat/links/look'
const IDENTITIES = '/api/v1/chat/identities'

/** Offers a link as a chat endpoint does for a sender that it does not know. */
async function offered(s: Stand, who: NamedSender = JO, seconds = 900): Promise<string> {
  const { value, sha256 } = mintChatLink()
  await offerLink(s.tenantPool, who, sha256, seconds)
  return value
}

const known = (s: Stand, who: NamedSender = JO) => identityOf(s.tenantPool, who)

t.test('a link connects a sender to a member once', async (t) => {
  const s = await stand(t)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const token = await offered(s)
  const look = await as(s, jo, 'POST', LINKS, { token })
  t.match([look.statusCode, look.json()], [200, { ...JO, expires_at: String }])
  t.equal(await known(s), null, 'to look at it does nothing')
  t.match((await as(s, jo, 'GET', IDENTITIES)).json(), { items: [] })

  const made = await as(s, jo, 'POST', IDENTITIES, { token })
  t.match([made.statusCode, made.json()], [201, { ...JO, id: String, linked_at: String }])
  t.same(await known(s), { tenant_id: s.acme.tenant_id, user_id: jo.user_id })
  t.equal((await as(s, jo, 'POST', IDENTITIES, { token })).statusCode, 404, 'good once')
  t.equal((await as(s, jo, 'POST', LINKS, { token })).statusCode, 404)
  t.match((await as(s, jo, 'GET', IDENTITIES)).json(), { items: [made.json()] })
  t.same((await s.call(s.acme, 'GET', IDENTITIES)).json(), { items: [], bots: [] }, 'everybody sees their own')

  const { id } = made.json()
  t.equal((await s.call(s.acme, 'DELETE', `${IDENTITIES}/${id}`)).statusCode, 404, 'and unlinks their own')
  t.equal((await as(s, jo, 'DELETE', `${IDENTITIES}/${id}`)).statusCode, 204)
  t.equal(await known(s), null)
  t.same(await audited(s, s.acme.tenant_id, id), ['chat_identity.linked', 'chat_identity.unlinked'])
  const { rows } = await s.systemPool.query("SELECT diff FROM audit WHERE action = 'chat_identity.linked'")
  t.same(rows, [{ diff: { sender: [null, 'slack:T0001:U0001'] } }])
  t.notOk(s.logged().includes(token), 'no log has it')
})

t.test('an old, replaced or unknown link is refused', async (t) => {
  const s = await stand(t)
  const jo = await person(s, s.acme, 'jo', 'viewer')
  const old = await offered(s, JO, -1)
  const first = await offered(s)
  const second = await offered(s, { ...JO, name: 'jo d' })
  const other = await offered(s, { ...JO, account: 'T0002' })
  for (const token of [old, first, 'cht_unknown'])
    for (const path of [LINKS, IDENTITIES])
      t.match((await as(s, jo, 'POST', path, { token })).json(), { code: 'NOT_FOUND', error: /unknown, used or too old/ })
  t.match((await as(s, jo, 'POST', LINKS, { token: second })).json(), { name: 'jo d' })
  t.match((await as(s, jo, 'POST', LINKS, { token: other })).json(), { account: 'T0002' }, 'another workspace has its own')
  t.equal((await s.systemPool.query('SELECT FROM chat_links')).rowCount, 2, 'what has expired is gone with the next')
  for (const token of [undefined, '', 'x'.repeat(101), 7])
    t.equal((await as(s, jo, 'POST', IDENTITIES, { token })).statusCode, 422, `${token}`)
  t.equal((await s.call(null, 'POST', LINKS, { token: second })).statusCode, 401, 'nobody looks who is not logged in')
  t.equal((await s.call(s.acme, 'POST', IDENTITIES, { token: second })).statusCode, 401, 'and no token links')
})

t.test('a sender is linked to one member of one workspace', async (t) => {
  const s = await stand(t)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const bo = await person(s, s.globex, 'bo', 'responder')
  const [first] = [await offered(s)]
  t.equal((await as(s, jo, 'POST', IDENTITIES, { token: first })).statusCode, 201)
  const again = await offered(s)
  const taken = await as(s, bo, 'POST', IDENTITIES, { token: again })
  t.match([taken.statusCode, taken.json().code], [409, 'CONFLICT'])
  t.notOk(/acme|jo@/i.test(taken.body), 'it does not say whose')
  t.same(await known(s), { tenant_id: s.acme.tenant_id, user_id: jo.user_id })

  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [jo.user_id])
  t.equal(await known(s), null, 'an account that is disabled is nobody')
  await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [jo.user_id])
  t.not(await known(s), null)
  t.equal((await s.call(s.acme, 'DELETE', `/api/v1/workspace/members/${jo.user_id}`)).statusCode, 204)
  t.equal(await known(s), null, 'it ends with the membership')
  t.equal((await as(s, bo, 'POST', IDENTITIES, { token: again })).statusCode, 201, 'and is free')
})

t.test('one of two simultaneous links wins, and a member has at most 20 senders', async (t) => {
  const s = await stand(t)
  const jo = await person(s, s.acme, 'jo', 'responder')
  const bo = await person(s, s.acme, 'bo', 'responder')
  const token = await offered(s)
  const both = await Promise.all([jo, bo].map((who) => as(s, who, 'POST', IDENTITIES, { token })))
  t.same(both.map(({ statusCode }) => statusCode).sort(), [201, 404])
  for (let n = 0; n < 20; n++)
    await s.systemPool.query(
      `INSERT INTO chat_identities (tenant_id, identity_id, user_id, vendor, account, sender, name)
       VALUES ($1, gen_random_uuid(), $2, 'discord', 'G1', $3, '')`,
      [s.acme.tenant_id, s.acme.user_id, String(n)]
    )
  const owner = await s.call(null, 'POST', '/api/v1/auth/login', { email: s.acme.email, password: 'correct horse battery staple' })
  const cookie = [owner.headers['set-cookie']].flat().join().split(';')[0] ?? ''
  const more = await as(s, { cookie }, 'POST', IDENTITIES, { token: await offered(s, { ...JO, sender: 'U0009' }) })
  t.match([more.statusCode, more.json().error], [409, /20 senders/])
})

t.test('the database role of the api reads no links and no identities of other workspaces', async (t) => {
  const s = await stand(t)
  await offered(s)
  await t.rejects(s.tenantPool.query('SELECT * FROM chat_links'), { code: '42501' })
  const jo = await person(s, s.acme, 'jo', 'responder')
  t.equal((await as(s, jo, 'POST', IDENTITIES, { token: await offered(s) })).statusCode, 201)
  const seen = await tenantTransaction(s.tenantPool, { tenant_id: s.globex.tenant_id, seen_by: null }, (tx) =>
    tx.query('SELECT * FROM chat_identities')
  )
  t.equal(seen.rowCount, 0)
})

t.test('only owners and admins list and unlink the linked senders', async (t) => {
  const s = await stand(t)
  const LINKED = '/api/v1/workspace/chat-identities'
  const jo = await person(s, s.acme, 'jo', 'responder')
  const eve = await person(s, s.acme, 'eve', 'editor')
  const ada = await person(s, s.acme, 'ada', 'admin')
  for (const [who, name] of [
    [jo, 'jo'],
    [eve, 'eve']
  ] as const)
    t.equal((await as(s, who, 'POST', IDENTITIES, { token: await offered(s, { ...JO, sender: `U-${name}`, name }) })).statusCode, 201)
  const all = await as(s, ada, 'GET', LINKED)
  t.match(
    [all.statusCode, all.json()],
    [
      200,
      {
        total: 2,
        items: [
          {
            vendor: 'slack',
            account: 'T0001',
            sender: 'U-eve',
            name: 'eve',
            linked_at: String,
            member: { user_id: eve.user_id, name: 'eve' }
          },
          { sender: 'U-jo', member: { user_id: jo.user_id, email: String } }
        ]
      }
    ]
  )
  t.match((await s.call(s.acme, 'GET', `${LINKED}?user_id=${jo.user_id}`)).json(), { total: 1, items: [{ sender: 'U-jo' }] })
  t.match((await s.call(s.acme, 'GET', `${LINKED}?per_page=1&page=2`)).json(), { total: 2, items: [{ sender: 'U-jo' }] })
  t.same((await s.call(s.globex, 'GET', LINKED)).json().items, [])
  const { id } = all.json().items[1]
  for (const who of [jo, eve]) {
    t.equal((await as(s, who, 'GET', LINKED)).statusCode, 403)
    t.equal((await as(s, who, 'DELETE', `${LINKED}/${id}`)).statusCode, 403)
  }
  t.equal((await s.call(s.globex, 'DELETE', `${LINKED}/${id}`)).statusCode, 404)
  t.equal((await as(s, ada, 'DELETE', `${LINKED}/${id}`)).statusCode, 204)
  t.equal((await as(s, ada, 'DELETE', `${LINKED}/${id}`)).statusCode, 404)
  t.equal(await known(s, { ...JO, sender: 'U-jo' }), null, 'it acts for nobody from then on')
  t.match((await as(s, jo, 'GET', IDENTITIES)).json(), { items: [] })
  const { rows } = await s.systemPool.query("SELECT actor_id, diff FROM audit WHERE action = 'chat_identity.unlinked' AND object_id = $1", [
    id
  ])
  t.match(rows, [{ diff: { sender: ['slack:T0001:U-jo', null], user_id: [jo.user_id, null] } }])
})

t.test('when an admin unlinks an account, the contact methods there end', async (t) => {
  const s = await stand(t, { config: { telegramBotToken: '123456789:AAfirst', telegramBotName: 'acme_bot' } })
  const jo = await person(s, s.acme, 'jo', 'responder')
  const method = async (kind: string, address: string) =>
    s.systemPool.query(
      `INSERT INTO contact_methods (tenant_id, method_id, user_id, kind, address, verified_at, position) VALUES ($1, gen_random_uuid(), $2, $3, $4, now(), 5)`,
      [s.acme.tenant_id, jo.user_id, kind, address]
    )
  const methods = async (): Promise<string[]> =>
    (await as(s, jo, 'GET', '/api/v1/notifications/preferences'))
      .json()
      .contact_methods.map(({ kind, address }: Record<string, string>) => `${kind} ${address}`)
      .filter((one: string) => !one.startsWith('email'))
  const link = async (who: NamedSender): Promise<string> => {
    const made = await as(s, jo, 'POST', IDENTITIES, { token: await offered(s, who) })
    if (made.statusCode !== 201) throw new Error(made.body)
    return made.json().id
  }
  const unlink = async (id: string) => t.equal((await s.call(s.acme, 'DELETE', `/api/v1/workspace/chat-identities/${id}`)).statusCode, 204)

  const slack = await link(JO)
  await method('slack_dm', 'T0001:U0001')
  const telegram = await link({ vendor: 'telegram', account: '123456789', sender: '77', name: 'jo' })
  t.same((await methods()).sort(), ['slack_dm T0001:U0001', 'telegram 77'])
  await unlink(slack)
  await unlink(telegram)
  t.same(await methods(), [])

  // Left behind by an earlier version.
  await method('telegram', '77')
  const again = await link({ vendor: 'telegram', account: '123456789', sender: '77', name: 'jo' })
  t.same(await methods(), ['telegram 77'])
  await unlink(again)
  t.same(await methods(), [])

  await link(JO)
  for (const [kind, address] of [
    ['slack_dm', 'T0001:U0001'],
    ['slack_dm', 'T0001:U0002'],
    ['telegram', '77'],
    ['sms', '+4915112345678']
  ] as const)
    await method(kind, address)
  await s.ownerPool.query(readFileSync('schemas/postgres/0192_methods_without_a_link.sql', 'utf8'))
  t.same((await methods()).sort(), ['slack_dm T0001:U0001', 'sms +4915112345678'], 'methods without a link end')
})

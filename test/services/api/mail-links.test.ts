/**
 * Tests of the links in mails. Opening a link changes nothing; a POST does what the link says, and
 * the service decides at that moment whether it is allowed.
 */
import t from 'tap'
import { uuidv7 } from '../../../schemas/uuid.ts'
import { type Link, linkActs, mintLink, readLink, verifyLink } from '../../../services/credentials/links.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { SECRETS_KEY, type Stand, stand, type Workspace } from './stand.ts'

const LINKS = '/api/v1/notifications/links'
const CHANNELS = '/api/v1/notifications/channels'
const SOON = Math.floor(Date.now() / 1000) + 3600

/** Returns the token in the mail of the newest confirmation. */
async function confirmation(s: Stand, { tenant_id }: Workspace): Promise<string> {
  const { rows } = await s.systemPool.query<{ payload: { verification_id: string; code_sealed: string } }>(
    "SELECT payload FROM jobs WHERE tenant_id = $1 AND kind = 'verification_send' ORDER BY run_at DESC LIMIT 1",
    [tenant_id]
  )
  const { verification_id, code_sealed } = rows[0]?.payload ?? { verification_id: '', code_sealed: '' }
  return openForTenant(SECRETS_KEY, { tenant_id, resource: `verification:${verification_id}`, field: 'code' }, code_sealed)
}

async function mailChannel(s: Stand, who: Workspace, recipient = 'ops@list.example.com'): Promise<string> {
  const made = await s.call(who, 'POST', CHANNELS, { name: 'List', kind: 'email', config: { recipient } })
  return made.json().id
}

async function member(s: Stand, { tenant_id }: Workspace, role: string): Promise<string> {
  const user_id = uuidv7()
  await s.systemPool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES ($1, $2, 'Mia', '-')", [
    user_id,
    `${user_id}@example.test`
  ])
  await s.systemPool.query('INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, $3)', [tenant_id, user_id, role])
  return user_id
}

t.test('a link token can be read, and any change breaks its MAC', async (t) => {
  const link: Link = { act: 'stop', tenant_id: uuidv7(), object_id: uuidv7(), user_id: null, until: SOON }
  const token = mintLink(SECRETS_KEY, link, 'a@example.test')
  t.ok(token.length < 200)
  t.same(readLink(token), link)
  t.equal(mintLink(SECRETS_KEY, link, 'a@example.test'), token, 'the same for every attempt')
  const now = Date.now()
  t.ok(verifyLink(SECRETS_KEY, token, now, 'a@example.test'))
  t.notOk(verifyLink(SECRETS_KEY, token, now, 'b@example.test'))
  t.notOk(verifyLink(SECRETS_KEY, token, SOON * 1000, 'a@example.test'), 'too old')
  t.notOk(verifyLink('f'.repeat(64), token, now, 'a@example.test'))
  t.notOk(verifyLink('', token, now, 'a@example.test'))
  const bytes = Buffer.from(token.slice(4), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const forged = Buffer.from(bytes)
    forged[at] = (forged[at] ?? 0) ^ 1
    t.notOk(verifyLink(SECRETS_KEY, `lnk_${forged.toString('base64url')}`, now, 'a@example.test'), `byte ${at}`)
  }
  for (const odd of ['', 'lnk_', 'lnk_AAAA', 'cnf_abc', `${token}A`, 'lnk_ä']) t.equal(readLink(odd), null, odd)
  for (const act of linkActs) t.equal(readLink(mintLink(SECRETS_KEY, { ...link, act, user_id: uuidv7() }))?.act, act)
})

t.test('a confirmation link can be opened many times and used once', async (t) => {
  const s = await stand(t)
  const id = await mailChannel(s, s.acme)
  const token = await confirmation(s, s.acme)
  const proven = async () => (await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json().verified_at
  for (const method of ['GET', 'HEAD', 'GET']) t.equal((await s.call(null, method, `${LINKS}/${token}`)).statusCode, 200, method)
  t.match((await s.call(null, 'GET', `${LINKS}/${token}`)).json(), {
    act: 'confirm',
    workspace: 'acme',
    subject: 'ops@list.example.com',
    done: false
  })
  const led = await s.call(null, 'GET', `${CHANNELS}/confirm?token=${token}`)
  t.match([led.statusCode, led.headers.location], [302, new RegExp(`/links/${token}$`)])
  t.equal(await proven(), null, 'nothing was changed by looking')
  t.match((await s.call(null, 'POST', `${LINKS}/${token}`, {})).json(), { act: 'confirm', done: true })
  t.ok(await proven())
  t.equal((await s.call(null, 'POST', `${LINKS}/${token}`, {})).statusCode, 404, 'once')
  t.equal((await s.call(null, 'GET', `${LINKS}/cnf_${'0'.repeat(64)}`)).statusCode, 404)
})

t.test('one click stops the mails of a channel and changes no contact method', async (t) => {
  const s = await stand(t)
  const recipient = 'ops@list.example.com'
  const id = await mailChannel(s, s.acme, recipient)
  await s.call(null, 'POST', `${LINKS}/${await confirmation(s, s.acme)}`, {})
  const mint = (over: Partial<Link> = {}, to = recipient) =>
    mintLink(SECRETS_KEY, { act: 'stop', tenant_id: s.acme.tenant_id, object_id: id, user_id: null, until: SOON, ...over }, to)
  const token = mint()
  const read = async () => (await s.call(s.acme, 'GET', `${CHANNELS}/${id}`)).json()

  const browser = await s.call(null, 'GET', `${LINKS}/${token}`, undefined, { headers: { accept: 'text/html,*/*' } })
  t.match([browser.statusCode, browser.headers.location], [302, new RegExp(`/links/${token}$`)], 'a browser is asked first')
  t.match((await s.call(null, 'GET', `${LINKS}/${token}`)).json(), { act: 'stop', subject: recipient, done: false })
  t.match(await read(), { enabled: true }, 'nothing was changed by looking')

  for (const [bad, why] of [
    [mint({ until: 1 }), 'too old'],
    [mint({ tenant_id: s.globex.tenant_id }), 'of another workspace'],
    [mint({}, 'other@example.com'), 'of another address'],
    [`${token.slice(0, -2)}AA`, 'forged']
  ] as const)
    t.equal((await s.call(null, 'POST', `${LINKS}/${bad}`, {})).statusCode, 404, why)
  t.match(await read(), { enabled: true })

  const before = (await s.systemPool.query('SELECT * FROM contact_methods ORDER BY method_id')).rows
  const clicked = await s.app.inject({
    method: 'POST',
    url: `${LINKS}/${token}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'List-Unsubscribe=One-Click'
  })
  t.match([clicked.statusCode, clicked.json()], [200, { act: 'stop', done: true }])
  t.match(await read(), { enabled: false, verified_at: null, health: { last_error: /stopped these mails/ } })
  t.same((await s.systemPool.query('SELECT * FROM contact_methods ORDER BY method_id')).rows, before)
  t.equal((await s.call(null, 'POST', `${LINKS}/${token}`, {})).statusCode, 200, 'again is no fault')
  const { rows } = await s.systemPool.query("SELECT actor_kind, via FROM audit WHERE action = 'channel.stopped'")
  t.same(rows, [{ actor_kind: 'system', via: 'mail' }])

  await s.systemPool.query("DELETE FROM jobs WHERE kind = 'verification_send'")
  await s.call(s.acme, 'PATCH', `${CHANNELS}/${id}`, { enabled: true })
  t.match(await confirmation(s, s.acme), /^cnf_/, 'turned on again, the address is asked again')
  t.match(await read(), { enabled: true, verified_at: null })
})

t.test('a member acts from a mail link with the rights of that moment', async (t) => {
  const s = await stand(t)
  const { tenant_id } = s.acme
  const mia = await member(s, s.acme, 'responder')
  const { incident_id, key } = await s.incident(s.acme)
  const mint = (over: Partial<Link> = {}) =>
    mintLink(SECRETS_KEY, { act: 'acknowledge', tenant_id, object_id: incident_id, user_id: mia, until: SOON, ...over })
  const read = async () => (await s.call(s.acme, 'GET', `/api/v1/incidents/${incident_id}`)).json()
  const use = async (token: string) => (await s.call(null, 'POST', `${LINKS}/${token}`, {})).statusCode

  t.match((await s.call(null, 'GET', `${LINKS}/${mint()}`)).json(), {
    act: 'acknowledge',
    person: 'Mia',
    subject: new RegExp(`^${key}: `),
    done: false
  })
  t.match(await read(), { acknowledged_at: null }, 'nothing was changed by looking')

  t.equal(await use(mint({ until: 1 })), 404, 'too old')
  t.equal(await use(mint({ user_id: null })), 404, 'of nobody')
  t.equal(await use(mint({ user_id: s.globex.user_id })), 404, 'no member')
  t.equal(await use(mint({ tenant_id: s.globex.tenant_id })), 404, 'another workspace')
  await s.systemPool.query("UPDATE members SET role = 'viewer' WHERE user_id = $1", [mia])
  t.equal(await use(mint()), 403, 'a role that may not act any more')
  await s.systemPool.query("UPDATE members SET role = 'responder' WHERE user_id = $1", [mia])
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [mia])
  t.equal(await use(mint()), 404, 'a disabled account')
  await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [mia])
  const team = (await s.call(s.acme, 'POST', '/api/v1/teams', { name: 'Quiet', visibility: 'private' })).json()
  await s.call(s.acme, 'PATCH', `/api/v1/incidents/${incident_id}`, { team_id: team.id })
  t.equal(await use(mint()), 404, 'what she must not see is not there')
  t.equal((await s.call(null, 'GET', `${LINKS}/${mint()}`)).statusCode, 404)
  t.match(await read(), { acknowledged_at: null }, 'none of them did anything')

  await s.call(s.acme, 'PUT', `/api/v1/teams/${team.id}/members/${mia}`, { role: 'member' })
  t.match((await s.call(null, 'POST', `${LINKS}/${mint()}`, {})).json(), { act: 'acknowledge', done: true })
  t.match(await read(), { acknowledged_by: `user:${mia}` })
  t.equal(await use(mint()), 200, 'again is no fault')
  t.equal(await use(mint({ act: 'resolve' })), 200)
  t.match(await read(), { status: 'resolved', resolved_by: `user:${mia}` })
  const { rows } = await s.systemPool.query(
    "SELECT action, actor_kind, actor_id, via FROM audit WHERE action IN ('incident.acknowledged', 'incident.resolved') ORDER BY audit_id"
  )
  const by = { actor_kind: 'user', actor_id: mia, via: 'mail' }
  t.same(rows, [
    { action: 'incident.acknowledged', ...by },
    { action: 'incident.resolved', ...by }
  ])
  t.equal(await use(mint()), 409, 'it is over')
  await s.systemPool.query('DELETE FROM members WHERE user_id = $1', [mia])
  t.equal(await use(mint({ act: 'resolve' })), 404, 'no member any more')
  t.notMatch(s.logged(), /lnk_|cnf_/, 'no log has a token')
})

/**
 * Tests of a forgotten password: the mail with the link, the new password, and what neither tells a
 * stranger.
 */
import t from 'tap'
import { mintReset, readReset, verifyReset } from '../../../services/credentials/reset-links.ts'
import { createMailbox } from '../../../services/delivery/mail.ts'
import { runs } from '../../../services/notifier/jobs/index.ts'
import { startWorker } from '../../../services/notifier/worker.ts'
import { passwordLink } from '../../../services/operator/password-link.ts'
import { createLog } from '../../../services/process/log.ts'
import { createMetrics } from '../../../services/process/metrics.ts'
import { localCodec } from '../../harness/codec.ts'
import { until } from '../../harness/until.ts'
import { deployment, localSenders } from '../notifier/channels.ts'
import { anAddress, audited } from './people.ts'
import { login, ORIGIN, PASSWORD, SECRETS_KEY, type Stand, stand } from './stand.ts'

const FORGOT = '/api/v1/auth/password/forgot'
const RESET = '/api/v1/auth/password/reset'
const CHOSEN = 'seven green tractors'

const withMail = { jobs: true, config: { smtpUrl: 'smtp://127.0.0.1:9' } } as const

const forgot = (s: Stand, email: string, remoteAddress = anAddress()) => s.call(null, 'POST', FORGOT, { email }, { remoteAddress })
const reset = (s: Stand, token: string, password = CHOSEN) =>
  s.call(null, 'POST', RESET, { token, password }, { remoteAddress: anAddress() })
const enter = (s: Stand, email: string, password: string) =>
  s.call(null, 'POST', '/api/v1/auth/login', { email, password }, { remoteAddress: anAddress() })

const jobs = async (s: Stand): Promise<{ payload: Record<string, unknown> }[]> =>
  (await s.systemPool.query<{ payload: Record<string, unknown> }>("SELECT payload FROM jobs WHERE kind = 'password_reset'")).rows

const linkOf = (s: Stand, email: string, now = Date.now()): Promise<string> =>
  passwordLink(s.systemPool, { secretsKey: SECRETS_KEY, publicUrl: ORIGIN }, email, now)
const tokenIn = (text: string): string => /\/password\/(pwd_[\w-]+)/.exec(text)?.[1] ?? ''

t.test('the link in the mail sets a new password once, and ends every session', async (t) => {
  const s = await stand(t, withMail)
  const { email, user_id, tenant_id } = s.acme
  const { cookie } = await login(s, email)
  const session = () => s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers: { cookie } })
  t.equal((await session()).statusCode, 200)

  const answer = await forgot(s, email.toUpperCase())
  t.equal(answer.statusCode, 202, answer.body)
  t.equal(answer.headers['cache-control'], 'no-store')
  t.same(await jobs(s), [{ payload: { user_id } }], 'no job holds a link')

  const sent: { recipient: string; subject: string; mime: string }[] = []
  const mailbox = createMailbox('no-reply@mail.test', async (_tenant_id, mail) => void sent.push(mail))
  const shared = { pool: s.systemPool, codec: localCodec(), log: createLog('test', 'silent'), metrics: createMetrics(), runs, pollMs: 20 }
  const post = { ...localSenders(), mail: mailbox, deployment, secretsKey: SECRETS_KEY, publicUrl: ORIGIN }
  const worker = startWorker({ ...shared, post })
  t.teardown(() => worker.close())
  await until('the job ends', async () => (await jobs(s)).length === 0)
  t.match(sent, [{ recipient: email, subject: 'Set a new password for Service' }])
  // Quoted-printable breaks lines and writes = as =3D.
  const token = tokenIn((sent[0]?.mime ?? '').replaceAll('=\n', '').replaceAll('=3D', '='))
  t.not(token, '')

  const weak = await reset(s, token, 'passwordpassword')
  t.match([weak.statusCode, weak.json().details], [422, [{ path: 'password', rule: 'common_password' }]])
  t.equal((await reset(s, token, 'short')).statusCode, 422)
  t.equal((await session()).statusCode, 200, 'nothing was changed so far')
  t.equal((await reset(s, token)).statusCode, 204)
  // Caches of credentials hear of it from Postgres.
  await until('the session has ended', async () => (await session()).statusCode === 401)
  t.equal((await enter(s, email, PASSWORD)).statusCode, 401)
  t.equal((await enter(s, email, CHOSEN)).statusCode, 200)
  const again = await reset(s, token, 'eight green tractors')
  t.match([again.statusCode, again.json().code], [410, 'TOKEN_EXPIRED'])
  t.match(await audited(s, tenant_id, user_id), ['session.started', 'account.password_reset', 'session.started'])
  t.notOk(s.logged().includes(token))
})

t.test('a stranger learns nothing, and cannot fill a mailbox', async (t) => {
  const s = await stand(t, withMail)
  const known = await forgot(s, s.acme.email)
  const unknown = await forgot(s, 'nobody@example.test')
  t.same([unknown.statusCode, unknown.body], [known.statusCode, known.body])
  t.same(await jobs(s), [{ payload: { user_id: s.acme.user_id } }])

  await s.systemPool.query("DELETE FROM jobs WHERE kind = 'password_reset'")
  t.equal((await forgot(s, s.acme.email)).statusCode, 202)
  t.same(await jobs(s), [], 'one mail in five minutes')
  await s.systemPool.query("UPDATE users SET reset_asked_at = now() - interval '6 minutes' WHERE user_id = $1", [s.acme.user_id])
  await forgot(s, s.acme.email)
  t.equal((await jobs(s)).length, 1)

  const address = anAddress()
  const statuses = []
  for (let n = 0; n < 6; n++) statuses.push((await forgot(s, 'nobody@example.test', address)).statusCode)
  t.same(statuses, [202, 202, 202, 202, 202, 429])

  const bodies: [string, object][] = [
    [FORGOT, { email: 'a@b.test' }],
    [RESET, { token: 'x', password: CHOSEN }]
  ]
  for (const [path, body] of bodies) {
    const elsewhere = await s.call(null, 'POST', path, body, { headers: { origin: 'https://elsewhere.example' } })
    t.match([elsewhere.statusCode, elsewhere.json().code], [403, 'ORIGIN_REJECTED'], path)
  }
  for (const body of [{}, { email: 'x' }, { email: 1 }, { email: 'a@b.test', more: true }])
    t.equal((await s.call(null, 'POST', FORGOT, body, { remoteAddress: anAddress() })).statusCode, 422, JSON.stringify(body))
})

t.test('where no mail is sent, the answer says whom to ask, and an operator makes the link', async (t) => {
  for (const config of [{}, { mailbox: 'on' as const }]) {
    const s = await stand(t, { config })
    const answer = await forgot(s, s.acme.email)
    t.match([answer.statusCode, answer.json()], [501, { code: 'NOT_IMPLEMENTED', error: /operator/ }])
    t.same(await jobs(s), [])
  }
  const s = await stand(t)
  const link = await linkOf(s, s.acme.email)
  t.match(link, new RegExp(`^${ORIGIN}/password/pwd_`))
  t.equal((await reset(s, tokenIn(link))).statusCode, 204)
  t.equal((await enter(s, s.acme.email, CHOSEN)).statusCode, 200)
  t.match(await audited(s, s.acme.tenant_id, s.acme.user_id), ['account.password_link_made', 'account.password_reset', 'session.started'])
  await t.rejects(linkOf(s, 'nobody@example.test'), /there is no account/)
})

t.test('links that are too old, forged, of another key or of a disabled account', async (t) => {
  const s = await stand(t, withMail)
  const { email, user_id } = s.acme
  const token = tokenIn(await linkOf(s, email))
  const { rows } = await s.systemPool.query<{ password_hash: string }>('SELECT password_hash FROM users WHERE user_id = $1', [user_id])
  const hash = rows[0]?.password_hash ?? ''
  const made = readReset(token)
  if (!made) throw new Error('the token has no form')
  t.ok(verifyReset(SECRETS_KEY, token, Date.now(), hash))
  t.notOk(verifyReset('', token, Date.now(), hash))
  const other = mintReset(SECRETS_KEY, { ...made, user_id: s.globex.user_id }, hash)
  const wrong: [string, string][] = [
    ['too old', tokenIn(await linkOf(s, email, Date.now() - 3_601_000))],
    ['of another key', mintReset('b'.repeat(64), made, hash)],
    ['of another person', other],
    ['of an earlier password', mintReset(SECRETS_KEY, made, `${hash}x`)],
    ['a letter is different', token.slice(0, -2) + (token.endsWith('AA') ? 'BA' : 'AA')],
    ['no token', 'pwd_'],
    ['nothing of this', 'inv_0123']
  ]
  for (const [name, one] of wrong) {
    const answer = await reset(s, one)
    t.match([answer.statusCode, answer.json().code], [410, 'TOKEN_EXPIRED'], name)
  }
  await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [user_id])
  t.equal((await reset(s, token)).statusCode, 410, 'a disabled account stays so')
  t.equal((await forgot(s, email)).statusCode, 202)
  t.same(await jobs(s), [])
  await t.rejects(linkOf(s, email), /disabled/)
})

/**
 * Tests of the account endpoints: what people can change about their own account, and the password.
 * A change of password ends every other session of that person in every workspace.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { accept, anAddress, as, audited, invite } from './people.ts'
import { login, PASSWORD, stand } from './stand.ts'

const ACCOUNT = '/api/v1/account'
const NEXT = 'a longer horse, a better staple'

t.test('the account endpoints', async (t) => {
  const s = await stand(t)

  await t.test('a person changes name, time zone and locale, and nothing else changes', async (t) => {
    const home = await s.workspace('profile')
    const { cookie } = await login(s, home.email)
    const before = (await as(s, { cookie }, 'GET', ACCOUNT)).json()
    const wanted = { name: 'Ada L.', time_zone: 'Europe/Berlin', locale: 'de-AT' }
    const changed = await as(s, { cookie }, 'PATCH', ACCOUNT, wanted)
    t.equal(changed.statusCode, 200)
    t.equal(changed.headers['cache-control'], 'no-store')
    const { updated_at: _a, ...was } = before.user
    const { updated_at: _b, ...is } = changed.json().user
    t.same(is, { ...was, ...wanted })
    t.same((await as(s, { cookie }, 'GET', ACCOUNT)).json(), changed.json(), 'what was answered is the truth')
    t.same((await as(s, { cookie }, 'PATCH', ACCOUNT, wanted)).json(), changed.json(), 'a repeat changes nothing')
    t.same((await as(s, { cookie }, 'PATCH', ACCOUNT, {})).json(), changed.json(), 'nor does nothing')
    const { rows } = await s.systemPool.query("SELECT diff, actor_id FROM audit WHERE action = 'account.updated' AND tenant_id = $1", [
      home.tenant_id
    ])
    t.same(rows, [
      { diff: { name: ['profile', 'Ada L.'], time_zone: [null, 'Europe/Berlin'], locale: ['en', 'de-AT'] }, actor_id: home.user_id }
    ])
    t.equal((await s.call(home, 'PATCH', ACCOUNT, { name: 'By token' })).json().user.name, 'By token', 'a token changes its owner')
    const short = await as(s, { cookie }, 'PATCH', ACCOUNT, { time_zone: 'JST' })
    t.equal(short.json().user?.time_zone, 'Asia/Tokyo', 'a short name is stored as the zone that it means')
    t.equal(was.time_zone, null, 'until one is chosen it is that of the browser')
    t.equal((await as(s, { cookie }, 'PATCH', ACCOUNT, { time_zone: null })).json().user.time_zone, null, 'and it can be again')
  })

  await t.test('invalid changes of an account are refused', async (t) => {
    const home = await s.workspace('refused')
    const { cookie } = await login(s, home.email)
    const cases: [object, string][] = [
      [{ name: '' }, 'name length'],
      [{ name: '   ' }, 'name pattern'],
      [{ name: 'a\nb' }, 'name pattern'],
      [{ name: null }, 'name type'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone unknown_zone'],
      [{ time_zone: '+02:00' }, 'time_zone unknown_zone'],
      [{ time_zone: '' }, 'time_zone length'],
      [{ locale: 'German' }, 'locale pattern'],
      [{ email: 'other@example.test' }, 'email unknown_field'],
      [{ role: 'owner' }, 'role unknown_field'],
      [{ mfa_enabled: false }, 'mfa_enabled unknown_field'],
      [{ password: 'elevenchars', current_password: PASSWORD }, 'password length'],
      [{ password: 'x'.repeat(257), current_password: PASSWORD }, 'password length'],
      [{ password: NEXT }, 'current_password required'],
      [{ password: NEXT, current_password: 'wrong' }, 'current_password wrong_password'],
      [{ name: 'Half', password: NEXT, current_password: 'wrong' }, 'current_password wrong_password']
    ]
    const before = (await as(s, { cookie }, 'GET', ACCOUNT)).json()
    for (const [body, wanted] of cases) {
      const answer = await as(s, { cookie }, 'PATCH', ACCOUNT, body)
      t.equal(answer.statusCode, 422, JSON.stringify(body))
      const [detail] = answer.json().details
      t.equal(`${detail.path} ${detail.rule}`, wanted)
    }
    const byToken = await s.call(home, 'PATCH', ACCOUNT, { password: NEXT, current_password: PASSWORD })
    t.match(byToken.json(), { code: 'FORBIDDEN' }, 'a token changes no password')
    t.same((await as(s, { cookie }, 'GET', ACCOUNT)).json(), before, 'nothing changed')
    t.ok((await login(s, home.email)).cookie)
  })

  await t.test('a new password ends all other sessions of the person and of nobody else', async (t) => {
    const home = await s.workspace('secretive')
    await s.systemPool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'viewer')", [s.globex.tenant_id, home.user_id])
    const here = await login(s, home.email)
    const laptop = await login(s, home.email)
    const switched = await as(s, await login(s, home.email), 'POST', '/api/v1/auth/workspace', { workspace_id: s.globex.tenant_id })
    const away = [switched.headers['set-cookie']].flat().join().split(';')[0] ?? ''
    const neighbour = await login(s, s.globex.email)
    const alive = async (cookie: string) => (await as(s, { cookie }, 'GET', ACCOUNT)).statusCode === 200
    for (const cookie of [here.cookie, laptop.cookie, away, neighbour.cookie]) t.ok(await alive(cookie))

    const changed = await as(s, here, 'PATCH', ACCOUNT, { password: NEXT, current_password: PASSWORD })
    t.equal(changed.statusCode, 200)
    t.notMatch(changed.body, /argon2|staple/)
    await until('the others are refused', async () => !(await alive(laptop.cookie)) && !(await alive(away)))
    t.ok(await alive(here.cookie), 'the one that changed it goes on')
    t.ok(await alive(neighbour.cookie))
    t.equal((await s.call(home, 'GET', ACCOUNT)).statusCode, 200, 'tokens stay')
    await t.rejects(login(s, home.email), /INVALID_CREDENTIALS/, 'the old one is good no more')
    t.ok((await login(s, home.email, { password: NEXT })).cookie)
    t.ok((await audited(s, home.tenant_id, home.user_id)).includes('account.password_changed'))
    const logged = s.logged()
    const { rows } = await s.systemPool.query('SELECT diff::text AS diff FROM audit WHERE tenant_id = $1', [home.tenant_id])
    for (const secret of [NEXT, PASSWORD, 'argon2']) t.notOk(logged.includes(secret) || JSON.stringify(rows).includes(secret))
  })

  await t.test('of two simultaneous password changes, one succeeds', async (t) => {
    const home = await s.workspace('racing')
    const { cookie } = await login(s, home.email)
    const wanted = ['first of the two horses', 'second of the two horses']
    const answers = await Promise.all(
      wanted.map((password) => as(s, { cookie }, 'PATCH', ACCOUNT, { password, current_password: PASSWORD }))
    )
    const outcomes = answers.map((answer) => (answer.statusCode === 200 ? 'changed' : answer.json().code))
    t.equal(outcomes.filter((outcome) => outcome === 'changed').length, 1)
    t.ok(outcomes.includes('CONFLICT') || outcomes.includes('VALIDATION_FAILED'), outcomes.join())
    const winner = wanted[outcomes.indexOf('changed')] ?? ''
    t.ok((await login(s, home.email, { password: winner })).cookie)
  })

  await t.test('nobody gets a session by the old password while it is being changed', async (t) => {
    const home = await s.workspace('overtaken')
    await s.systemPool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'viewer')", [s.globex.tenant_id, home.user_id])
    const { token } = await invite(s, s.acme, home.email, 'viewer')
    const session = await login(s, home.email)
    const logIn = { email: home.email, password: PASSWORD }
    const cases: [string, () => Promise<{ statusCode: number; body: string }>][] = [
      ['a log-in', () => s.call(null, 'POST', '/api/v1/auth/login', logIn, { remoteAddress: anAddress() })],
      ['an accepted invite', () => accept(s, token, { password: PASSWORD })],
      ['a switch to another workspace', () => as(s, session, 'POST', '/api/v1/auth/workspace', { workspace_id: s.globex.tenant_id })]
    ]
    for (const [name, attempt] of cases) {
      const change = await s.systemPool.connect()
      try {
        const { rows: own } = await change.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
        await change.query('BEGIN')
        await change.query("UPDATE users SET password_hash = password_hash || ' ' WHERE user_id = $1", [home.user_id])
        const answer = attempt()
        await until(`${name} waits for the change`, async () => {
          const { rows } = await s.systemPool.query('SELECT FROM pg_locks WHERE NOT granted AND $1 = ANY (pg_blocking_pids(pid))', [
            own[0]?.pid
          ])
          return rows.length > 0
        })
        await change.query('COMMIT')
        const { statusCode, body } = await answer
        t.equal(statusCode, 401, `${name}: ${body}`)
      } finally {
        await change.query('UPDATE users SET password_hash = rtrim(password_hash) WHERE user_id = $1', [home.user_id])
        change.release()
      }
    }
    const { rows } = await s.systemPool.query('SELECT count(*) FROM sessions WHERE user_id = $1', [home.user_id])
    t.equal(rows[0]?.count, 1, 'the one that was there before')
    const { rows: members } = await s.systemPool.query('SELECT FROM members WHERE user_id = $1', [home.user_id])
    t.equal(members.length, 2, 'and nothing half-done')
    t.equal((await accept(s, token, { password: PASSWORD })).statusCode, 200, 'the control: without a change it does')
  })

  await t.test('a new password that is easy to guess is refused, and the old one stays', async (t) => {
    const home = await s.workspace('acme-rockets')
    const { cookie } = await login(s, home.email)
    const { token } = await invite(s, s.acme, 'easy@example.test', 'viewer')
    for (const password of ['password1234', 'aaaaaaaaaaaa', 'qwertyuiop[]', 'acme-rockets', 'acmeacmeacme']) {
      const answers = [
        await as(s, { cookie }, 'PATCH', ACCOUNT, { password, current_password: PASSWORD }),
        await accept(s, token, { name: 'Acme Rockets', password })
      ]
      for (const answer of answers) {
        t.equal(answer.statusCode, 422, password)
        t.match(answer.json(), { details: [{ path: 'password', rule: 'common_password', message: /^must not / }] }, password)
      }
    }
    t.notOk(s.logged().includes('qwertyuiop'))
    t.ok((await login(s, home.email)).cookie)
    t.equal((await accept(s, token, { name: 'Acme Rockets', password: NEXT })).statusCode, 200)
  })

  await t.test('guesses of the current password are limited like logins', async (t) => {
    const home = await s.workspace('guessing')
    const { cookie } = await login(s, home.email)
    const codes: string[] = []
    for (let i = 0; i < 6; i++) {
      codes.push((await as(s, { cookie }, 'PATCH', ACCOUNT, { password: NEXT, current_password: `guess ${i}` })).json().code)
    }
    t.same(codes, [...Array(5).fill('VALIDATION_FAILED'), 'RATE_LIMITED'])
  })
})

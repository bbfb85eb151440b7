/**
 * Tests of invites. An invite is created and shown once, readable by whoever has its address,
 * accepted once, and counted against the plan. It is void when its creator may no longer give that
 * role.
 */
import t from 'tap'
import { sha256 } from '../../../services/credentials/credentials.ts'
import { until } from '../../harness/until.ts'
import { accept, anAddress, as, audited, cookieOf, invite, person } from './people.ts'
import { login, ORIGIN, PASSWORD, stand } from './stand.ts'

const INVITES = '/api/v1/workspace/invites'

t.test('invites', async (t) => {
  const s = await stand(t)
  const read = (token: string) => s.call(null, 'GET', `/api/v1/invites/${token}`, undefined, { remoteAddress: anAddress() })

  await t.test('an invite shows its link once, and only a hash of the token is stored', async (t) => {
    const answer = await s.call(s.acme, 'POST', INVITES, { email: 'Ada@Example.test', role: 'editor' })
    t.equal(answer.statusCode, 201)
    t.equal(answer.headers['cache-control'], 'no-store')
    const { accept_url, ...made } = answer.json()
    t.match(accept_url, new RegExp(`^${ORIGIN}/invites/inv_[0-9a-f]{64}$`))
    t.match(made, { tenant_id: s.acme.tenant_id, email: 'Ada@Example.test', role: 'editor', invited_by: s.acme.user_id })
    t.equal(Date.parse(made.expires_at) - Date.parse(made.created_at), 7 * 24 * 3600_000, '7 days')
    const list = await s.call(s.acme, 'GET', INVITES)
    t.same(list.json().items, [made], 'the list has the same without the address')
    const token = accept_url.slice(`${ORIGIN}/invites/`.length)
    const { rows } = await s.systemPool.query('SELECT to_jsonb(i)::text AS row FROM invites i')
    t.notMatch(rows[0]?.row, token)
    t.match(rows[0]?.row, sha256(token).toString('hex'))
    t.same(await audited(s, s.acme.tenant_id, made.id), ['invite.created'])

    const shown = await read(token)
    t.equal(shown.headers['cache-control'], 'no-store')
    t.same(shown.json(), {
      workspace: { name: 'acme' },
      email: 'Ada@Example.test',
      role: 'editor',
      expires_at: made.expires_at,
      account_exists: false
    })
    t.equal((await s.call(s.acme, 'DELETE', `${INVITES}/${made.id}`)).statusCode, 204)
    t.equal((await read(token)).statusCode, 404, 'withdrawn')
    t.equal((await s.call(s.acme, 'DELETE', `${INVITES}/${made.id}`)).statusCode, 404)
    t.same(await audited(s, s.acme.tenant_id, made.id), ['invite.created', 'invite.withdrawn'])
    t.notOk(s.logged().includes(token))
  })

  await t.test('invalid and duplicate invites are refused', async (t) => {
    const open = { email: 'open@example.test', role: 'viewer' }
    t.equal((await s.call(s.acme, 'POST', INVITES, open)).statusCode, 201)
    const cases: [string, object, number, string][] = [
      ['no e-mail', { role: 'viewer' }, 422, 'VALIDATION_FAILED'],
      ['no role', { email: 'x@example.test' }, 422, 'VALIDATION_FAILED'],
      ['an unknown role', { email: 'x@example.test', role: 'god' }, 422, 'VALIDATION_FAILED'],
      ['no address', { email: 'nobody', role: 'viewer' }, 422, 'VALIDATION_FAILED'],
      ['a blank in it', { email: 'a b@example.test', role: 'viewer' }, 422, 'VALIDATION_FAILED'],
      ['two of them', { email: 'a@b@example.test', role: 'viewer' }, 422, 'VALIDATION_FAILED'],
      ['a long one', { email: `${'x'.repeat(250)}@e.test`, role: 'viewer' }, 422, 'VALIDATION_FAILED'],
      ['a team that is not there', { ...open, team_ids: [s.globex.tenant_id] }, 422, 'VALIDATION_FAILED'],
      ['more teams than a person may begin in', { ...open, team_ids: Array(21).fill(s.acme.tenant_id) }, 422, 'VALIDATION_FAILED'],
      ['a member', { email: s.acme.email.toUpperCase(), role: 'viewer' }, 409, 'EMAIL_TAKEN'],
      ['an open invite', { ...open, email: 'OPEN@example.test' }, 409, 'EMAIL_TAKEN']
    ]
    const before = (await s.call(s.acme, 'GET', INVITES)).json().total
    for (const [name, body, status, code] of cases) {
      const answer = await s.call(s.acme, 'POST', INVITES, body)
      t.equal(answer.statusCode, status, `${name}: ${answer.body}`)
      t.equal(answer.json().code, code)
    }
    t.equal((await s.call(s.acme, 'GET', INVITES)).json().total, before, 'nothing was made')
    t.equal((await s.call(s.globex, 'POST', INVITES, open)).statusCode, 201, 'another workspace may invite the same person')
  })

  await t.test('a person who accepts joins the teams of the invite that still exist', async (t) => {
    const home = await s.workspace('teaming')
    const made: string[] = []
    for (const [name, visibility] of [
      ['Open', 'org'],
      ['Closed', 'private'],
      ['Gone', 'org']
    ])
      made.push((await s.call(home, 'POST', '/api/v1/teams', { name, visibility })).json().id)
    const team_ids = [...made, ...made.map((id) => id.toUpperCase())]
    const answer = await s.call(home, 'POST', INVITES, { email: 'teamed@example.test', role: 'viewer', team_ids })
    t.equal(answer.statusCode, 201, answer.body)
    t.same(answer.json().team_ids, made, 'each once')
    t.same((await s.call(home, 'GET', INVITES)).json().items[0].team_ids, made)
    t.equal((await s.call(home, 'DELETE', `/api/v1/teams/${made[2]}`)).statusCode, 204)
    const token = answer.json().accept_url.slice(`${ORIGIN}/invites/`.length)
    t.notOk('team_ids' in (await read(token)).json(), 'the page that accepts does not name teams')
    t.equal((await accept(s, token, { name: 'Teamed', password: PASSWORD })).statusCode, 200)
    for (const [at, there] of [
      [0, true],
      [1, true]
    ] as const) {
      const { members } = (await s.call(home, 'GET', `/api/v1/teams/${made[at]}`)).json()
      t.equal(
        members.some((one: { email: string; role: string }) => one.email === 'teamed@example.test' && one.role === 'member'),
        there
      )
    }
    const { rows } = await s.systemPool.query('SELECT team_id FROM team_members WHERE team_id = $1', [made[2]])
    t.same(rows, [], 'of the deleted one nobody is a member')
    const noted = await s.systemPool.query("SELECT diff FROM audit WHERE action = 'invite.accepted' AND object_id = $1", [answer.json().id])
    t.same([...noted.rows[0].diff.team_ids[1]].sort(), [made[0], made[1]].sort())
  })

  await t.test('members who may not invite cannot list or withdraw invites either', async (t) => {
    const home = await s.workspace('inviting')
    const { id } = await invite(s, home, 'someone@example.test', 'viewer')
    for (const role of ['editor', 'responder', 'viewer', 'billing'] as const) {
      const who = await person(s, home, `inviting-${role}`, role)
      const answers = [
        await as(s, who, 'GET', INVITES),
        await as(s, who, 'POST', INVITES, { email: `by-${role}@example.test`, role: 'viewer' }),
        await as(s, who, 'DELETE', `${INVITES}/${id}`)
      ]
      for (const answer of answers) {
        t.equal(answer.statusCode, 403, role)
        t.match(answer.json(), { code: 'FORBIDDEN', details: [{ needed: { scope: 'admin', role: 'admin' } }] })
      }
    }
    const admin = await person(s, home, 'inviting-admin', 'admin')
    t.equal((await as(s, admin, 'GET', INVITES)).json().total, 1, 'only the one of before')
    t.equal((await as(s, admin, 'DELETE', `${INVITES}/${id}`)).statusCode, 204)
  })

  await t.test('a new person accepts an invite once, with a name and a password', async (t) => {
    const { id, token } = await invite(s, s.acme, 'grace@example.test', 'responder')
    const cases: [object, string][] = [
      [{}, 'password required'],
      [{ password: PASSWORD }, 'name required'],
      [{ name: 'Grace', password: 'elevenchars' }, 'password length'],
      [{ name: ' ', password: PASSWORD }, 'name pattern'],
      [{ name: 'Grace', password: 'x'.repeat(257) }, 'password length']
    ]
    for (const [body, wanted] of cases) {
      const answer = await accept(s, token, body)
      t.equal(answer.statusCode, 422, wanted)
      const [detail] = answer.json().details
      t.equal(`${detail.path} ${detail.rule}`, wanted)
    }
    t.equal(
      (await accept(s, token, { name: 'Grace', password: PASSWORD }, { origin: 'https://evil.example' })).json().code,
      'ORIGIN_REJECTED'
    )
    const accepted = await accept(s, token, { name: 'Grace', password: PASSWORD })
    t.equal(accepted.statusCode, 200)
    t.equal(accepted.headers['cache-control'], 'no-store')
    t.match(accepted.json(), {
      user: { email: 'grace@example.test', name: 'Grace', role: 'responder', time_zone: null },
      workspace: { id: s.acme.tenant_id, name: 'acme' },
      workspaces: [{ id: s.acme.tenant_id }],
      expires_at: /Z$/
    })
    t.match(accepted.headers['set-cookie'], /^service_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const who = await as(s, { cookie: cookieOf(accepted) }, 'GET', '/api/v1/auth/session')
    t.match(who.json(), { kind: 'session', role: 'responder', workspace: { id: s.acme.tenant_id } })
    t.equal((await login(s, 'GRACE@example.test')).body.expires_at !== undefined, true, 'and logs in from now on')
    for (const answer of [await read(token), await accept(s, token, { name: 'Grace', password: PASSWORD })]) {
      t.equal(answer.statusCode, 404, 'used')
      t.match(answer.json(), { code: 'NOT_FOUND', error: /used/ })
    }
    t.same(await audited(s, s.acme.tenant_id, id), ['invite.created', 'invite.accepted'])
    const { rows } = await s.systemPool.query("SELECT password_hash FROM users WHERE email = 'grace@example.test'")
    t.match(rows[0]?.password_hash, /^\$argon2id\$/)
    t.notOk(s.logged().includes(PASSWORD) || s.logged().includes(token))
  })

  await t.test('an existing person accepts with the account password and keeps the name', async (t) => {
    const { token } = await invite(s, s.acme, s.globex.email.toUpperCase(), 'admin')
    t.match((await read(token)).json(), { account_exists: true })
    const wrong = await accept(s, token, { name: 'Thief', password: 'not the password' })
    t.equal(wrong.statusCode, 401)
    t.equal(wrong.json().code, 'INVALID_CREDENTIALS')
    t.equal(wrong.headers['set-cookie'], undefined)
    const before = await login(s, s.globex.email)
    const accepted = await accept(
      s,
      token,
      { name: 'Other', password: PASSWORD, remember: true },
      { cookie: before.cookie, origin: ORIGIN }
    )
    t.match(accepted.json(), {
      user: { id: s.globex.user_id, name: 'globex', role: 'admin' },
      workspace: { id: s.acme.tenant_id },
      workspaces: [{ id: s.globex.tenant_id }, { id: s.acme.tenant_id }]
    })
    t.match(accepted.headers['set-cookie'], /Expires=/)
    const switched = await as(s, { cookie: cookieOf(accepted) }, 'POST', '/api/v1/auth/workspace', { workspace_id: s.globex.tenant_id })
    t.match(switched.json(), { role: 'owner' }, 'the other membership is as it was')
  })

  await t.test('a disabled account is revealed only after the right password', async (t) => {
    const off = await s.workspace('switched-off')
    await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [off.user_id])
    const { token } = await invite(s, s.acme, off.email, 'viewer')
    t.equal((await accept(s, token, { password: 'wrong' })).json().code, 'INVALID_CREDENTIALS')
    t.equal((await accept(s, token, { password: PASSWORD })).json().code, 'ACCOUNT_DISABLED')
    t.equal((await read(token)).statusCode, 200, 'the invite is not used up')
  })

  await t.test('an expired invite is refused, and the address can be invited again', async (t) => {
    const { id, token } = await invite(s, s.acme, 'late@example.test', 'viewer')
    await s.systemPool.query("UPDATE invites SET expires_at = now() - interval '1 s' WHERE invite_id = $1", [id])
    t.equal((await read(token)).statusCode, 404)
    t.equal((await accept(s, token, { name: 'Late', password: PASSWORD })).statusCode, 404)
    const again = await invite(s, s.acme, 'late@example.test', 'viewer')
    t.equal((await read(again.token)).statusCode, 200)
    t.equal((await read(token)).statusCode, 404)
  })

  await t.test('of several concurrent accepts of one invite, one succeeds', async (t) => {
    const fresh = await invite(s, s.acme, 'twice@example.test', 'viewer')
    const existing = await invite(s, s.acme, (await s.workspace('twin')).email, 'viewer')
    for (const { token } of [fresh, existing]) {
      const answers = await Promise.all([1, 2, 3].map(() => accept(s, token, { name: 'Twice', password: PASSWORD })))
      t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 404, 404])
    }
    const { rows } = await s.systemPool.query("SELECT count(*) FROM users WHERE email = 'twice@example.test'")
    t.equal(rows[0]?.count, 1)
  })

  await t.test('a person who accepts two invites at once gets one account', async (t) => {
    const tokens = [await invite(s, s.acme, 'both@example.test', 'viewer'), await invite(s, s.globex, 'both@example.test', 'viewer')]
    const answers = await Promise.all(tokens.map(({ token }) => accept(s, token, { name: 'Both', password: PASSWORD })))
    const second = answers.findIndex(({ statusCode }) => statusCode === 409)
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [200, 409])
    t.equal(answers[second]?.json().code, 'EMAIL_TAKEN')
    const again = await accept(s, tokens[second]?.token ?? '', { password: PASSWORD })
    t.equal(again.statusCode, 200, 'the second invite is still good, with the password of the account')
    t.equal(again.json().workspaces.length, 2)
  })

  await t.test('members and open invites count against the member limit of the plan', async (t) => {
    const free = await s.workspace('seats', 'free')
    const post = (email: string) => s.call(free, 'POST', INVITES, { email, role: 'viewer' })
    const first = await invite(s, free, 'one@seats.test', 'viewer')
    t.equal((await post('two@seats.test')).statusCode, 201)
    const refused = await post('three@seats.test')
    t.equal(refused.statusCode, 403)
    t.match(refused.json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      error: 'This plan allows 3 members.',
      details: [{ rule: 'limit', limit_key: 'members', limit: 3, actual: 3, plan: 'free', upgrade_to: 'pro' }]
    })
    const usage = (await s.call(free, 'GET', '/api/v1/workspace/usage')).json()
    t.match(
      usage.limits.find(({ key }: { key: string }) => key === 'members'),
      { used: 3, limit: 3 }
    )
    t.equal((await s.call(free, 'GET', '/api/v1/account')).json().usage.members, 3)
    t.equal((await accept(s, first.token, { name: 'One', password: PASSWORD })).statusCode, 200, 'the seat was reserved')
    await s.systemPool.query("UPDATE invites SET expires_at = now() - interval '1 s' WHERE tenant_id = $1", [free.tenant_id])
    t.equal((await post('three@seats.test')).statusCode, 201, 'an expired one frees its seat')
  })

  await t.test('after a downgrade a full workspace refuses an accept and keeps the invite', async (t) => {
    const shrunk = await s.workspace('shrunk')
    await person(s, shrunk, 'shrunk-one', 'viewer')
    await person(s, shrunk, 'shrunk-two', 'viewer')
    const { token } = await invite(s, shrunk, 'shrunk-three@people.test', 'viewer')
    await s.systemPool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [shrunk.tenant_id])
    t.equal((await accept(s, token, { name: 'Three', password: PASSWORD })).json().code, 'TIER_LIMIT_EXCEEDED')
    const { rows } = await s.systemPool.query("SELECT count(*) FROM users WHERE email = 'shrunk-three@people.test'")
    t.equal(rows[0]?.count, 0, 'nothing half-done')
    t.equal((await read(token)).statusCode, 200)
  })

  await t.test('concurrent invites cannot exceed the member limit', async (t) => {
    const free = await s.workspace('last-seat', 'free')
    const answers = await Promise.all([1, 2, 3, 4].map((n) => s.call(free, 'POST', INVITES, { email: `${n}@last.test`, role: 'viewer' })))
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 201, 403, 403])
  })

  await t.test('an invite is void once its creator may no longer give that role', async (t) => {
    const home = await s.workspace('makers')
    const admin = await person(s, home, 'maker', 'admin')
    const post = async (role: string, email: string) => {
      const answer = await as(s, admin, 'POST', INVITES, { email, role })
      return answer.statusCode === 201 ? (String(answer.json().accept_url).split('/').at(-1) ?? '') : answer.json().code
    }
    t.equal(await post('owner', 'crown@example.test'), 'FORBIDDEN', 'an admin invites no owner')
    const token = await post('admin', 'friend@example.test')
    t.equal((await read(token)).statusCode, 200)
    t.equal((await s.call(home, 'PATCH', `/api/v1/workspace/members/${admin.user_id}`, { role: 'viewer' })).statusCode, 200)
    t.equal((await read(token)).statusCode, 404, 'who may invite no more has no open invites')
    t.equal((await s.call(home, 'PATCH', `/api/v1/workspace/members/${admin.user_id}`, { role: 'owner' })).statusCode, 200)
    // A success alone proves nothing: the role cached before the first change also allows it.
    await until('the new role counts', async () => (await as(s, admin, 'GET', '/api/v1/auth/session')).json().role === 'owner')
    const crown = await post('owner', 'crown@example.test')
    const plain = await post('admin', 'friend@example.test')
    t.equal((await read(crown)).statusCode, 200)
    t.equal((await s.call(home, 'PATCH', `/api/v1/workspace/members/${admin.user_id}`, { role: 'admin' })).statusCode, 200)
    t.equal((await read(crown)).statusCode, 404, 'an owner no more')
    t.equal((await read(plain)).statusCode, 200, 'but an admin still')
    t.equal((await s.call(home, 'DELETE', `/api/v1/workspace/members/${admin.user_id}`)).statusCode, 204)
    t.equal((await read(plain)).statusCode, 404)
    t.equal((await s.call(home, 'GET', INVITES)).json().total, 0)
  })
})

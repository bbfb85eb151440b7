/**
 * Tests of members: who is listed, who may change or remove whom, what ends with a membership and
 * when, and that one owner always remains.
 */

import t from 'tap'
import type { MemberRole } from '../../../schemas/http/endpoints.ts'
import { wholeWorkspace } from '../../../schemas/http/visibility.ts'
import { createCredentials } from '../../../services/credentials/tokens.ts'
import { tenantTransaction } from '../../../services/store/pool.ts'
import { until } from '../../harness/until.ts'
import { accept, as, audited, cookieOf, invite, type Person, person } from './people.ts'
import { login, PASSWORD, stand, type Workspace } from './stand.ts'

const MEMBERS = '/api/v1/workspace/members'

t.test('members', async (t) => {
  const s = await stand(t)
  const path = ({ user_id }: { user_id: string }): string => `${MEMBERS}/${user_id}`

  await t.test('members are listed in the order of joining, with the time they were last seen', async (t) => {
    const home = await s.workspace('listed')
    const ada = await person(s, home, 'ada', 'viewer')
    const empty = await s.call(home, 'GET', `${MEMBERS}?page=3&per_page=1`)
    t.match(empty.json(), { items: [], total: 2, page: 3, per_page: 1, total_pages: 2 })
    const { items, total } = (await as(s, ada, 'GET', MEMBERS)).json()
    t.equal(total, 2, 'a viewer sees it')
    t.match(items, [
      { user_id: home.user_id, tenant_id: home.tenant_id, email: home.email, role: 'owner', joined_at: /Z$/, last_seen_at: null },
      { user_id: ada.user_id, name: 'ada', email: ada.email, role: 'viewer', last_seen_at: /Z$/ }
    ])
    await as(s, ada, 'POST', '/api/v1/auth/logout')
    t.equal((await s.call(home, 'GET', MEMBERS)).json().items[1].last_seen_at, null, 'not known any more')
  })

  await t.test('forbidden and invalid changes of members are refused', async (t) => {
    const home = await s.workspace('guarded')
    const member = (role: MemberRole) => person(s, home, `guarded-${role}`, role)
    const [admin, editor, responder] = [await member('admin'), await member('editor'), await member('responder')]
    const [viewer, billing] = [await member('viewer'), await member('billing')]
    const nobody = { user_id: '01890000-0000-7000-8000-000000000000' }
    const cases: [string, Person, string, { user_id: string }, object | undefined, number, string][] = [
      ['an editor changes nobody', editor, 'PATCH', viewer, { role: 'editor' }, 403, 'FORBIDDEN'],
      ['a responder removes nobody', responder, 'DELETE', viewer, undefined, 403, 'FORBIDDEN'],
      ['a viewer does not raise themselves', viewer, 'PATCH', viewer, { role: 'admin' }, 403, 'FORBIDDEN'],
      ['who keeps the books changes nobody', billing, 'PATCH', billing, { role: 'viewer' }, 403, 'FORBIDDEN'],
      ['an admin makes no owner', admin, 'PATCH', viewer, { role: 'owner' }, 403, 'FORBIDDEN'],
      ['nor of themselves', admin, 'PATCH', admin, { role: 'owner' }, 403, 'FORBIDDEN'],
      ['an admin unmakes no owner', admin, 'PATCH', home, { role: 'admin' }, 403, 'FORBIDDEN'],
      ['an admin removes no owner', admin, 'DELETE', home, undefined, 403, 'FORBIDDEN'],
      ['an unknown role', admin, 'PATCH', viewer, { role: 'god' }, 422, 'VALIDATION_FAILED'],
      ['no role', admin, 'PATCH', viewer, {}, 422, 'VALIDATION_FAILED'],
      ['an unknown field', admin, 'PATCH', viewer, { role: 'editor', email: 'x@example.test' }, 422, 'VALIDATION_FAILED'],
      ['nobody', admin, 'PATCH', nobody, { role: 'editor' }, 404, 'NOT_FOUND'],
      ['no id', admin, 'DELETE', { user_id: 'me' }, undefined, 404, 'NOT_FOUND'],
      ['a person of another workspace', admin, 'DELETE', s.globex, undefined, 404, 'NOT_FOUND']
    ]
    const rolesNow = async () =>
      (await s.call(home, 'GET', MEMBERS)).json().items.map((one: { user_id: string; role: string }) => [one.user_id, one.role])
    const before = await rolesNow()
    for (const [name, who, method, whom, body, status, code] of cases) {
      const answer = await as(s, who, method, path(whom), body)
      t.equal(answer.statusCode, status, `${name}: ${answer.body}`)
      t.equal(answer.json().code, code)
    }
    t.same(await rolesNow(), before, 'nothing changed')
  })

  await t.test('a changed role takes effect in every process and for the tokens of the member', async (t) => {
    const home = await s.workspace('roles')
    const ada = await person(s, home, 'roles-ada', 'admin')
    const token = (await as(s, ada, 'POST', '/api/v1/workspace/tokens', { name: 'of ada', scopes: ['admin'] })).json().token
    // The other process has cached what it looked up.
    const elsewhere = createCredentials({ pool: s.tenantPool, log: s.services.log })
    t.teardown(() => elsewhere.close())
    await until('it listens', () => elsewhere.listening())
    const kept = async () => [(await elsewhere.apiToken(token))?.role, (await elsewhere.session(ada.cookie.split('=')[1] ?? ''))?.role]
    t.same(await kept(), ['admin', 'admin'])
    const writes = async () => [
      (await s.call(token, 'GET', '/api/v1/workspace/tokens')).statusCode,
      (await as(s, ada, 'GET', '/api/v1/workspace/tokens')).statusCode
    ]
    t.same(await writes(), [200, 200])

    const changed = await s.call(home, 'PATCH', path(ada), { role: 'viewer' })
    t.equal(changed.statusCode, 200)
    t.match(changed.json(), { user_id: ada.user_id, role: 'viewer' })
    await until('the role counts elsewhere', async () => (await kept()).every((role) => role === 'viewer'))
    await until('and here', async () => (await writes()).every((status) => status === 403))
    t.equal((await s.call(token, 'GET', MEMBERS)).statusCode, 200, 'what a viewer may, they still may')

    t.equal((await s.call(home, 'PATCH', path(ada), { role: 'viewer' })).statusCode, 200, 'a repeat')
    t.same(await audited(s, home.tenant_id, ada.user_id), ['session.started', 'member.updated'], 'is not news')
    const { rows } = await s.systemPool.query(
      "SELECT actor_kind, actor_id, diff FROM audit WHERE action = 'member.updated' AND tenant_id = $1",
      [home.tenant_id]
    )
    t.same(rows, [{ actor_kind: 'token', actor_id: home.token_id, diff: { role: ['admin', 'viewer'] } }])
  })

  await t.test('a removed member loses sessions and tokens of this workspace in every process', async (t) => {
    const home = await s.workspace('leaving')
    const guest = await s.workspace('leaver-home')
    const { token: inviteToken } = await invite(s, home, guest.email, 'admin')
    const cookie = cookieOf(await accept(s, inviteToken, { password: PASSWORD }))
    const made = (await as(s, { cookie }, 'POST', '/api/v1/workspace/tokens', { name: 'left behind', scopes: ['admin'] })).json()
    const ownCookie = (await login(s, guest.email)).cookie
    const elsewhere = createCredentials({ pool: s.tenantPool, log: s.services.log })
    t.teardown(() => elsewhere.close())
    await until('it listens', () => elsewhere.listening())
    const kept = async () => [await elsewhere.apiToken(made.token), await elsewhere.session(cookie.split('=')[1] ?? '')]
    t.notOk((await kept()).includes(null), 'kept before')

    const removed = await s.call(home, 'DELETE', path(guest))
    t.equal(removed.statusCode, 204)
    t.equal(removed.body, '')
    await until('elsewhere', async () => (await kept()).every((one) => one === null))
    await until(
      'here',
      async () => {
        const answers = [await s.call(made.token, 'GET', '/api/v1/workspace'), await as(s, { cookie }, 'GET', '/api/v1/workspace')]
        return answers.every(({ statusCode }) => statusCode === 401)
      },
      5000
    )
    t.equal((await s.call(made.token, 'GET', '/api/v1/workspace')).json().code, 'TOKEN_EXPIRED_OR_REVOKED')
    t.match(
      (await as(s, { cookie: ownCookie }, 'GET', '/api/v1/auth/session')).json(),
      { workspace: { id: guest.tenant_id } },
      'their own goes on'
    )
    t.equal((await s.call(guest, 'GET', '/api/v1/workspace')).statusCode, 200)
    t.equal((await as(s, { cookie: ownCookie }, 'POST', '/api/v1/auth/workspace', { workspace_id: home.tenant_id })).statusCode, 404)
    t.equal((await s.call(home, 'DELETE', path(guest))).statusCode, 404, 'once')
    t.same(await audited(s, home.tenant_id, guest.user_id), ['session.started', 'member.removed'])
    t.same(await audited(s, home.tenant_id, made.id), ['api_token.created', 'api_token.deleted'])
    const { rows: versions } = await s.systemPool.query('SELECT version, body FROM config_versions WHERE id = $1 ORDER BY version', [
      made.id
    ])
    t.match(versions, [
      { version: 1, body: { name: 'left behind' } },
      { version: 2, body: { deleted: true } }
    ])
    const tokens = (await s.call(home, 'GET', '/api/v1/workspace/tokens')).json().items
    t.notOk(tokens.some(({ id }: { id: string }) => id === made.id))

    await t.test('the old credentials stay invalid when the member comes back', async (t) => {
      const again = await invite(s, home, guest.email, 'viewer')
      const back = cookieOf(await accept(s, again.token, { password: PASSWORD }))
      t.match((await as(s, { cookie: back }, 'GET', '/api/v1/auth/session')).json(), { role: 'viewer', workspace: { id: home.tenant_id } })
      t.equal((await s.call(made.token, 'GET', '/api/v1/workspace')).statusCode, 401)
      t.equal((await as(s, { cookie }, 'GET', '/api/v1/workspace')).statusCode, 401)
    })
  })

  await t.test('sessions and tokens of a disabled account are refused in every process until it is enabled again', async (t) => {
    const home = await s.workspace('disabling')
    const eve = await person(s, home, 'disabled-eve', 'admin')
    const { token } = (await as(s, eve, 'POST', '/api/v1/workspace/tokens', { name: 'of eve', scopes: ['admin'] })).json()
    // This process forgets what it knows only when it is told.
    const long = 600_000
    const limits = { freshMs: long, refreshMs: long, negativeMs: long }
    const elsewhere = createCredentials({ pool: s.tenantPool, log: s.services.log, limits })
    t.teardown(() => elsewhere.close())
    await until('it listens', () => elsewhere.listening())
    const kept = async () => [await elsewhere.apiToken(token), await elsewhere.session(eve.cookie.split('=')[1] ?? '')]
    const asked = async () => [await s.call(token, 'GET', '/api/v1/workspace'), await as(s, eve, 'GET', '/api/v1/workspace')]
    t.notOk((await kept()).includes(null), 'kept before')
    for (const { statusCode } of await asked()) t.equal(statusCode, 200)

    await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [eve.user_id])
    await until('nothing is kept elsewhere', async () => (await kept()).every((one) => one === null), 5000)
    await until('they are refused here', async () => (await asked()).every(({ statusCode }) => statusCode === 401), 5000)
    for (const answer of await asked()) t.equal(answer.json().code, 'TOKEN_EXPIRED_OR_REVOKED')
    t.equal((await s.call(home, 'GET', '/api/v1/workspace')).statusCode, 200, 'those of another person are not')

    await s.systemPool.query('UPDATE users SET disabled_at = NULL WHERE user_id = $1', [eve.user_id])
    await until('they are known elsewhere', async () => !(await kept()).includes(null), 5000)
    await until('they are accepted here', async () => (await asked()).every(({ statusCode }) => statusCode === 200))
  })

  await t.test('a person without a workspace cannot log in but can be invited again', async (t) => {
    const home = await s.workspace('homeless')
    const ada = await person(s, home, 'homeless-ada', 'viewer')
    await s.call(home, 'DELETE', path(ada))
    await t.rejects(login(s, ada.email), /INVALID_CREDENTIALS/)
    const { token } = await invite(s, home, ada.email, 'viewer')
    t.match((await s.call(null, 'GET', `/api/v1/invites/${token}`)).json(), { account_exists: true })
    t.equal((await accept(s, token, { password: PASSWORD })).statusCode, 200)
    t.ok((await login(s, ada.email)).cookie)
  })

  await t.test('the last owner cannot leave or step down', async (t) => {
    const lastOwner = async (who: Workspace, method: string, body?: object) => {
      const answer = await s.call(who, method, path(who), body)
      t.equal(answer.statusCode, 409)
      t.equal(answer.json().code, 'LAST_OWNER')
    }
    const home = await s.workspace('crowned')
    await lastOwner(home, 'DELETE')
    await lastOwner(home, 'PATCH', { role: 'admin' })
    const heir = await person(s, home, 'heir', 'owner')
    t.equal((await s.call(home, 'PATCH', path(home), { role: 'admin' })).statusCode, 200, 'of two one may step down')
    t.equal((await as(s, heir, 'DELETE', path(heir))).json().code, 'LAST_OWNER')

    const shut = await s.workspace('shut-out')
    const gone = await person(s, shut, 'shut-out-heir', 'owner')
    await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [gone.user_id])
    await lastOwner(shut, 'DELETE')
    t.equal((await s.call(shut, 'DELETE', path(gone))).statusCode, 204, 'a disabled account is no owner to be kept')
  })

  await t.test('of two concurrent requests that would leave no owner, one is refused', async (t) => {
    const steps: [string, 'self' | 'other', string, object | undefined, string[]][] = [
      ['both step down', 'self', 'PATCH', { role: 'viewer' }, ['200', 'LAST_OWNER']],
      ['both leave', 'self', 'DELETE', undefined, ['204', 'LAST_OWNER']],
      // The second request no longer has the right.
      ['each unmakes the other', 'other', 'PATCH', { role: 'viewer' }, ['200', 'FORBIDDEN']],
      ['each removes the other', 'other', 'DELETE', undefined, ['204', '401']]
    ]
    for (const [name, whom, method, body, wanted] of steps) {
      for (let round = 0; round < 3; round++) {
        const home = await s.workspace(`pair-${name.replaceAll(' ', '-')}-${round}`)
        const one = { user_id: home.user_id, cookie: (await login(s, home.email)).cookie }
        const other = await person(s, home, `pair-${name.replaceAll(' ', '-')}-${round}-other`, 'owner')
        const answers = await Promise.all([
          as(s, one, method, path(whom === 'self' ? one : other), body),
          as(s, other, method, path(whom === 'self' ? other : one), body)
        ])
        const outcomes = answers.map((answer) =>
          answer.statusCode < 300 || answer.statusCode === 401 ? String(answer.statusCode) : answer.json().code
        )
        t.same(outcomes.sort(), wanted, name)
        const { rows } = await s.systemPool.query("SELECT count(*) FROM members WHERE tenant_id = $1 AND role = 'owner'", [home.tenant_id])
        t.equal(rows[0]?.count, 1, `${name}: an owner is left`)
      }
    }
  })

  await t.test('the privileged SQL functions do not reach into another workspace', async (t) => {
    const theirs = await invite(s, s.globex, 'beyond@example.test', 'owner')
    await login(s, s.globex.email)
    const asAcme = (text: string, values: unknown[]) =>
      tenantTransaction(s.tenantPool, wholeWorkspace(s.acme.tenant_id), (tx) => tx.query(text, values))
    const made = await asAcme("SELECT create_invited_user($1, gen_random_uuid(), 'Thief', 'x') AS made", [theirs.id])
    t.same(made.rows, [{ made: false }], 'no account for an invite of another workspace')
    const ended = await asAcme("SELECT end_other_sessions($1, '\\x00') AS ended", [s.globex.user_id])
    t.same(ended.rows, [{ ended: 0 }], 'no end to the sessions of a stranger')
    await t.rejects(
      s.tenantPool.query("INSERT INTO users (user_id, email, name, password_hash) VALUES (gen_random_uuid(), 'a@b', 'x', 'x')"),
      {
        code: '42501'
      }
    )
    const mine = await invite(s, s.acme, 'within@example.test', 'viewer')
    const own = await asAcme("SELECT create_invited_user($1, gen_random_uuid(), 'Guest', 'x') AS made", [mine.id])
    t.same(own.rows, [{ made: true }], 'the control: of their own it does')
  })
})

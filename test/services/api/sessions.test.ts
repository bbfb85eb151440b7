/**
 * Tests of sessions: log-in and its limits, the cookie and the origin that its writes need,
 * log-out, expiry, other workspaces, and the time at which a credential was last used.
 */
import t from 'tap'
import { until } from '../../harness/until.ts'
import { login, ORIGIN, PASSWORD, stand } from './stand.ts'

t.test('sessions', async (t) => {
  const s = await stand(t)

  await t.test('log-in', async (t) => {
    await t.test('a log-in sets an HttpOnly cookie and returns user and workspace', async (t) => {
      const { setCookie, body, cookie } = await login(s, s.acme.email.toUpperCase())
      t.match(setCookie, /^service_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
      t.match(body, {
        user: { email: s.acme.email, role: 'owner' },
        workspace: { id: s.acme.tenant_id },
        workspaces: [{ id: s.acme.tenant_id }]
      })
      const who = await s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers: { cookie } })
      t.match(who.json(), { kind: 'session', token: null, user: { id: s.acme.user_id }, role: 'owner' })
      t.equal(who.headers['cache-control'], 'no-store')
      const { rows } = await s.systemPool.query('SELECT session_sha256 FROM sessions')
      t.notOk(JSON.stringify(rows).includes(cookie.slice(16)), 'the database holds no usable session')
      t.match((await login(s, s.acme.email, { remember: true })).setCookie, /Expires=/)
    })
    await t.test('an unknown e-mail and a wrong password get the same answer', async (t) => {
      const wrong = await s.call(null, 'POST', '/api/v1/auth/login', { email: s.acme.email, password: 'no' }, { remoteAddress: '10.2.0.1' })
      const nobody = await s.call(
        null,
        'POST',
        '/api/v1/auth/login',
        { email: 'nobody@example.test', password: 'no' },
        { remoteAddress: '10.2.0.2' }
      )
      for (const answer of [wrong, nobody]) {
        t.equal(answer.statusCode, 401)
        t.equal(answer.headers['set-cookie'], undefined)
      }
      const { request_id: _a, ...first } = wrong.json()
      const { request_id: _b, ...second } = nobody.json()
      t.same(first, second)
      t.equal(first.code, 'INVALID_CREDENTIALS')
    })
    await t.test('a disabled account is revealed only after the right password', async (t) => {
      const who = await s.workspace('disabled')
      await s.systemPool.query('UPDATE users SET disabled_at = now() WHERE user_id = $1', [who.user_id])
      const post = (password: string, remoteAddress: string) =>
        s.call(null, 'POST', '/api/v1/auth/login', { email: who.email, password }, { remoteAddress })
      t.equal((await post('wrong', '10.2.1.1')).json().code, 'INVALID_CREDENTIALS')
      t.equal((await post(PASSWORD, '10.2.1.2')).json().code, 'ACCOUNT_DISABLED')
    })
    await t.test('a new log-in ends the session of its cookie', async (t) => {
      const first = await login(s, s.acme.email)
      const second = await s.call(
        null,
        'POST',
        '/api/v1/auth/login',
        { email: s.acme.email, password: PASSWORD },
        { remoteAddress: '10.2.2.1', headers: { cookie: first.cookie } }
      )
      t.equal(second.statusCode, 200)
      await until('the old session is refused', async () => {
        const answer = await s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers: { cookie: first.cookie } })
        return answer.statusCode === 401
      })
    })
    await t.test('a log-in from a foreign page is refused', async (t) => {
      const answer = await s.call(
        null,
        'POST',
        '/api/v1/auth/login',
        { email: s.acme.email, password: PASSWORD },
        { headers: { origin: 'https://evil.example' }, remoteAddress: '10.2.3.1' }
      )
      t.match(answer.json(), { code: 'ORIGIN_REJECTED' })
      const foreign = [
        { origin: ORIGIN.replace('http:', 'https:'), host: new URL(ORIGIN).host },
        { origin: 'null', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'cross-site' }
      ]
      for (const headers of foreign) {
        const body = { email: s.acme.email, password: PASSWORD }
        const other = await s.call(null, 'POST', '/api/v1/auth/login', body, { headers, remoteAddress: '10.2.3.1' })
        t.match(other.json(), { code: 'ORIGIN_REJECTED' }, JSON.stringify(headers))
      }
    })
  })

  await t.test('a log-out ends the session, and repeats are harmless', async (t) => {
    const who = await s.workspace('leaver')
    const { cookie } = await login(s, who.email)
    const get = () => s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers: { cookie } })
    t.equal((await get()).statusCode, 200)
    const logout = () => s.call(null, 'POST', '/api/v1/auth/logout', {}, { headers: { cookie, origin: ORIGIN } })
    const answer = await logout()
    t.equal(answer.statusCode, 204)
    t.equal(answer.body, '')
    t.match(answer.headers['set-cookie'], /service_session=;/)
    await until('the session is refused', async () => (await get()).statusCode === 401)
    t.equal((await logout()).statusCode, 204)
    t.equal((await s.call(null, 'POST', '/api/v1/auth/logout')).statusCode, 204, 'without a session')
    const { rows } = await s.systemPool.query("SELECT action FROM audit WHERE tenant_id = $1 AND action LIKE 'session.%' ORDER BY at", [
      who.tenant_id
    ])
    t.same(rows, [{ action: 'session.started' }, { action: 'session.ended' }])
  })

  await t.test('a session that was idle too long or has expired is refused', async (t) => {
    for (const change of ["last_seen_at = now() - interval '8 days'", "expires_at = now() - interval '1 s'"]) {
      const { cookie } = await login(s, s.acme.email)
      await s.systemPool.query(`UPDATE sessions SET ${change} WHERE tenant_id = $1`, [s.acme.tenant_id])
      const answer = await s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers: { cookie } })
      t.match(answer.json(), { code: 'TOKEN_EXPIRED_OR_REVOKED' }, change)
    }
  })

  await t.test('writes with the session cookie are accepted only from our own pages', async (t) => {
    const { cookie } = await login(s, s.acme.email)
    const json = { 'content-type': 'application/json' }
    const cases: [string, Record<string, string>, number][] = [
      ['no Origin', json, 403],
      ['another Origin', { ...json, origin: 'https://evil.example' }, 403],
      ['our host on another port', { ...json, origin: 'http://127.0.0.1:9999' }, 403],
      ['our host by another scheme', { ...json, origin: ORIGIN.replace('http:', 'https:'), host: new URL(ORIGIN).host }, 403],
      ['Origin null', { ...json, origin: 'null' }, 403],
      ['Sec-Fetch-Site cross-site', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
      ['Sec-Fetch-Site same-site', { ...json, 'sec-fetch-site': 'same-site' }, 403],
      ['another Origin that claims same-origin', { ...json, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
      ['our Origin, a form', { 'content-type': 'application/x-www-form-urlencoded', origin: ORIGIN }, 415],
      ['our Origin, text', { 'content-type': 'text/plain', origin: ORIGIN }, 415],
      ['our Origin, no type', { origin: ORIGIN }, 415],
      ['our Origin', { ...json, origin: ORIGIN }, 201],
      ['the address that was asked', { ...json, origin: 'http://localhost:8080', host: 'localhost:8080' }, 201],
      ['Sec-Fetch-Site same-origin', { ...json, 'sec-fetch-site': 'same-origin' }, 201]
    ]
    for (const [name, headers, status] of cases) {
      const body = JSON.stringify({ name: 'x', source_type: 'generic' })
      const answer = await s.app.inject({
        method: 'POST',
        url: '/api/v1/integrations/inbound',
        headers: { cookie, ...headers },
        payload: status === 415 && !headers['content-type'] ? '' : body
      })
      t.equal(answer.statusCode, status, `${name}: ${answer.body}`)
      if (status !== 201) t.match(answer.json().code, status === 403 ? 'ORIGIN_REJECTED' : 'UNSUPPORTED_MEDIA_TYPE')
    }
    t.equal(
      (await s.call(null, 'GET', '/api/v1/workspace', undefined, { headers: { cookie, origin: 'https://evil.example' } })).statusCode,
      200,
      'reads need no Origin: no other page can see them'
    )
    const tokenWrite = await s.call(
      s.acme,
      'POST',
      '/api/v1/integrations/inbound',
      { name: 'x', source_type: 'generic' },
      { headers: { origin: 'https://evil.example' } }
    )
    t.equal(tokenWrite.statusCode, 201, 'a Bearer call is exempt')
  })

  await t.test('a session can switch to another workspace of the same person', async (t) => {
    await s.systemPool.query("INSERT INTO members (tenant_id, user_id, role) VALUES ($1, $2, 'viewer')", [
      s.globex.tenant_id,
      s.acme.user_id
    ])
    const { cookie, body } = await login(s, s.acme.email)
    t.match(body, { workspace: { id: s.acme.tenant_id }, workspaces: [{ id: s.acme.tenant_id }, { id: s.globex.tenant_id }] })
    const headers = { cookie, origin: ORIGIN }
    const who = await s.call(null, 'GET', '/api/v1/auth/session', undefined, { headers })
    t.same(who.json().workspaces, body.workspaces, 'the session names those to switch to')
    const token = await s.call(s.acme, 'GET', '/api/v1/auth/session')
    t.same(
      token.json().workspaces.map(({ id }: { id: string }) => id),
      [s.acme.tenant_id],
      'a token tells of none but its own'
    )
    const switched = await s.call(null, 'POST', '/api/v1/auth/workspace', { workspace_id: s.globex.tenant_id }, { headers })
    t.match(switched.json(), { kind: 'session', workspace: { id: s.globex.tenant_id }, role: 'viewer' })
    const now = [switched.headers['set-cookie']].flat().join().split(';')[0] ?? ''
    t.not(now, cookie)
    t.equal((await s.call(null, 'GET', '/api/v1/workspace', undefined, { headers: { cookie: now } })).json().id, s.globex.tenant_id)
    await until(
      'the old session is dead',
      async () => (await s.call(null, 'GET', '/api/v1/workspace', undefined, { headers: { cookie } })).statusCode === 401
    )
    t.notMatch(`${switched.headers['set-cookie']}`, /expires=/i, 'it goes with the window, as the one before')
    const { cookie: kept } = await login(s, s.acme.email, { remember: true })
    const again = await s.call(
      null,
      'POST',
      '/api/v1/auth/workspace',
      { workspace_id: s.globex.tenant_id },
      { headers: { cookie: kept, origin: ORIGIN } }
    )
    t.match(`${again.headers['set-cookie']}`, /expires=/i, 'a remembered one stays so')
    const stranger = await s.workspace('stranger')
    const refused = await s.call(
      null,
      'POST',
      '/api/v1/auth/workspace',
      { workspace_id: stranger.tenant_id },
      { headers: { cookie: now, origin: ORIGIN } }
    )
    t.equal(refused.statusCode, 404)
    t.equal(
      (await s.call(s.acme, 'POST', '/api/v1/auth/workspace', { workspace_id: s.globex.tenant_id })).statusCode,
      401,
      'a token has no session'
    )
  })

  await t.test('a switch of the workspace does not make a session last longer', async (t) => {
    const who = await s.workspace('switcher')
    const { cookie } = await login(s, who.email, { remember: true })
    const { rows } = await s.systemPool.query<{ end: number }>(
      "UPDATE sessions SET expires_at = now() + interval '3 days' WHERE user_id = $1 RETURNING expires_at AS end",
      [who.user_id]
    )
    const end = rows[0]?.end ?? 0
    let presented = cookie
    for (const nth of ['once', 'twice']) {
      const headers = { cookie: presented, origin: ORIGIN }
      const answer = await s.call(null, 'POST', '/api/v1/auth/workspace', { workspace_id: who.tenant_id }, { headers })
      t.equal(Date.parse(answer.json().expires_at), end, nth)
      const set = [answer.headers['set-cookie']].flat().join()
      t.equal(Date.parse(/expires=([^;]+)/i.exec(set)?.[1] ?? ''), Math.floor(end / 1000) * 1000, 'the cookie ends with it')
      presented = set.split(';')[0] ?? ''
      t.not(presented, headers.cookie)
    }
    const left = await s.systemPool.query('SELECT expires_at FROM sessions WHERE user_id = $1', [who.user_id])
    t.same(left.rows, [{ expires_at: end }])
  })

  await t.test('the last use of a credential is written by a later flush, not by the request', async (t) => {
    const who = await s.workspace('user')
    const { cookie } = await login(s, who.email)
    await s.systemPool.query("UPDATE sessions SET last_seen_at = now() - interval '1 day'")
    await s.call(who, 'GET', '/api/v1/account', undefined, { remoteAddress: '10.5.0.1' })
    await s.call(null, 'GET', '/api/v1/account', undefined, { headers: { cookie } })
    const token = async () =>
      (await s.systemPool.query('SELECT last_used_at, last_used_ip, ver FROM api_tokens WHERE token_id = $1', [who.token_id])).rows[0]
    t.match(await token(), { last_used_at: null }, 'a read writes nothing itself')
    await s.services.uses.flush()
    t.match(await token(), { last_used_at: Number, last_used_ip: '10.5.0.1', ver: 1 })
    await s.call(who, 'GET', '/api/v1/account')
    let written = false
    void s.services.uses.flush().then(() => {
      written = true
    })
    await s.services.uses.flush()
    t.ok(written, 'nor is it over before a write that had begun')
    const { rows } = await s.systemPool.query(
      "SELECT last_seen_at > now() - interval '1 minute' AS fresh FROM sessions WHERE tenant_id = $1",
      [who.tenant_id]
    )
    t.same(rows, [{ fresh: true }])
    t.match((await s.call(who, 'GET', '/api/v1/workspace/tokens')).json().items[0], { last_used_ip: '127.0.0.1' })
  })
})

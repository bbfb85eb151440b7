/**
 * Tests of adding and removing the Slack app. The return from Slack is bound to one session and
 * works once, it always ends on a page, the credential is sealed, and another install renews the
 * credential of all channels of that Slack workspace.
 */
import t from 'tap'
import { SLACK_SCOPES } from '../../../services/channels/apps/slack.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { until } from '../../harness/until.ts'
import { as, audited, person } from './people.ts'
import { allowed, begun, CALLBACK, channelOf, installed, open, type Slacking, START, secretTeam, slackCalls, slacking } from './slacking.ts'
import { login, ORIGIN, SECRETS_KEY, type Workspace } from './stand.ts'

const CHANNELS = '/api/v1/notifications/channels'
const EVENTS = '/api/v1/chat/slack/events'
const problem = (word: string): string => `/settings/channels/new?kind=slack&problem=${word}`

const storedOf = async ({ s }: Slacking, id: string): Promise<Record<string, string>> =>
  (await s.systemPool.query('SELECT config FROM notification_channels WHERE channel_id = $1', [id])).rows[0]?.config

const tokenOf = async (one: Slacking, { tenant_id }: Workspace, id: string): Promise<string> =>
  openForTenant(SECRETS_KEY, { tenant_id, resource: `channel:${id}`, field: 'bot_token' }, String((await storedOf(one, id)).bot_token))

const event = (type: string, over: object = {}, event_over: object = {}): string =>
  JSON.stringify({
    ...{
      type: 'event_callback',
      team_id: 'T0001',
      event_id: 'Ev1',
      event_time: Math.floor(Date.now() / 1000),
      event: { type, ...event_over }
    },
    ...over
  })

t.test('adding the Slack app', async (t) => {
  const one = await slacking(t)
  const { s, slack } = one
  const room = slack.room('alerts')
  const { cookie } = await login(s, s.acme.email)

  await t.test('the browser is sent to Slack with the least scopes and a return address', async (t) => {
    const { url, state, redirect_uri } = await begun(one, cookie)
    t.equal(`${url.pathname} ${url.searchParams.get('client_id')}`, '/oauth/v2/authorize 1234.5678')
    t.equal(url.searchParams.get('scope'), SLACK_SCOPES.join(','))
    t.match(state, /^ins_[0-9a-f]{64}$/)
    t.equal(redirect_uri, `${ORIGIN}${CALLBACK}`)
    t.notMatch(s.logged(), state, 'no log has it')
  })

  await t.test('an install makes a channel for the chosen Slack room, with a sealed credential', async (t) => {
    const id = await installed(one, cookie, room.id)
    t.match(await channelOf(one, s.acme, id), {
      kind: 'slack',
      name: '#alerts in Acme Chat',
      target: '#alerts in Acme Chat',
      is_default: true,
      enabled: true,
      events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
      config: {
        ...{ mode: 'oauth', team_id: 'T0001', team_name: 'Acme Chat', channel_id: room.id, channel_name: '#alerts' },
        ...{ installer_external_id: 'U0INSTALL', installer_user_id: s.acme.user_id, bot_token: '********' }
      }
    })
    t.match((await storedOf(one, id)).bot_token, /^sealed:/)
    t.ok(slack.tokens.has(await tokenOf(one, s.acme, id)))
    t.notMatch(JSON.stringify(await storedOf(one, id)), 'secretOfHook', 'the address of the webhook is not kept')
    t.notMatch(s.logged(), /xoxb-|client-secret-of-slack|code-\d/, 'nothing of it is in a log')
    t.same(await audited(s, s.acme.tenant_id, id), ['channel.installed'])
    const { headers, statusCode } = await open(one, cookie, `${CALLBACK}?code=x&state=y`)
    t.match([statusCode, headers['cache-control'], headers['referrer-policy']], [302, 'no-store', 'no-referrer'])
  })

  await t.test('another install renews the credential of every channel of that Slack workspace', async (t) => {
    const other = await installed(one, cookie, slack.room('ops').id)
    const first = await installed(one, cookie, room.id)
    t.not(first, other)
    await s.systemPool.query("UPDATE notification_channels SET health_state = 'disabled' WHERE channel_id = ANY ($1)", [[first, other]])
    t.equal(await installed(one, cookie, room.id), first, 'the room has its channel')
    for (const id of [first, other]) {
      t.ok(slack.tokens.has(await tokenOf(one, s.acme, id)), 'the old one is good for nothing')
      t.match(await channelOf(one, s.acme, id), { health: { state: 'ok', disabled_reason: null } })
    }
    t.equal((await s.call(s.acme, 'POST', `${CHANNELS}/${first}/test`)).json().ok, true)
    t.match(slack.messages.at(-1), { channel: room.id, text: /^\[TEST\] Notifications from acme work\./ })
  })

  await t.test('people can rename an installed channel but not change its room or token', async (t) => {
    const id = await installed(one, cookie, room.id)
    const { config } = await channelOf(one, s.acme, id)
    const path = `${CHANNELS}/${id}`
    t.match((await s.call(s.acme, 'PATCH', path, { name: 'Alerts' })).json(), { name: 'Alerts', config })
    t.equal((await s.call(s.acme, 'PATCH', path, { config })).statusCode, 200, 'as it was shown')
    t.equal((await s.call(s.acme, 'PUT', path, { name: 'Alerts', config: {} })).statusCode, 200)
    for (const [name, value] of Object.entries({
      channel_id: 'C9',
      bot_token: 'xoxb-mine',
      webhook_url: 'https://hooks.slack.com/services/T1/B1/x'
    })) {
      const answer = await s.call(s.acme, 'PATCH', path, { config: { [name]: value } })
      t.match([answer.statusCode, answer.json()], [422, { details: [{ path: `config.${name}`, rule: 'immutable' }] }])
    }
    t.ok(slack.tokens.has(await tokenOf(one, s.acme, id)))
    const forged = { name: 'x', kind: 'slack', config: { mode: 'oauth', channel_id: 'C1', bot_token: 'xoxb-mine' } }
    t.equal((await s.call(s.acme, 'POST', CHANNELS, forged)).statusCode, 422, 'nobody writes an install by hand')
  })

  await t.test('the channel kind says whether the Slack app is available on the plan', async (t) => {
    const kinds = (await s.call(s.acme, 'GET', '/api/v1/notifications/channel-kinds')).json().items
    const of = (kind: string) => kinds.find((item: { kind: string }) => item.kind === kind).app
    t.same(of('slack'), { set_up: true, available: true, upgrade_to: null })
    t.equal(of('ntfy'), null)
    const free = await s.workspace('app-free', 'free')
    const items = (await s.call(free, 'GET', '/api/v1/notifications/channel-kinds')).json().items
    t.match(
      items.find((item: { kind: string }) => item.kind === 'slack'),
      { available: true, app: { available: false, upgrade_to: 'pro' } }
    )
    t.equal((await open(one, (await login(s, free.email)).cookie, START)).headers.location, `${ORIGIN}${problem('plan')}`)
  })
})

t.test('failed installs of the Slack app', async (t) => {
  const one = await slacking(t)
  const { s, slack, server } = one
  const room = slack.room('alerts')
  const { cookie } = await login(s, s.acme.email)
  const count = async (): Promise<number> => (await s.call(s.acme, 'GET', CHANNELS)).json().total
  const returned = async (who: string, query: Record<string, string>): Promise<string> =>
    String((await open(one, who, `${CALLBACK}?${new URLSearchParams(query)}`)).headers.location).slice(ORIGIN.length)
  const aCode = (): string => {
    slack.codes.set('good', { room: room.id, installer: 'U0INSTALL', redirect_uri: `${ORIGIN}${CALLBACK}` })
    return 'good'
  }

  await t.test('a return from Slack with a used, expired, forged or foreign state is refused', async (t) => {
    const { state } = await begun(one, cookie)
    t.equal(await returned(cookie, { state, error: 'access_denied' }), problem('denied'))
    t.equal(await returned(cookie, { state, code: aCode() }), problem('state'), 'once')
    t.equal(await returned(cookie, { code: aCode() }), problem('state'))
    t.equal(await returned(cookie, { code: aCode(), state: `ins_${'0'.repeat(64)}` }), problem('state'))
    const { cookie: again } = await login(s, s.acme.email)
    t.equal(
      await returned(again, { state: (await begun(one, cookie)).state, code: aCode() }),
      problem('state'),
      'another session of theirs'
    )
    const { cookie: stranger } = await login(s, s.globex.email)
    t.equal(await returned(stranger, { state: (await begun(one, cookie)).state, code: aCode() }), problem('state'), 'somebody of elsewhere')
    const old = await begun(one, cookie)
    await s.systemPool.query("UPDATE chat_install_states SET expires_at = now() - interval '1 s'")
    t.equal(await returned(cookie, { state: old.state, code: aCode() }), problem('state'), 'after ten minutes')
    t.same([server.heard.length, await count()], [0, 0], 'Slack was not asked, and nothing is kept')
  })

  await t.test('a person has at most ten open installs', async (t) => {
    for (let nth = 0; nth < 12; nth++) await begun(one, cookie)
    const { rows } = await s.systemPool.query('SELECT count(*) FROM chat_install_states WHERE tenant_id = $1', [s.acme.tenant_id])
    t.equal(rows[0].count, 10)
  })

  await t.test('an install fails when Slack refuses, does not answer or grants too little', async (t) => {
    t.equal(await returned(cookie, { state: (await begun(one, cookie)).state, code: 'made-up' }), problem('refused'))
    t.equal(await returned(cookie, { state: (await begun(one, cookie)).state, error: 'server_error' }), problem('refused'))
    t.equal(await allowed(one, cookie, room.id, { scope: 'commands' }), problem('incomplete'))
    t.equal(await allowed(one, cookie, 'no-room'), problem('incomplete'))
    t.equal(await allowed(one, cookie, room.id, { enterprise: true }), problem('organisation'))
    const far = await slacking(t, { config: { outboundBaseUrls: JSON.stringify({ slack: 'http://127.0.0.1:1' }) } })
    const { cookie: there } = await login(far.s, far.s.acme.email)
    t.equal(await allowed(far, there, 'C1'), problem('unreachable'))
    t.equal(await count(), 0)
  })

  await t.test('only a session with write rights can begin or finish an install', async (t) => {
    const viewer = await person(s, s.acme, 'viewer', 'viewer')
    t.equal((await open(one, viewer.cookie, START)).statusCode, 403)
    const editor = await person(s, s.acme, 'editor', 'editor')
    const { state } = await begun(one, editor.cookie)
    t.equal((await s.call(s.acme, 'PATCH', `/api/v1/workspace/members/${editor.user_id}`, { role: 'viewer' })).statusCode, 200)
    await until('the demotion to count', async () => (await open(one, editor.cookie, START)).statusCode === 403)
    t.equal((await open(one, editor.cookie, `${CALLBACK}?code=${aCode()}&state=${state}`)).statusCode, 403, 'demoted meanwhile')
    t.equal((await s.call(s.acme, 'GET', START)).statusCode, 401)
    t.equal((await open(one, cookie, START.replace('slack', 'ntfy'))).statusCode, 404)
    t.equal(await count(), 0)
  })

  await t.test('an install fails when the plan is full or the operator has no Slack app', async (t) => {
    const pro = await s.workspace('few', 'pro')
    const { cookie: theirs } = await login(s, pro.email)
    await s.systemPool.query(
      `INSERT INTO notification_channels (tenant_id, channel_id, name, kind, config, events, created_by)
       SELECT $1, gen_random_uuid(), 'n', 'ntfy', '{}', '{down}', 'user:x' FROM generate_series(1, 500)`,
      [pro.tenant_id]
    )
    t.equal(await allowed(one, theirs, room.id), problem('limit'))
    const without = await slacking(t, { config: { slackClientId: '', slackClientSecret: '' } })
    const { cookie: there } = await login(without.s, without.s.acme.email)
    t.equal((await open(without, there, START)).headers.location, `${ORIGIN}${problem('not_set_up')}`)
  })
})

t.test('an install does not take over a hidden channel of a private team', async (t) => {
  const one = await slacking(t)
  const { s, slack } = one
  const room = slack.room('secret')
  const { team_id, lead, outsider } = await secretTeam(s, s.acme)
  const hidden = await installed(one, lead.cookie, room.id)
  t.equal((await as(s, lead, 'PATCH', `${CHANNELS}/${hidden}`, { team_id })).statusCode, 200)
  const own = await installed(one, outsider.cookie, room.id)
  t.not(own, hidden, 'is not given away')
  t.match(await channelOf(one, s.acme, hidden), { team_id, config: { installer_user_id: lead.user_id } })
  t.ok(slack.tokens.has(await tokenOf(one, s.acme, hidden)), 'and goes on')
})

t.test('removing the Slack app', async (t) => {
  const one = await slacking(t, { notifies: true })
  const { s, slack, server } = one
  const room = slack.room('alerts')
  const { cookie } = await login(s, s.acme.email)
  const { cookie: globex } = await login(s, s.globex.email)

  await t.test('an app removed in Slack turns off its channels in all workspaces and notifies people', async (t) => {
    const id = await installed(one, cookie, room.id)
    const theirs = await installed(one, globex, room.id)
    const late = event('app_uninstalled', { event_time: Math.floor(Date.now() / 1000) - 3600 })
    t.equal((await slackCalls(one, EVENTS, late, 'application/json')).statusCode, 200)
    t.match(await channelOf(one, s.acme, id), { health: { state: 'ok' } }, 'of an install before this one')
    for (const other of [
      event('message'),
      event('tokens_revoked', {}, { tokens: { oauth: ['U1'] } }),
      event('app_uninstalled', { team_id: 'T9' })
    ])
      t.same((await slackCalls(one, EVENTS, other, 'application/json')).json(), {})
    t.match(await channelOf(one, s.acme, id), { health: { state: 'ok' } }, 'of somebody else')
    const gone = event('tokens_revoked', {}, { tokens: { oauth: [], bot: ['UBOT'] } })
    t.equal((await slackCalls(one, EVENTS, gone, 'application/json')).statusCode, 200)
    t.match(await channelOf(one, s.acme, id), { health: { state: 'disabled', disabled_reason: /^The app was taken away at Slack/ } })
    t.match(await channelOf(one, s.globex, theirs), { health: { state: 'disabled' } })
    t.notOk((await storedOf(one, id)).bot_token, 'its credential is gone')
    const item = await until('the notice', async () => (await s.call(s.acme, 'GET', '/api/v1/notifications/feed')).json().items[0])
    t.match(item, { title: '#alerts in Acme Chat is turned off', severity: 'critical' })
    t.match((await s.call(s.acme, 'POST', `${CHANNELS}/${id}/test`)).json(), { ok: false, error: /no longer in this Slack workspace/ })
    t.equal(await installed(one, cookie, room.id), id, 'added again it goes on')
    t.match(await channelOf(one, s.acme, id), { health: { state: 'ok' } })
  })

  await t.test('the Slack events endpoint answers the challenge and refuses bad signatures and bodies', async (t) => {
    const said = (body: string) => slackCalls(one, EVENTS, body, 'application/json')
    t.same((await said('{"type":"url_verification","challenge":"abc"}')).json(), { challenge: 'abc' })
    t.match((await said('{"type":"url_verification"}')).json(), { details: [{ path: 'challenge' }] })
    t.equal((await said('[]')).statusCode, 422)
    t.equal((await said(event('app_uninstalled', { team_id: 'x y' }))).statusCode, 422)
    t.equal((await said(event('app_uninstalled', { event_time: 'now' }))).statusCode, 422)
    const unsigned = await s.app.inject({
      method: 'POST',
      url: EVENTS,
      payload: event('app_uninstalled'),
      headers: { 'content-type': 'application/json' }
    })
    t.same([unsigned.statusCode, unsigned.body], [401, ''])
  })

  await t.test('the app is uninstalled when its last channel in any workspace is deleted', async (t) => {
    const id = await installed(one, cookie, room.id)
    const theirs = await installed(one, globex, room.id)
    const uninstalls = (): number => server.heard.filter(({ said }) => said === 'uninstall').length
    const done = async (): Promise<boolean> => (await s.systemPool.query("SELECT FROM jobs WHERE kind = 'chat_uninstall'")).rowCount === 0
    t.equal((await s.call(s.acme, 'DELETE', `${CHANNELS}/${id}`)).statusCode, 204)
    await until('the job', done)
    t.equal(uninstalls(), 0, 'another workspace has it there')
    t.equal((await s.call(s.globex, 'DELETE', `${CHANNELS}/${theirs}`)).statusCode, 204)
    await until('the app to leave', () => uninstalls() === 1)
    await until('the job', done)
  })
})

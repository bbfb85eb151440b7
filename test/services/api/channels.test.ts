/** Tests of notification channels over the API: what they accept, store, show and refuse. */
import t from 'tap'
import type { ChannelDetail } from '../../../schemas/http/notification-channels.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { audited, type Person, person } from './people.ts'
import { ORIGIN, SECRETS_KEY, type Stand, stand, type Workspace } from './stand.ts'

const CHANNELS = '/api/v1/notifications/channels'
const MASK = '********'
const SECRET = 'a-secret-that-nobody-sees'

const ask = (s: Stand, who: Workspace | Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  'cookie' in who
    ? s.call(null, method, path, body ?? (method === 'GET' ? undefined : {}), {
        headers: { cookie: who.cookie, origin: ORIGIN, ...headers }
      })
    : s.call(who, method, path, body, { headers })

const webhook = (config: object = {}) => ({ name: 'Hook', kind: 'webhook', config: { url: 'https://hooks.example.com/in', ...config } })

async function made(s: Stand, who: Workspace | Person, body: object): Promise<ChannelDetail> {
  const answer = await ask(s, who, 'POST', CHANNELS, body)
  if (answer.statusCode !== 201) throw new Error(answer.body)
  return answer.json()
}

const stored = async (s: Stand, id: string): Promise<Record<string, string>> =>
  (await s.systemPool.query('SELECT config FROM notification_channels WHERE channel_id = $1', [id])).rows[0]?.config

t.test('notification channels', async (t) => {
  const s = await stand(t)

  await t.test('a channel is created, read, changed, replaced and deleted', async (t) => {
    const home = await s.workspace('channels')
    const answer = await ask(
      s,
      home,
      'POST',
      CHANNELS,
      webhook({ secret: SECRET, headers: [{ name: 'Authorization', value: 'Bearer x' }] })
    )
    t.equal(answer.statusCode, 201, answer.body)
    t.equal(answer.headers.etag, '"1"')
    const one: ChannelDetail = answer.json()
    t.match(one, {
      kind: 'webhook',
      enabled: true,
      is_default: false,
      events: ['down', 'up', 'ssl_expiry'],
      min_severity: 'info',
      target: 'hooks.example.com',
      needs_verification: false,
      config: { url: 'https://hooks.example.com/in', secret: MASK, headers: [{ name: 'Authorization', value: MASK }] },
      health: { state: 'ok' }
    })
    const kept = await stored(s, one.id)
    t.match(kept.secret, /^sealed:/)
    t.equal(
      openForTenant(SECRETS_KEY, { tenant_id: home.tenant_id, resource: `channel:${one.id}`, field: 'secret' }, String(kept.secret)),
      SECRET
    )
    t.notOk(JSON.stringify(kept).includes('Bearer x'))
    t.same((await ask(s, home, 'GET', `${CHANNELS}/${one.id}`)).json(), one)
    t.match((await ask(s, home, 'GET', `${CHANNELS}?kind=webhook&q=hoo`)).json(), { total: 1, items: [{ id: one.id }] })
    t.match((await ask(s, home, 'GET', `${CHANNELS}?enabled=false`)).json(), { total: 0 })

    t.equal((await ask(s, home, 'PATCH', `${CHANNELS}/${one.id}`, { name: 'x' }, { 'if-match': '"7"' })).statusCode, 412)
    const patched = await ask(s, home, 'PATCH', `${CHANNELS}/${one.id}`, {
      name: 'Second',
      is_default: true,
      events: ['down'],
      min_severity: 'warning',
      config: { secret: MASK }
    })
    t.equal(patched.statusCode, 200, patched.body)
    t.match(patched.json(), {
      name: 'Second',
      is_default: true,
      events: ['down'],
      min_severity: 'warning',
      version: 2,
      config: { secret: MASK }
    })
    t.equal((await stored(s, one.id)).secret, kept.secret, 'the secret stays')
    t.match((await ask(s, home, 'PATCH', `${CHANNELS}/${one.id}`, {})).json(), { version: 2 }, 'nothing changed')

    const replaced = await ask(s, home, 'PUT', `${CHANNELS}/${one.id}`, webhook({ url: 'https://hooks.example.com/other' }))
    t.match(replaced.json(), {
      is_default: false,
      events: ['down', 'up', 'ssl_expiry'],
      config: { url: 'https://hooks.example.com/other', secret: MASK }
    })
    t.match((await ask(s, home, 'PATCH', `${CHANNELS}/${one.id}`, { kind: 'email' })).json(), {
      details: [{ path: 'kind', rule: 'immutable' }]
    })
    t.equal((await ask(s, home, 'DELETE', `${CHANNELS}/${one.id}`)).statusCode, 204)
    t.equal((await ask(s, home, 'GET', `${CHANNELS}/${one.id}`)).statusCode, 404)
    t.same(await stored(s, one.id), {}, 'no secret of a deleted channel stays')
    const entries = JSON.stringify(
      (await s.systemPool.query('SELECT to_jsonb(a) FROM audit a WHERE tenant_id = $1', [home.tenant_id])).rows
    )
    for (const action of ['channel.created', 'channel.updated', 'channel.deleted']) t.ok(entries.includes(action), action)
    t.notOk(entries.includes(SECRET) || entries.includes('sealed:'))
    const versions = JSON.stringify(
      (await s.systemPool.query("SELECT body FROM config_versions WHERE kind = 'channel' AND id = $1", [one.id])).rows
    )
    t.notOk(versions.includes('sealed:') || versions.includes(SECRET))
  })

  await t.test('a channel with a new origin needs its secrets again', async (t) => {
    const home = await s.workspace('origins')
    const one = await made(s, home, webhook({ secret: SECRET, url: 'https://hooks.example.com/in?token=abc' }))
    t.equal(one.config.url, `https://hooks.example.com/in?${MASK}`)
    t.notOk(JSON.stringify(await stored(s, one.id)).includes('token=abc'), 'what follows the ? is sealed')
    const path = `${CHANNELS}/${one.id}`
    t.match((await ask(s, home, 'PATCH', path, { config: { url: one.config.url } })).json(), { version: 1 }, 'as it was shown, it stays')
    t.match((await ask(s, home, 'PATCH', path, { config: { url: 'https://evil.example.com/' } })).json(), {
      code: 'VALIDATION_FAILED',
      details: [{ path: 'config.secret', rule: 'required' }]
    })
    const rotated = await ask(s, home, 'PATCH', path, { config: { secret: 'another-secret-0123' } })
    t.equal(rotated.statusCode, 200, rotated.body)
    const after = await stored(s, one.id)
    t.ok(Date.parse(String(after.secret_previous_expires_at)) > Date.now(), 'the old secret signs beside the new one')
    const place = { tenant_id: home.tenant_id, resource: `channel:${one.id}`, field: 'secret_previous' }
    t.equal(openForTenant(SECRETS_KEY, place, String(after.secret_previous)), SECRET)
    const ends = await ask(s, home, 'PATCH', path, {
      config: { secret_previous_expires_at: new Date(Date.now() + 8 * 86_400_000).toISOString() }
    })
    t.match(ends.json(), { details: [{ path: 'config.secret_previous_expires_at', rule: 'max' }] })
    t.match((await ask(s, home, 'PATCH', path, { config: { url: 'https://new.example.com/' } })).json(), {
      details: [{ path: 'config.secret', rule: 'required' }]
    })
    const moved = await ask(s, home, 'PATCH', path, { config: { url: 'https://new.example.com/?to=ops', secret: 'third-secret-4567' } })
    t.match(moved.json(), { config: { url: `https://new.example.com/?${MASK}`, secret: MASK } }, moved.body)
    const there = await stored(s, one.id)
    t.notOk('secret_previous' in there || 'secret_previous_expires_at' in there, 'no old secret signs to another origin')
    const query = { tenant_id: home.tenant_id, resource: `channel:${one.id}`, field: 'url_query' }
    t.equal(openForTenant(SECRETS_KEY, query, String(there.url_query)), 'to=ops')
  })

  await t.test('a channel with a new vendor account needs its secrets again', async (t) => {
    const home = await s.workspace('desks')
    const config = {
      domain: 'https://Acme.atlassian.net/jira',
      email: 'ops@example.com',
      api_token: 'ATATT-0123456789abcdef',
      project: 'ops'
    }
    const one = await made(s, home, { name: 'desk', kind: 'jira', config })
    t.match(one.config, { domain: 'acme', project: 'OPS', api_token: MASK })
    const path = `${CHANNELS}/${one.id}`
    t.match((await ask(s, home, 'PATCH', path, { config: { domain: 'acme.atlassian.net', project: 'DEV' } })).json(), {
      config: { domain: 'acme', project: 'DEV' }
    })
    t.match((await ask(s, home, 'PATCH', path, { config: { domain: 'others' } })).json(), {
      code: 'VALIDATION_FAILED',
      details: [{ path: 'config.api_token', rule: 'required' }]
    })
    t.match((await ask(s, home, 'PATCH', path, { config: { domain: 'others', api_token: 'ATATT-abcdef0123456789' } })).json(), {
      config: { domain: 'others' }
    })
    t.match((await ask(s, home, 'PATCH', path, { config: { domain: 'jira.example.com', api_token: 'ATATT-abcdef0123456789' } })).json(), {
      details: [{ path: 'config.domain', rule: 'format' }]
    })
  })

  await t.test('a webhook address that is itself a secret is checked, sealed and replaced', async (t) => {
    const home = await s.workspace('hooks')
    const chat = (webhook_url: string) => ({ name: 'Chat', kind: 'mattermost', config: { webhook_url } })
    const hook = `hooks/${'a'.repeat(26)}`
    const one = await made(s, home, chat(`https://chat.example.com/${hook}`))
    t.match(one, { target: 'Mattermost', config: { webhook_url: MASK } })
    t.match((await stored(s, one.id)).webhook_url, /^sealed:/)
    const path = `${CHANNELS}/${one.id}`
    const renamed = await ask(s, home, 'PATCH', path, { name: 'Other', config: { webhook_url: MASK } })
    t.match(renamed.json(), { name: 'Other', version: 2 }, renamed.body)
    t.equal((await ask(s, home, 'PATCH', path, { enabled: false })).statusCode, 200)
    const replaced = await ask(s, home, 'PUT', path, chat(`https://other.example.com/chat/${hook}`))
    t.equal(replaced.statusCode, 200, replaced.body)
    for (const address of [`https://10.0.0.1/${hook}`, `https://[::1]/${hook}`]) {
      const refused = { details: [{ path: 'config.webhook_url', rule: 'blocked_target' }] }
      t.match((await ask(s, home, 'PATCH', path, { config: { webhook_url: address } })).json(), refused)
      t.match((await ask(s, home, 'POST', CHANNELS, chat(address))).json(), refused)
    }
    t.match((await ask(s, home, 'POST', CHANNELS, chat(`http://chat.example.com/${hook}`))).json(), {
      details: [{ path: 'config.webhook_url', rule: 'format' }]
    })
    const room = { homeserver_url: 'matrix.example.org', access_token: SECRET, room_id: '!room:example.org' }
    const bot = await made(s, home, { name: 'Bot', kind: 'matrix', config: room })
    t.match(bot, { config: { homeserver_url: 'https://matrix.example.org', access_token: MASK } })
    t.match((await ask(s, home, 'PATCH', `${CHANNELS}/${bot.id}`, { config: { homeserver_url: 'https://evil.example.org' } })).json(), {
      details: [{ path: 'config.access_token', rule: 'required' }]
    })
  })

  await t.test('a channel is changed by its id in upper case', async (t) => {
    const home = await s.workspace('upper-case')
    const chat = (key: string) => ({ webhook_url: `https://chat.example.com/hooks/${key.repeat(26)}` })
    const one = await made(s, home, { name: 'Chat', kind: 'mattermost', config: chat('a') })
    const path = `${CHANNELS}/${one.id.toUpperCase()}`
    const renamed = await ask(s, home, 'PATCH', path, { name: 'Other' })
    t.match(renamed.json(), { id: one.id, name: 'Other', version: 2 }, renamed.body)
    const place = { tenant_id: home.tenant_id, resource: `channel:${one.id}`, field: 'webhook_url' }
    const kept = async () => openForTenant(SECRETS_KEY, place, String((await stored(s, one.id)).webhook_url))
    for (const [method, key] of [
      ['PATCH', 'b'],
      ['PUT', 'c']
    ] as const) {
      const config = chat(key)
      const answer = await ask(s, home, method, path, { name: 'Chat', kind: 'mattermost', config })
      t.equal(answer.statusCode, 200, answer.body)
      t.equal(await kept(), config.webhook_url, 'the notifier opens it')
    }
    const mail = await made(s, home, { name: 'Mail', kind: 'email', config: { recipient: 'upper-case@example.com' } })
    await s.systemPool.query("UPDATE channel_confirmations SET created_at = now() - interval '61 seconds' WHERE channel_id = $1", [mail.id])
    const again = await ask(s, home, 'POST', `${CHANNELS}/${mail.id.toUpperCase()}/confirmation`, {})
    t.equal(again.statusCode, 202, again.body)
    t.same((await audited(s, home.tenant_id, mail.id)).sort(), ['channel.confirmation_sent', 'channel.created'])
  })

  await t.test('invalid settings are refused with their path', async (t) => {
    const home = await s.workspace('bad')
    const table: [body: object, path: string, rule: string][] = [
      [webhook({ url: 'http://hooks.example.com/' }), 'config.url', 'format'],
      [webhook({ url: 'https://127.0.0.1/' }), 'config.url', 'blocked_target'],
      [webhook({ url: 'https://2130706433/' }), 'config.url', 'blocked_target'],
      [webhook({ url: 'https://[::ffff:127.0.0.1]/' }), 'config.url', 'blocked_target'],
      [webhook({ url: 'https://169.254.169.254/latest' }), 'config.url', 'blocked_target'],
      [webhook({ url: 'https://a:b@hooks.example.com/' }), 'config.url', 'format'],
      [webhook({ secret: 'short' }), 'config.secret', 'length'],
      [webhook({ secret: MASK }), 'config.secret', 'required'],
      [webhook({ url_query: 'a=b' }), 'config.url_query', 'unknown_field'],
      [webhook({ colour: 'red' }), 'config.colour', 'unknown_field'],
      [{ ...webhook(), config: {} }, 'config.url', 'required'],
      [webhook({ headers: [{ name: 'Host', value: 'x' }] }), 'config.headers[0].name', 'format'],
      [{ name: 'Mail', kind: 'email', config: { recipient: 'nobody' } }, 'config.recipient', 'format'],
      [
        { name: 'Teams', kind: 'msteams', config: { webhook_url: 'https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4' } },
        'config.webhook_url',
        'legacy_connector_url'
      ],
      [{ name: 'Teams', kind: 'msteams', config: { webhook_url: 'https://example.com/' } }, 'config.webhook_url', 'invalid_webhook_url'],
      [{ name: 'Bot', kind: 'telegram', config: { bot_token: `123456789:${'a'.repeat(35)}`, chat_id: 'ops' } }, 'config.chat_id', 'format'],
      [{ ...webhook(), kind: 'pigeon' }, 'kind', 'enum'],
      [{ ...webhook(), team_id: '01890000-0000-7000-8000-000000000000' }, 'team_id', 'unknown_team'],
      [{ ...webhook(), allowed_team_ids: ['01890000-0000-7000-8000-000000000000'] }, 'allowed_team_ids[0]', 'unknown_team']
    ]
    for (const [body, path, rule] of table) {
      const answer = await ask(s, home, 'POST', CHANNELS, body)
      t.equal(answer.statusCode, 422, JSON.stringify(body))
      t.match(answer.json(), { code: 'VALIDATION_FAILED', details: [{ path, rule }] }, answer.body)
    }
    t.match((await ask(s, home, 'GET', CHANNELS)).json(), { total: 0 }, 'nothing is left of a refusal')
  })

  await t.test('an e-mail channel must confirm its address unless it belongs to a member', async (t) => {
    const home = await s.workspace('mails')
    const jo = await person(s, home, 'jo-mails', 'editor')
    t.ok((await made(s, jo, { name: 'Own', kind: 'email', config: { recipient: jo.email } })).verified_at)
    const other = await made(s, jo, { name: 'List', kind: 'email', config: { recipient: 'Ops@List.Example.com' } })
    t.match(other, { verified_at: null, needs_verification: true, target: 'Op…@list.example.com' })
    t.equal(
      (await ask(s, jo, 'POST', CHANNELS, { name: 'Again', kind: 'email', config: { recipient: 'ops@list.example.com' } })).statusCode,
      409
    )
    const { rows } = await s.systemPool.query("SELECT payload FROM jobs WHERE kind = 'verification_send' AND tenant_id = $1", [
      home.tenant_id
    ])
    t.equal(rows.length, 1)
    const { verification_id, code_sealed, ...rest } = rows[0].payload
    t.same(rest, { tenant_id: home.tenant_id, purpose: 'channel', method_kind: 'email', address: 'Ops@list.example.com' })
    const token = openForTenant(
      SECRETS_KEY,
      { tenant_id: home.tenant_id, resource: `verification:${verification_id}`, field: 'code' },
      code_sealed
    )
    const led = await s.call(null, 'GET', `${CHANNELS}/confirm?token=${token}`)
    t.match([led.statusCode, led.headers.location], [302, new RegExp(`/links/${token}$`)])
    t.equal((await ask(s, jo, 'GET', `${CHANNELS}/${other.id}`)).json().verified_at, null, 'to open a link changes nothing')
    const use = (link: string) => s.call(null, 'POST', `/api/v1/notifications/links/${link}`, {})
    t.equal((await use('cnf_0000')).statusCode, 404)
    t.equal((await use(token)).statusCode, 200)
    t.ok((await ask(s, jo, 'GET', `${CHANNELS}/${other.id}`)).json().verified_at)
    t.equal((await use(token)).statusCode, 404, 'a link is good once')
    await ask(s, jo, 'PATCH', `${CHANNELS}/${other.id}`, { config: { recipient: 'new@list.example.com' } })
    t.equal((await ask(s, jo, 'GET', `${CHANNELS}/${other.id}`)).json().verified_at, null, 'another address is not proven')
  })

  await t.test('channels are limited by plan, protected while in use, and read-only for viewers', async (t) => {
    const home = await s.workspace('plans')
    await s.systemPool.query("UPDATE tenants SET plan = 'free' WHERE tenant_id = $1", [home.tenant_id])
    const kinds = (await ask(s, home, 'GET', '/api/v1/notifications/channel-kinds')).json().items
    const hook = kinds.find(({ kind }: { kind: string }) => kind === 'webhook')
    t.match(hook, { available: true, secrets: ['secret', 'headers'], default_events: ['down', 'up', 'ssl_expiry'] })
    t.equal(hook.schema.properties.secret.writeOnly, true)
    t.equal(hook.schema.additionalProperties, false)
    const paid = { name: 'Call', kind: 'sms', config: { number: '+4915112345678' } }
    t.match((await ask(s, home, 'POST', CHANNELS, paid)).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'channel_kinds', limit: 0, plan: 'free', upgrade_to: 'pro' }]
    })
    const first = await made(s, home, webhook())
    await made(s, home, webhook())
    await made(s, home, webhook())
    t.match((await ask(s, home, 'POST', CHANNELS, webhook())).json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      details: [{ limit_key: 'channels', limit: 3, actual: 3, plan: 'free' }]
    })
    const told = await s.systemPool.query<{ title: string }>(
      `SELECT payload #>> '{notice,title}' AS title FROM jobs WHERE kind = 'feed_notice' AND tenant_id = $1
       UNION SELECT title FROM feed WHERE tenant_id = $1 AND type = 'limit' ORDER BY title`,
      [home.tenant_id]
    )
    t.same(
      told.rows.map(({ title }) => title),
      ['The limit of channels is reached', 'The plan does not include this kind of channel'],
      'neither hides the other'
    )
    const monitor = await ask(s, home, 'POST', '/api/v1/monitors', { name: 'm', type: 'http', target: 'https://example.com/' })
    await s.systemPool.query('UPDATE monitors SET channel_ids = ARRAY[$2::uuid] WHERE monitor_id = $1', [monitor.json().id, first.id])
    t.match((await ask(s, home, 'DELETE', `${CHANNELS}/${first.id}`)).json(), {
      code: 'IN_USE',
      details: [{ path: 'monitors', actual: 1, names: ['m'] }]
    })
    t.equal((await ask(s, home, 'DELETE', `${CHANNELS}/${first.id}?force=true`)).statusCode, 204)
    const viewer = await person(s, home, 'viewer-plans', 'viewer')
    t.equal((await ask(s, viewer, 'POST', CHANNELS, webhook())).statusCode, 403)
    t.equal((await ask(s, viewer, 'GET', CHANNELS)).statusCode, 200)
  })

  await t.test('only a lead or an admin gives a channel access to a private team', async (t) => {
    const home = await s.workspace('private')
    const editor = await person(s, home, 'editor-private', 'editor')
    const team = (await ask(s, home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
    const member = (role: string) => ask(s, home, 'PUT', `/api/v1/teams/${team.id}/members/${editor.user_id}`, { role })
    t.match((await ask(s, editor, 'POST', CHANNELS, { ...webhook(), allowed_team_ids: [team.id] })).json(), {
      details: [{ rule: 'unknown_team' }]
    })
    await member('member')
    t.equal((await ask(s, editor, 'POST', CHANNELS, { ...webhook(), allowed_team_ids: [team.id] })).statusCode, 403)
    t.equal((await ask(s, editor, 'POST', CHANNELS, { ...webhook(), team_id: team.id })).statusCode, 403)
    await member('lead')
    t.same((await made(s, editor, { ...webhook(), allowed_team_ids: [team.id] })).allowed_team_ids, [team.id])
    const own = await made(s, home, { ...webhook(), team_id: team.id })
    const outsider = await person(s, home, 'outsider-private', 'editor')
    t.equal((await ask(s, outsider, 'GET', `${CHANNELS}/${own.id}`)).statusCode, 404)
    t.equal((await ask(s, home, 'DELETE', `/api/v1/teams/${team.id}`)).statusCode, 409, 'the team still has a channel')
    t.same(await audited(s, home.tenant_id, own.id), ['channel.created'])
  })

  await t.test('only leads and admins change where a channel leads that is told about a private team', async (t) => {
    const home = await s.workspace('redirect')
    const editor = await person(s, home, 'editor-redirect', 'editor')
    const team = (await ask(s, home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
    const { id } = await made(s, home, { ...webhook(), allowed_team_ids: [team.id] })
    const elsewhere = { config: { url: 'https://elsewhere.example.com/' } }
    const change = (who: Workspace | Person, body: object) => ask(s, who, 'PATCH', `${CHANNELS}/${id}`, body)
    const refused = await change(editor, elsewhere)
    t.match([refused.statusCode, refused.json().code], [403, 'FORBIDDEN'], refused.body)
    t.equal((await change(editor, { name: 'Other words' })).statusCode, 200, 'what does not redirect it')
    const member = (role: string) => ask(s, home, 'PUT', `/api/v1/teams/${team.id}/members/${editor.user_id}`, { role })
    await member('member')
    t.equal((await change(editor, elsewhere)).statusCode, 403)
    await member('lead')
    t.equal((await change(editor, elsewhere)).statusCode, 200)
    await member('member')
    const without = { config: { url: 'https://third.example.com/' }, allowed_team_ids: [] }
    t.equal((await change(editor, without)).statusCode, 200, 'together with the end of what it is told')
    t.equal((await change(editor, elsewhere)).statusCode, 200)
    const own = await made(s, home, { ...webhook(), team_id: team.id })
    t.equal((await ask(s, editor, 'PATCH', `${CHANNELS}/${own.id}`, elsewhere)).statusCode, 403, 'of the team itself')
    t.equal((await ask(s, home, 'PATCH', `${CHANNELS}/${own.id}`, elsewhere)).statusCode, 200)
  })

  await t.test('the confirmation link of an e-mail channel is sent again at most once a minute', async (t) => {
    const home = await s.workspace('again')
    const mail = await made(s, home, { name: 'List', kind: 'email', config: { recipient: 'list@example.com' } })
    const path = `${CHANNELS}/${mail.id}/confirmation`
    const soon = await ask(s, home, 'POST', path, {})
    t.match(soon.json(), { code: 'RATE_LIMITED' })
    t.ok(Number(soon.headers['retry-after']) > 0)
    const link = async (): Promise<string> =>
      (await s.systemPool.query("SELECT encode(token_sha256, 'hex') AS link FROM channel_confirmations WHERE channel_id = $1", [mail.id]))
        .rows[0].link
    const before = await link()
    await s.systemPool.query("UPDATE channel_confirmations SET created_at = now() - interval '61 seconds' WHERE channel_id = $1", [mail.id])
    t.equal((await ask(s, home, 'POST', path, {})).statusCode, 202)
    t.not(await link(), before, 'the one before is good no more')
    const jobs = await s.systemPool.query("SELECT payload FROM jobs WHERE tenant_id = $1 AND kind = 'verification_send'", [home.tenant_id])
    t.equal(jobs.rows.length, 2)
    await s.systemPool.query('UPDATE notification_channels SET verified_at = now() WHERE channel_id = $1', [mail.id])
    t.match((await ask(s, home, 'POST', path, {})).json(), { code: 'CONFLICT' })
    const hook = await made(s, home, webhook())
    t.match((await ask(s, home, 'POST', `${CHANNELS}/${hook.id}/confirmation`, {})).json(), { code: 'CONFLICT' })
    t.same(await audited(s, home.tenant_id, mail.id), ['channel.created', 'channel.confirmation_sent'])
  })

  await t.test('all workspaces together ask an address to confirm at most five times an hour', async (t) => {
    const [one, other] = [await s.workspace('asks'), await s.workspace('asks-too')]
    const config = (recipient: string) => ({ config: { recipient } })
    const mail = await made(s, one, { name: 'List', kind: 'email', ...config('victim@example.com') })
    const change = (recipient: string) => ask(s, one, 'PATCH', `${CHANNELS}/${mail.id}`, config(recipient))
    for (const recipient of ['a@example.com', 'Victim@example.com', 'b@example.com', 'victim@example.com', 'c@example.com'])
      t.equal((await change(recipient)).statusCode, 200, recipient)
    const theirs = await made(s, other, { name: 'List', kind: 'email', ...config('VICTIM@example.com') })
    t.equal((await change('victim@example.com')).statusCode, 200, 'the fifth')
    t.equal((await change('d@example.com')).statusCode, 200)

    const refused = await change('victim@example.com')
    t.match(refused.json(), { code: 'RATE_LIMITED', error: /asked 5 times/ })
    t.equal(refused.statusCode, 429)
    t.equal(refused.headers['retry-after'], '3600')
    t.equal((await ask(s, one, 'GET', `${CHANNELS}/${mail.id}`)).json().config.recipient, 'd@example.com', 'nothing is changed')
    await s.systemPool.query("UPDATE channel_confirmations SET created_at = now() - interval '61 seconds' WHERE channel_id = $1", [
      theirs.id
    ])
    t.match((await ask(s, other, 'POST', `${CHANNELS}/${theirs.id}/confirmation`, {})).json(), { code: 'RATE_LIMITED' })
    await ask(s, other, 'DELETE', `${CHANNELS}/${theirs.id}`)
    const again = { name: 'List', kind: 'email', ...config('victim@example.com') }
    t.match((await ask(s, other, 'POST', CHANNELS, again)).json(), { code: 'RATE_LIMITED' }, 'to delete the channel does not help')

    await s.systemPool.query("UPDATE confirmation_mails SET asked_at = now() - interval '61 minutes'")
    t.equal((await ask(s, other, 'POST', CHANNELS, again)).statusCode, 201, 'an hour later')
  })

  await t.test('a workspace asks twenty addresses an hour, or as many as its plan has channels', async (t) => {
    for (const [plan, most] of [
      ['free', 20],
      ['business', 100]
    ] as const) {
      const home = await s.workspace(`asks-${plan}`, plan)
      const mail = await made(s, home, { name: 'List', kind: 'email', config: { recipient: 'nobody@example.com' } })
      const change = (recipient: string) => ask(s, home, 'PATCH', `${CHANNELS}/${mail.id}`, { config: { recipient } })
      await s.systemPool.query(
        `INSERT INTO confirmation_mails (tenant_id, mail_id, address) SELECT $1, gen_random_uuid(), 'x-' || n FROM generate_series(1, $2::int) AS n`,
        [home.tenant_id, most - 2]
      )
      t.equal((await change(`last-${plan}@example.com`)).statusCode, 200, `mail ${most} of ${plan}`)
      t.match((await change(`more-${plan}@example.com`)).json(), {
        code: 'RATE_LIMITED',
        error: new RegExp(`has asked ${most} recipients`)
      })
    }
  })

  await t.test('uses of a channel are counted, and named only if the caller sees them', async (t) => {
    const home = await s.workspace('uses')
    const editor = await person(s, home, 'editor-uses', 'editor')
    const team = (await ask(s, home, 'POST', '/api/v1/teams', { name: 'Secret', visibility: 'private' })).json()
    const hook = await made(s, home, webhook())
    for (const [name, team_id] of [
      ['Open', null],
      ['Hidden', team.id]
    ]) {
      const monitor = await ask(s, home, 'POST', '/api/v1/monitors', { name, type: 'http', target: 'https://example.com/', team_id })
      await s.systemPool.query('UPDATE monitors SET channel_ids = ARRAY[$2::uuid] WHERE monitor_id = $1', [monitor.json().id, hook.id])
      const rule = { name: `${name} rule`, match: {}, actions: { channel_ids: [hook.id], ...(team_id !== null && { team_id }) } }
      t.equal((await ask(s, home, 'POST', '/api/v1/routing-rules', rule)).statusCode, 201)
    }
    const layer = { name: 'All', rotation: 'daily', starts_on: '2026-01-01', handoff_time: '09:00', participants: [home.user_id] }
    const notices = [{ channel_id: hook.id, when: 'on_change' }]
    const schedule = { name: 'Primary', time_zone: 'UTC', layers: [layer], notices }
    const made_schedule = await ask(s, home, 'POST', '/api/v1/on-call/schedules', schedule)
    t.equal(made_schedule.statusCode, 201, made_schedule.body)
    const uses = async (who: Workspace | Person) => (await ask(s, who, 'DELETE', `${CHANNELS}/${hook.id}`)).json().details
    t.match(await uses(home), [
      { path: 'monitors', actual: 2, names: ['Hidden', 'Open'] },
      { path: 'schedules', actual: 1, names: ['Primary'] },
      { path: 'routing_rules', actual: 2, names: ['Open rule', 'Hidden rule'] }
    ])
    t.match(await uses(editor), [
      { path: 'monitors', actual: 2, names: ['Open'] },
      { path: 'schedules', actual: 1, names: ['Primary'] },
      { path: 'routing_rules', actual: 2, names: ['Open rule'] }
    ])
    await ask(s, home, 'PATCH', `/api/v1/on-call/schedules/${made_schedule.json().id}`, { notices: [] })
    t.same(
      (await uses(home)).map(({ path }: { path: string }) => path),
      ['monitors', 'routing_rules'],
      'a version that is over does not count'
    )
  })
})

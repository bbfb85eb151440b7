/**
 * Tests of inbound integrations and API tokens: create, show once, change, rotate, delete. A
 * request over a plan limit is refused as a whole.
 */
import t from 'tap'
import { parse } from 'yaml'
import { sourceTypes } from '../../../schemas/generated/source-types.ts'
import { sha256 } from '../../../services/credentials/credentials.ts'
import { openForTenant } from '../../../services/credentials/sealing.ts'
import { sources } from '../../../services/intake/sources/index.ts'
import { until } from '../../harness/until.ts'
import { ORIGIN, SECRETS_KEY, stand } from './stand.ts'

const PATH = '/api/v1/integrations/inbound'
const TOKENS = '/api/v1/workspace/tokens'

t.test('integrations and tokens', async (t) => {
  const s = await stand(t)
  const configVersions = async (id: string) =>
    (await s.systemPool.query('SELECT kind, version, body, actor FROM config_versions WHERE id = $1 ORDER BY version', [id])).rows
  const audit = async (id: string) =>
    (await s.systemPool.query('SELECT action, diff FROM audit WHERE object_id = $1 ORDER BY at, audit_id', [id])).rows

  await t.test('a new Alertmanager integration comes with a receiver configuration to paste', async (t) => {
    const answer = await s.call(s.acme, 'POST', PATH, {
      name: 'Prometheus Berlin',
      source_type: 'alertmanager',
      labels_add: { site: 'berlin' }
    })
    t.equal(answer.statusCode, 201)
    t.equal(answer.headers['cache-control'], 'no-store')
    const made = answer.json()
    t.match(made, {
      name: 'Prometheus Berlin',
      source_type: 'alertmanager',
      enabled: true,
      default_severity: null,
      capture: false,
      version: 1,
      labels_add: { site: 'berlin' }
    })
    t.match(made.token, /^svc_[A-Za-z0-9_-]{43}$/)
    t.equal(made.endpoint_url, `${ORIGIN}/api/v1/webhooks/incoming/${made.token}`)
    const receiver = parse(made.instructions[0].text)
    t.same(receiver.receivers[0].webhook_configs, [
      {
        url: `${ORIGIN}/api/v1/webhook/alertmanager`,
        send_resolved: true,
        max_alerts: 0,
        http_config: { authorization: { type: 'Bearer', credentials: made.token } }
      }
    ])
    t.equal(receiver.route.receiver, receiver.receivers[0].name)

    const read = await s.call(s.acme, 'GET', `${PATH}/${made.id}`)
    t.match(read.json(), { token: null, endpoint_url: null, token_prefix: made.token.slice(0, 10) })
    t.notOk(read.body.includes(made.token), 'the token is shown once')
    t.notOk((await s.call(s.acme, 'GET', PATH)).body.includes(made.token))
    const { rows } = await s.systemPool.query('SELECT to_jsonb(i) AS row FROM integrations i WHERE integration_id = $1', [made.id])
    t.notOk(JSON.stringify(rows).includes(made.token), 'the database holds no usable token')
    t.match(await configVersions(made.id), [
      { kind: 'integration', version: 1, actor: `token:${s.acme.token_id}`, body: { name: 'Prometheus Berlin' } }
    ])
    t.notOk(JSON.stringify(await configVersions(made.id)).includes('svc_'))
    t.match(await audit(made.id), [{ action: 'integration.created' }])
  })

  await t.test('a generic integration comes with a curl command', async (t) => {
    const made = (await s.call(s.acme, 'POST', PATH, { name: 'cron', source_type: 'generic', default_severity: 'info' })).json()
    t.match(made.instructions[0], { language: 'shell', text: new RegExp(`^curl -sS '${ORIGIN}/api/v1/webhooks/incoming/${made.token}'`) })
    t.equal(made.default_severity, 'info')
  })

  await t.test('a change keeps absent fields, null clears a field, and a repeat makes no version', async (t) => {
    const made = (
      await s.call(s.acme, 'POST', PATH, {
        name: 'a',
        source_type: 'generic',
        default_severity: 'info',
        severity_map: { worst: 'critical' }
      })
    ).json()
    const change = { enabled: false, capture: true, default_severity: null, source_type: 'generic' }
    const changed = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, change)
    t.equal(changed.statusCode, 200)
    t.equal(changed.headers.etag, '"2"')
    t.match(changed.json(), {
      name: 'a',
      enabled: false,
      capture: true,
      default_severity: null,
      severity_map: { worst: 'critical' },
      version: 2,
      token: null
    })
    t.match((await audit(made.id)).at(-1), {
      action: 'integration.updated',
      diff: { enabled: [true, false], capture: [false, true], default_severity: ['info', null] }
    })
    t.match(await s.services.credentials.integration(made.token), { enabled: false, capture: true }, 'the door sees it')
    const again = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, change)
    t.same(again.json(), changed.json(), 'nothing changed')
    t.equal((await audit(made.id)).length, 2)
    t.same(
      (await configVersions(made.id)).map(({ version }: { version: number }) => version),
      [1, 2]
    )
  })

  await t.test('intake settings of an integration are validated, stored and shown', async (t) => {
    const settings = { allowed_cidrs: ['192.0.2.0/24'], dedup_template: '{label.host}/{title}', auto_resolve_minutes: 60 }
    const made = (
      await s.call(s.acme, 'POST', PATH, { name: 'settings', source_type: 'generic', ...settings, options: {}, verify: {} })
    ).json()
    t.match(made, { ...settings, options: {}, verify: {}, disconnected_at: null, event_count_24h: 0 })
    t.match(await s.services.credentials.integration(made.token), {
      allowed_cidrs: ['192.0.2.0/24'],
      dedup_template: '{label.host}/{title}',
      verify: {}
    })
    const refused = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, {
      name: 'half',
      options: { nope: true, '': 1 },
      verify: { secret: 'x' }
    })
    t.equal(refused.statusCode, 422)
    t.match(refused.json().details, [{ path: 'options.nope', rule: 'unknown_field', message: /it has none/ }, { path: 'options.' }])
    t.notMatch(refused.body, /"x"/)
    for (const body of [
      { dedup_template: 'same' },
      { allowed_cidrs: ['office'] },
      { auto_resolve_minutes: 0 },
      { options: [] },
      { verify: null }
    ])
      t.equal((await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, body)).statusCode, 422, JSON.stringify(body))
    t.equal((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).json().version, 1, 'nothing was half done')
    const worded = await s.call(s.acme, 'POST', PATH, { name: 'worded', source_type: 'pingdom', dedup_template: '{title}' })
    t.equal(worded.statusCode, 422)
    t.match(worded.json().details, [{ path: 'dedup_template', rule: 'pattern', message: /use \{dedup_key\} or labels/ }])
    const cleared = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, {
      dedup_template: null,
      auto_resolve_minutes: null,
      allowed_cidrs: []
    })
    t.match(cleared.json(), { dedup_template: null, auto_resolve_minutes: null, allowed_cidrs: [], version: 2 })
    t.match((await audit(made.id)).at(-1), { diff: { dedup_template: ['{label.host}/{title}', null] } })
    t.match((await configVersions(made.id)).at(-1), { body: { dedup_template: null, verify: {} } })
  })

  await t.test('a secret of an integration is sealed and never shown', async (t) => {
    const secret = 'correct-horse-battery'
    const sent = { name: 'elastic', source_type: 'elastic', verify: { secret, secret_header: 'authorization' } }
    const answer = await s.call(s.acme, 'POST', PATH, sent)
    t.equal(answer.statusCode, 201, answer.body)
    const made = answer.json()
    t.same(made.verify, { secret: '********', secret_header: 'authorization' })
    const sealedOf = async (): Promise<string> =>
      (await s.systemPool.query('SELECT verify FROM integrations WHERE integration_id = $1', [made.id])).rows[0]?.verify.secret
    const sealed = await sealedOf()
    const place = { tenant_id: s.acme.tenant_id, resource: `integration:${made.id}`, field: 'verify.secret' }
    t.equal(openForTenant(SECRETS_KEY, place, sealed), secret)

    const parse = (headers: object) => s.call(s.acme, 'POST', `${PATH}/${made.id}/parse`, { body: sources.elastic.about.sample, headers })
    t.match((await parse({ Authorization: `Bearer ${secret}` })).json().proof, { asked: true, proven: true })
    t.match((await parse({ Authorization: 'Bearer wrong' })).json().proof, { asked: true, proven: false, reason: String })

    const kept = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { verify: { secret: '********', secret_header: null } })
    t.same(kept.json().verify, { secret: '********' })
    t.equal(await sealedOf(), sealed)
    await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { verify: { secret: 'another-one' } })
    t.not(await sealedOf(), sealed)
    t.match((await audit(made.id)).at(-1), { diff: { verify: [{ secret: '********' }, { secret: '********' }] } }, 'that it changed')
    const gone = await s.call(s.acme, 'PATCH', `${PATH}/${made.id}`, { verify: { secret: null } })
    t.same(gone.json().verify, {})
    const everything = JSON.stringify([await audit(made.id), await configVersions(made.id)]) + kept.body + answer.body + s.logged()
    for (const hidden of [secret, 'another-one', sealed]) t.notOk(everything.includes(hidden), 'neither value nor seal')
  })

  await t.test('after a rotation the old integration token works until its grace period ends', async (t) => {
    const made = (await s.call(s.acme, 'POST', PATH, { name: 'b', source_type: 'generic' })).json()
    const rotated = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/rotate-token`, { grace_minutes: 5 })).json()
    t.not(rotated.token, made.token)
    const find = (token: string) => s.services.credentials.integration(token)
    t.equal((await find(rotated.token))?.integration_id, made.id)
    t.ok(((await find(made.token))?.expires_at ?? 0) > Date.now(), 'within its grace')
    const again = (await s.call(s.acme, 'POST', `${PATH}/${made.id}/rotate-token`, { grace_minutes: 0 })).json()
    await until('both old ones are dead', async () => (await find(rotated.token)) === null && (await find(made.token)) === null)
    t.equal((await find(again.token))?.integration_id, made.id)
    t.notOk(JSON.stringify(await audit(made.id)).includes('svc_'))
  })

  await t.test('deleting an integration ends its token', async (t) => {
    const made = (await s.call(s.acme, 'POST', PATH, { name: 'c', source_type: 'generic' })).json()
    t.ok(await s.services.credentials.integration(made.token), 'kept by the cache from here on')
    const gone = await s.call(s.acme, 'DELETE', `${PATH}/${made.id}`)
    t.equal(gone.statusCode, 204)
    t.equal(gone.body, '')
    await until('the token is dead', async () => (await s.services.credentials.integration(made.token)) === null)
    t.equal((await s.call(s.acme, 'DELETE', `${PATH}/${made.id}`)).statusCode, 404)
    t.equal((await s.call(s.acme, 'GET', `${PATH}/${made.id}`)).statusCode, 404)
    t.match((await configVersions(made.id)).at(-1), { version: 2, body: { deleted: true } })
  })

  await t.test('the source list names every type that has a parser, with instructions', async (t) => {
    const { items, total } = (await s.call(s.acme, 'GET', '/api/v1/integrations/sources?per_page=100')).json()
    t.same(
      items.map(({ source_type }: { source_type: string }) => source_type),
      sourceTypes
    )
    t.equal(total, sourceTypes.length)
    for (const item of items)
      t.match(item, {
        name: String,
        description: String,
        resolves_when: String,
        default_severity: /^(critical|warning|info)$/,
        options: Array,
        sample: Object,
        doors: [/^\/api\/v1\//],
        instructions: [{ text: /<token>/ }]
      })
  })

  await t.test('an API token is shown once and can be narrowed, changed, rotated and revoked', async (t) => {
    const answer = await s.call(s.acme, 'POST', TOKENS, { name: 'CI' })
    t.equal(answer.statusCode, 201)
    const made = answer.json()
    t.match(made.token, /^service_[0-9a-f]{64}$/)
    t.same(made.scopes, ['read', 'write', 'incidents:act'], 'the default')
    t.equal(made.prefix, made.token.slice(0, 14))
    t.match((await s.call(made.token, 'GET', '/api/v1/auth/session')).json(), { kind: 'token', token: { id: made.id, name: 'CI' } })
    t.equal((await s.call(made.token, 'GET', TOKENS)).statusCode, 403, 'it may not make more')
    t.notOk((await s.call(s.acme, 'GET', TOKENS)).body.includes(made.token))
    const { rows } = await s.systemPool.query('SELECT token_sha256 FROM api_tokens WHERE token_id = $1', [made.id])
    t.same(rows[0]?.token_sha256, sha256(made.token))

    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const changed = await s.call(s.acme, 'PATCH', `${TOKENS}/${made.id}`, { scopes: ['read'], expires_at })
    t.match(changed.json(), { name: 'CI', scopes: ['read'], expires_at, version: 2 })
    await until(
      'the narrower scope holds',
      async () => (await s.call(made.token, 'POST', PATH, { name: 'x', source_type: 'generic' })).statusCode === 403,
      5000
    )
    t.equal((await s.call(s.acme, 'PATCH', `${TOKENS}/${made.id}`, { expires_at: null })).json().expires_at, null)

    const rotated = (await s.call(s.acme, 'POST', `${TOKENS}/${made.id}/rotate`)).json()
    t.not(rotated.token, made.token)
    t.same(rotated.scopes, ['read'])
    t.equal((await s.call(rotated.token, 'GET', '/api/v1/workspace')).statusCode, 200)
    await until('the old value is dead', async () => (await s.call(made.token, 'GET', '/api/v1/workspace')).statusCode === 401)

    t.equal((await s.call(s.acme, 'DELETE', `${TOKENS}/${made.id}`)).statusCode, 204)
    await until(
      'the token is dead',
      async () => (await s.call(rotated.token, 'GET', '/api/v1/workspace')).json().code === 'TOKEN_EXPIRED_OR_REVOKED',
      5000
    )
    t.equal((await s.call(s.acme, 'DELETE', `${TOKENS}/${made.id}`)).statusCode, 404)
    t.equal((await s.call(s.acme, 'PATCH', `${TOKENS}/${made.id}`, { name: 'x' })).statusCode, 404)
    t.same(
      (await audit(made.id)).map(({ action }: { action: string }) => action),
      ['api_token.created', 'api_token.updated', 'api_token.updated', 'api_token.rotated', 'api_token.deleted']
    )
    t.same(
      (await configVersions(made.id)).map(({ version }: { version: number }) => version),
      [1, 2, 3, 4, 5]
    )
  })

  await t.test('the plan limits of integrations and tokens hold for concurrent requests', async (t) => {
    // The workspace has one of two integrations and one of three tokens.
    const free = await s.workspace('free', 'free')
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => s.call(free, 'POST', PATH, { name: `n${i}`, source_type: 'generic' }))
    )
    t.same(answers.map(({ statusCode }) => statusCode).sort(), [201, 403, 403, 403])
    const refused = answers.find(({ statusCode }) => statusCode === 403)
    t.match(refused?.json(), {
      code: 'TIER_LIMIT_EXCEEDED',
      error: String,
      details: [{ rule: 'limit', limit_key: 'inbound_integrations', limit: 2, actual: 2, plan: 'free', upgrade_to: 'pro' }]
    })
    t.equal((await s.call(free, 'GET', PATH)).json().total, 2)
    const { rows } = await s.systemPool.query("SELECT count(*) FROM audit WHERE tenant_id = $1 AND action = 'integration.created'", [
      free.tenant_id
    ])
    t.equal(rows[0]?.count, 1, 'a refused one leaves no trace')
    const tokens = await Promise.all(Array.from({ length: 4 }, (_, i) => s.call(free, 'POST', TOKENS, { name: `n${i}` })))
    t.same(tokens.map(({ statusCode }) => statusCode).sort(), [201, 201, 403, 403])
    const { items } = (await s.call(free, 'GET', TOKENS)).json()
    t.equal((await s.call(free, 'DELETE', `${TOKENS}/${items[0].id}`)).statusCode, 204)
    t.equal((await s.call(free, 'POST', TOKENS, { name: 'again' })).statusCode, 201, 'a revoked one makes room')
    const unlimited = (await s.call(s.acme, 'GET', '/api/v1/account')).json()
    t.match(unlimited, {
      plan: 'enterprise',
      entitlements: { members: null, inbound_integrations: 1000 },
      usage: { members: 1, inbound_integrations: Number }
    })
  })
})

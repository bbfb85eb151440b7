/**
 * Tests of monitors of every type: what is accepted, each refusal with its field, secrets, and
 * regions whose probers do not support the type.
 */
import t from 'tap'
import { openForTenant, openSealed } from '../../../services/credentials/sealing.ts'
import { localCodec } from '../../harness/codec.ts'
import { type Body, configsOf, create, MONITORS, rowsOf } from './monitoring.ts'
import { makeProber, makeRegions } from './probing.ts'
import { SECRETS_KEY, stand } from './stand.ts'

t.setTimeout(120_000)

/** For each type a target that is accepted. */
const targets: Record<string, string> = {
  dns: 'shop.example',
  domain: 'example.com',
  grpc: 'api.shop.example:443',
  icmp: 'router.shop.example',
  imap: 'mail.shop.example:143',
  pop3: 'mail.shop.example:110',
  smtp: 'mail.shop.example:587',
  tcp: 'db.shop.example:5432',
  tls: 'shop.example',
  udp: 'ntp.shop.example:123',
  websocket: 'wss://live.shop.example/feed'
}

t.test('monitors of types other than http', async (t) => {
  const s = await stand(t)
  await makeRegions(s)
  const make = (type: string, over: Body = {}) =>
    s.call(s.acme, 'POST', MONITORS, { name: `${type} ${Math.random()}`, type, target: targets[type], ...over })

  await t.test('every type is accepted by its name, and some by an alias', async (t) => {
    for (const [type, target] of Object.entries(targets)) {
      const answer = await make(type)
      t.match([answer.statusCode, answer.json()], [201, { type, target, config: {}, assertions: [] }], type)
    }
    for (const [word, type] of [
      ['port', 'tcp'],
      ['ping', 'icmp'],
      ['ssl', 'tls'],
      ['ws', 'websocket']
    ] as const) {
      t.equal((await make(word, { target: targets[type] })).json().type, type, word)
    }
  })

  await t.test('secret variables of steps are sealed, kept, and needed again for another origin', async (t) => {
    const steps = [
      {
        method: 'POST',
        url: '/login',
        body: '{"password":"{{password}}"}',
        extract: [{ name: 'session', source: 'json', property: '$.token' }]
      },
      { url: '/cart', headers: [{ name: 'Authorization', value: 'Bearer {{session}}' }] }
    ]
    const target = 'https://shop.example/'
    const variables = [
      { name: 'password', value: 'hunter2' },
      { name: 'user', value: 'ann' }
    ]
    const { id, config, type } = (await make('multistep', { target, config: { steps, variables } })).json()
    const shown = [
      { name: 'password', value: '********', secret: true },
      { name: 'user', value: 'ann' }
    ]
    t.same([type, config], ['api', { steps, variables: shown }])
    const change = (body: Body) => s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)
    const stored = async () => {
      const [row] = await rowsOf(s.systemPool, 'SELECT config FROM monitors WHERE monitor_id = $1', [id])
      return (row as { config: { variables: { value: string }[] } }).config.variables[0]?.value ?? ''
    }
    const open = { tenant_id: s.acme.tenant_id, resource: `monitor:${id}`, field: 'variable:password' }
    t.equal(openForTenant(SECRETS_KEY, open, await stored()), 'hunter2')
    t.equal((await change({ config: { variables: shown } })).statusCode, 200)
    t.equal(openForTenant(SECRETS_KEY, open, await stored()), 'hunter2', 'the mask keeps it')
    t.equal((await change({ config: { steps: [...steps, { url: 'https://shop.example/other' }] } })).statusCode, 200, 'the same origin')
    const required = [{ path: 'config.variables[0].value', rule: 'required' }]
    t.match((await change({ config: { steps: [...steps, { url: 'https://attacker.example/' }] } })).json().details, required)
    t.match((await change({ target: 'https://attacker.example/' })).json().details, required)
  })

  await t.test('states can be pushed to an external monitor, and invalid pushes are refused', async (t) => {
    const { id, ...made } = (await make('manual', { target: undefined })).json()
    t.match(made, {
      type: 'external',
      target: 'external',
      next_check_at: null,
      effective_regions: [],
      prober_region_labels: { external: 'Pushed' },
      confirmation: { rounds: 1, recovery_rounds: 1 }
    })
    const [row] = await rowsOf(s.systemPool, 'SELECT assigned_regions FROM monitors WHERE monitor_id = $1', [id])
    t.same(row, { assigned_regions: ['external'] })
    const [config] = await configsOf(s, id)
    t.match(config, { regions: ['external'], interval_seconds: 1_000_000_000 }, 'silence says nothing')
    await s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, { config: { expected_every_seconds: 301 } })
    t.equal((await configsOf(s, id)).at(-1)?.interval_seconds, 151, 'or everything: two intervals')

    const push = (body: Body, to = id) => s.call(s.acme, 'POST', `${MONITORS}/${to}/results`, body)
    const pushed = async () => {
      const { rows } = await s.systemPool.query<{ payload: Buffer; key: Buffer }>(
        "SELECT payload, key FROM outbox WHERE topic = 'checks.results.v1' AND aggregate LIKE 'pushed:%' ORDER BY ver"
      )
      return rows.map(({ payload }) => localCodec().decode('CheckResult', payload))
    }
    const down = await push({ state: 'down', message: 'no answer', response_time_ms: 12.5, dedup_id: 'one' })
    t.same([down.statusCode, down.json()], [202, { accepted: true, duplicate: false }], down.body)
    t.same((await push({ state: 'down', dedup_id: 'one' })).json(), { accepted: false, duplicate: true })
    t.same((await push({ state: 'up', occurred_at: new Date(Date.now() + 30_000).toISOString() })).json().accepted, true)
    const results = await pushed()
    t.match(results, [
      { region: 'external', outcome: 'failure', ok: false, reason: 'assertion', monitor_id: id, tenant_id: s.acme.tenant_id, count: true },
      { region: 'external', outcome: 'success', ok: true, reason: null, message: null }
    ])
    t.equal(results[0]?.timings_ms.total, 12.5)
    t.ok((results[1]?.scheduled_at ?? 0) <= (results[1]?.received_at ?? 0), 'a clock that is ahead makes it not wait')
    t.ok((results[1]?.seq ?? 0) >= (results[0]?.seq ?? 0), 'in their order')

    const checked = (await make('tcp')).json().id
    t.same((await push({ state: 'up' }, checked)).json().code, 'WRONG_TYPE')
    t.same((await s.call(s.acme, 'POST', `${MONITORS}/${id}/check`)).json().code, 'WRONG_TYPE')
    t.equal((await s.call(s.globex, 'POST', `${MONITORS}/${id}/results`, { state: 'up' })).statusCode, 404)
    for (const [wrong, path] of [
      [{ state: 'paused' }, 'state'],
      [{}, 'state'],
      [{ state: 'up', occurred_at: new Date(Date.now() - 90_000_000).toISOString() }, 'occurred_at'],
      [{ state: 'up', occurred_at: new Date(Date.now() + 120_000).toISOString() }, 'occurred_at'],
      [{ state: 'up', message: 'x'.repeat(1001) }, 'message'],
      [{ state: 'up', dedup_id: '' }, 'dedup_id']
    ] as const) {
      t.match((await push(wrong)).json().details, [{ path }], path)
    }
    await s.call(s.acme, 'POST', `${MONITORS}/${id}/pause`, {})
    t.equal((await push({ state: 'down' })).statusCode, 202, 'while it is paused, too')
    t.equal((await pushed()).length, 3, 'what was refused is not on its way')
  })

  await t.test('settings are stored as they are written, and null restores the default', async (t) => {
    const { id } = (await make('tcp', { config: { send: 'PING\\r\\n', expect: '^PONG', tls: true } })).json()
    const read = async () => (await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().config
    t.same(await read(), { send: 'PING\\r\\n', expect: '^PONG', tls: true })
    const change = (body: Body) => s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)
    t.equal((await change({ config: { expect: null, ip_family: '4' } })).statusCode, 200)
    t.same(await read(), { send: 'PING\\r\\n', tls: true, ip_family: '4' })
    t.match((await change({ config: { send_base64: 'AA==' } })).json().details, [{ path: 'config.send_base64', rule: 'unknown_field' }])
    t.match((await change({ config: { method: 'GET' } })).json().details, [{ path: 'config.method', rule: 'unknown_field' }])
    t.match((await change({ target: 'db.shop.example' })).json().details, [{ path: 'target', rule: 'pattern' }])
    t.same(await read(), { send: 'PING\\r\\n', tls: true, ip_family: '4' }, 'nothing half-done')
  })

  await t.test('invalid settings of each type are refused with their path and rule', async (t) => {
    const api = { target: 'https://shop.example/' }
    const steps = (...list: object[]): Body => ({ ...api, config: list.length === 0 ? {} : { steps: list } })
    const secretly = (...list: object[]): Body => ({ ...api, config: { steps: list, variables: [{ name: 'password', value: 'x' }] } })
    const cases: [what: string, type: string, over: Body, wanted: string][] = [
      ['an address for a port', 'tcp', { target: 'https://shop.example/' }, 'target pattern'],
      ['no port', 'udp', { target: 'shop.example' }, 'target pattern'],
      ['a port too high', 'tcp', { target: 'shop.example:65536' }, 'target pattern'],
      ['an ending that nobody tells about', 'domain', { target: 'shop.example' }, 'target pattern'],
      ['no domain', 'domain', { target: 'com' }, 'target pattern'],
      ['more often than once a day', 'domain', { interval_seconds: 3600 }, 'interval_seconds min'],
      ['limits that are upside down', 'domain', { config: { warn_days: 5 } }, 'config.fail_days max'],
      ['a target of a pushed state', 'external', { target: 'shop.example' }, 'target unknown_field'],
      ['a region of a pushed state', 'external', { regions: ['eu-west'] }, 'regions unknown_field'],
      [
        'an assertion of a pushed state',
        'external',
        { assertions: [{ source: 'latency_ms', op: 'lt', value: 1 }] },
        'assertions[0].source enum'
      ],
      ['no steps', 'api', steps(), 'config.steps required'],
      ['eleven steps', 'api', steps(...Array.from({ length: 11 }, () => ({ url: '/' }))), 'config.steps length'],
      ['an address without a scheme', 'api', steps({ url: 'shop.example/' }), 'config.steps[0].url pattern'],
      ['an address of another scheme', 'api', steps({ url: 'file:///etc/passwd' }), 'config.steps[0].url pattern'],
      ['two slashes', 'api', steps({ url: '//attacker.example/' }), 'config.steps[0].url pattern'],
      ['an address inside', 'api', steps({ url: '/' }, { url: 'http://169.254.169.254/latest' }), 'config.steps[1].url blocked_target'],
      ['a name that nothing sets', 'api', steps({ url: '/{{a}}' }), 'config.steps[0].url pattern'],
      [
        'a name that a later step sets',
        'api',
        steps({ url: '/', headers: [{ name: 'x', value: '{{a}}' }], extract: [{ name: 'a', source: 'json', property: '$.a' }] }),
        'config.steps[0].headers[0].value pattern'
      ],
      [
        'a credential in the clear',
        'api',
        steps({ url: '/', headers: [{ name: 'Authorization', value: 'x' }] }),
        'config.steps[0].headers[0].value pattern'
      ],
      [
        'a secret for a host that an answer names',
        'api',
        secretly(
          { url: '/', extract: [{ name: 'host', source: 'json', property: '$.host' }] },
          { method: 'POST', url: 'https://{{host}}/', body: '{{password}}' }
        ),
        'config.steps[1].url pattern'
      ],
      [
        'a path of many places',
        'api',
        steps({ url: '/', extract: [{ name: 'a', source: 'json', property: '$..a' }] }),
        'config.steps[0].extract[0].property pattern'
      ],
      [
        'a header that is none',
        'api',
        steps({ url: '/', extract: [{ name: 'a', source: 'header', property: 'a b' }] }),
        'config.steps[0].extract[0].property pattern'
      ],
      [
        'a header of the prober in a step',
        'api',
        steps({ url: '/', headers: [{ name: 'Content-Length', value: '1' }] }),
        'config.steps[0].headers[0].name pattern'
      ],
      [
        'an operator that does not fit',
        'api',
        steps({ url: '/', assertions: [{ source: 'status', op: 'contains', value: '2' }] }),
        'config.steps[0].assertions[0].op enum'
      ],
      [
        'an expression that grows in a step',
        'api',
        steps({ url: '/', assertions: [{ source: 'body', op: 'matches', value: '(a|b|c|d){500}' }] }),
        'config.steps[0].assertions[0].value unsafe_regex'
      ],
      [
        'a variable that an answer sets',
        'api',
        secretly({ url: '/', extract: [{ name: 'password', source: 'json', property: '$.a' }] }),
        'config.steps[0].extract[0].name pattern'
      ],
      [
        'a secret variable without value',
        'api',
        { ...api, config: { steps: [{ url: '/' }], variables: [{ name: 'password', value: null }] } },
        'config.variables[0].value required'
      ],
      ['a blank', 'icmp', { target: 'shop example' }, 'target pattern'],
      ['a port for a ping', 'icmp', { target: 'shop.example:80' }, 'target pattern'],
      ['an address for a name', 'dns', { target: 'https://shop.example/' }, 'target pattern'],
      ['an IP address for another record', 'dns', { target: '8.8.8.8' }, 'config.record_type pattern'],
      ['http for a WebSocket', 'websocket', { target: 'https://shop.example/' }, 'target pattern'],
      ['a password in the address', 'websocket', { target: 'wss://a:b@shop.example/' }, 'target pattern'],
      ...['tcp', 'udp', 'tls', 'grpc', 'smtp', 'imap', 'pop3'].flatMap((type): [string, string, Body, string][] => [
        ['a private address', type, { target: '10.0.0.1:25' }, 'target blocked_target'],
        ['metadata', type, { target: '[::ffff:169.254.169.254]:80' }, 'target blocked_target']
      ]),
      ['this machine', 'icmp', { target: '127.1' }, 'target blocked_target'],
      ['this machine by WebSocket', 'websocket', { target: 'ws://localhost/' }, 'target blocked_target'],
      ['a resolver of a private network', 'dns', { config: { resolver: '192.168.1.1' } }, 'config.resolver blocked_target'],
      ['a resolver of this machine', 'dns', { config: { resolver: '[::1]:53' } }, 'config.resolver blocked_target'],
      ['a resolver by name', 'dns', { config: { resolver: 'dns.example' } }, 'config.resolver pattern'],
      ['another record', 'dns', { config: { record_type: 'ANY' } }, 'config.record_type enum'],
      ['a setting of another type', 'tcp', { config: { record_type: 'A' } }, 'config.record_type unknown_field'],
      ['too many requests', 'icmp', { config: { count: 11 } }, 'config.count max'],
      ['more replies than requests', 'icmp', { config: { count: 2, min_replies: 3 } }, 'config.min_replies max'],
      ['half a request', 'icmp', { config: { count: 1.5 } }, 'config.count type'],
      ['no base64', 'udp', { config: { send_base64: 'a' } }, 'config.send_base64 pattern'],
      ['text and bytes', 'tcp', { config: { send: 'a', send_base64: 'AA==' } }, 'config.send_base64 unknown_field'],
      ['more bytes than are sent', 'tcp', { config: { send: 'ä'.repeat(4000) } }, 'config.send max'],
      ['an expression that is none', 'tcp', { config: { expect: '(' } }, 'config.expect unsafe_regex'],
      ['an expression that grows', 'websocket', { config: { expect: '(a|b|c|d){500}' } }, 'config.expect unsafe_regex'],
      ['an expression without a reply', 'udp', { config: { expect: 'a', expect_reply: false } }, 'config.expect unknown_field'],
      ['a source of another type', 'tcp', { assertions: [{ source: 'status', op: 'eq', value: 200 }] }, 'assertions[0].source enum'],
      ['a text for a number', 'icmp', { assertions: [{ source: 'latency_ms', op: 'lt', value: 'x' }] }, 'assertions[0].value type'],
      ['a user without a password', 'smtp', { config: { username: 'ann' } }, 'config.password required'],
      ['a password without a user', 'imap', { config: { password: 'x' } }, 'config.username required'],
      ['a password in the clear', 'pop3', { config: { username: 'a', password: 'x', security: 'none' } }, 'config.security pattern'],
      [
        'a header of a WebSocket',
        'websocket',
        { config: { headers: [{ name: 'Upgrade', value: 'x' }] } },
        'config.headers[0].name pattern'
      ],
      ['no certificate', 'tls', { config: { ca_pem: 'nonsense' } }, 'config.ca_pem pattern']
    ]
    for (const [what, type, over, wanted] of cases) {
      const answer = await make(type, over)
      const { details = [] } = answer.json() as { details?: { path: string; rule: string }[] }
      t.same([answer.statusCode, details.map(({ path, rule }) => `${path} ${rule}`)], [422, [wanted]], `${type}: ${what}`)
    }
  })

  await t.test('secrets are sealed, masked, kept, and needed again if another server could read them', async (t) => {
    const { id, config } = (await make('smtp', { config: { username: 'ann', password: 'hunter2' } })).json()
    t.same(config, { username: 'ann', password: '********' })
    const change = (body: Body) => s.call(s.acme, 'PATCH', `${MONITORS}/${id}`, body)
    const stored = async () => {
      const [row] = await rowsOf(s.systemPool, 'SELECT config FROM monitors WHERE monitor_id = $1', [id])
      return (row as { config: { password: string } }).config.password
    }
    const opened = async () =>
      openForTenant(SECRETS_KEY, { tenant_id: s.acme.tenant_id, resource: `monitor:${id}`, field: 'password' }, await stored())
    t.match(await stored(), /^sealed:/)
    t.equal(await opened(), 'hunter2')
    t.equal((await change({ config: { password: '********', helo: 'probe.example' } })).statusCode, 200)
    t.equal(await opened(), 'hunter2', 'the mask keeps it')
    t.match((await change({ target: 'mail.other.example:587' })).json().details, [{ path: 'config.password', rule: 'required' }])
    t.match((await change({ config: { verify_tls: false } })).json().details, [{ path: 'config.password', rule: 'required' }])
    t.equal((await change({ target: 'mail.other.example:587', config: { password: 'hunter3' } })).statusCode, 200)
    t.equal((await change({ config: { username: null, password: null } })).statusCode, 200)
    t.same((await s.call(s.acme, 'GET', `${MONITORS}/${id}`)).json().config, { helo: 'probe.example' })

    const grpc = await make('grpc', { config: { metadata: [{ name: 'authorization', value: 'Bearer hunter2' }] } })
    t.same(grpc.json().config, { metadata: [{ name: 'authorization', value: '********', secret: true }] })
    const written = await rowsOf(
      s.systemPool,
      `SELECT to_jsonb(m) AS row FROM monitors m UNION ALL SELECT to_jsonb(a) FROM audit a
      UNION ALL SELECT to_jsonb(c) FROM config_versions c`,
      []
    )
    t.notMatch(JSON.stringify(written), /hunter[23]/, 'nowhere in the clear')
  })

  await t.test('a region whose online probers lack the type is refused, but an offline one is not', async (t) => {
    const prober = await makeProber(s, 'eu-west')
    await prober.hello({ kinds: ['http', 'tcp'] })
    t.match((await make('icmp', { regions: ['us-east', 'eu-west'] })).json().details, [{ path: 'regions[1]', rule: 'unsupported_type' }])
    t.equal((await make('icmp', { regions: ['us-east'] })).statusCode, 201)
    t.equal((await make('tcp', { regions: ['eu-west'] })).statusCode, 201)
    const picked = (await make('icmp')).json().id
    const [row] = await rowsOf(s.systemPool, 'SELECT assigned_regions FROM monitors WHERE monitor_id = $1', [picked])
    t.notOk((row as { assigned_regions: string[] }).assigned_regions.includes('eu-west'), 'the service does not pick it')
    const items = (await s.call(s.acme, 'GET', '/api/v1/regions')).json().items
    t.match(items[0], { code: 'eu-west', types: ['http', 'tcp'] })
    t.same(items[1].types, [])

    for (const code of ['us-east', 'ap-south', 'sa-east']) await (await makeProber(s, code)).hello({ kinds: ['http'] })
    t.match((await make('dns')).json().details, [{ path: 'type', rule: 'unsupported_type' }])
  })

  await t.test('a prober gets the settings, the sealed secrets and the certificate threshold', async (t) => {
    const prober = await makeProber(s, 'eu-west', 'eu-west-2')
    await prober.hello({ kinds: ['http', 'tls', 'smtp'] })
    const own = async (over: Body) => (await create(s, s.acme, { regions: ['eu-west'], ...over })).id
    const mail = await own({ type: 'smtp', target: targets.smtp, config: { username: 'ann', password: 'hunter2' } })
    const tls = await own({ type: 'tls', target: targets.tls, tls_expiry_days: [14, 3, 30] })
    const never = await own({ type: 'tls', target: targets.tls, tls_expiry_days: [] })
    const { monitors } = (await prober.config()).json() as { monitors: { monitor_id: string; config: { password: string } }[] }
    const found = (id: string) => monitors.find(({ monitor_id }) => monitor_id === id)
    t.equal(openSealed(prober.privateKey, found(mail)?.config.password ?? ''), 'hunter2')
    t.match(found(tls), { type: 'tls', expiry_days: 3 })
    t.notOk(Object.hasOwn(found(never) ?? {}, 'expiry_days'))
  })
})

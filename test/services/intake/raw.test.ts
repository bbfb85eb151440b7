/** Tests of raw payloads: what of them is kept, and that no secret is kept. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import t from 'tap'
import { type RawPayload, toRawAlert } from '../../../services/intake/raw.ts'
import { integration } from './credential.ts'

const raw = (text: string | Buffer, fields: Partial<RawPayload> = {}): { text: string; record: ReturnType<typeof toRawAlert> } => {
  const bytes = Buffer.from(text as string)
  const record = toRawAlert({
    integration: integration(),
    source: 'generic',
    received_at: 1,
    outcome: 'rejected',
    reason: 'MALFORMED_JSON: x',
    alerts: 0,
    content_type: 'text/plain',
    bytes,
    body: undefined,
    ...fields
  })
  return { text: record.payload.toString(), record }
}

t.test('fields with secret-sounding names are removed from decoded payloads', async (t) => {
  const body = {
    title: 'x',
    password: 'hunter2',
    nested: [{ api_key: 'k', apikey: 'k', ApiKey: 'k', Authorization: 'a', b: 1 }],
    Cookies: { a: 'hunter2' }
  }
  const { text, record } = raw(JSON.stringify(body), { body })
  t.equal(text, '{"title":"x","nested":[{"b":1}]}')
  t.equal(record.bytes, JSON.stringify(body).length)
  t.equal(record.payload_sha256, createHash('sha256').update(JSON.stringify(body)).digest('hex'), 'of the whole payload')
})

t.test('credentials of senders are removed from payloads of every shape', async (t) => {
  const cases: [string, string, unknown, string][] = [
    [
      'a payload may have pairs',
      'generic',
      {
        headers: [
          ['Cookie', 'a=b'],
          ['Host', 'a.test']
        ]
      },
      '{"headers":[["Cookie"],["Host","a.test"]]}'
    ],
    [
      'headers and tags come as objects too',
      'sentry',
      [
        { key: 'api_key', value: 'k' },
        { name: 'Authorization', value: 'k', id: 1 }
      ],
      '[{"key":"api_key"},{"name":"Authorization","id":1}]'
    ],
    ['any other name keeps its value', 'sentry', [{ name: 'region', value: 'eu' }], '[{"name":"region","value":"eu"}]'],
    ['an occurrence has the token of its project', 'rollbar', { metadata: { access_token: 't', a: 1 } }, '{"metadata":{"a":1}}'],
    [
      'a check has addresses that act for it',
      'healthchecks',
      { check: { name: 'x', ping_url: 'u', update_url: 'u', pause_url: 'u', resume_url: 'u' } },
      '{"check":{"name":"x"}}'
    ],
    [
      'a topic has addresses that end its subscription',
      'cloudwatch',
      { Type: 'x', Token: 't', SubscribeURL: 'u', UnsubscribeURL: 'u' },
      '{"Type":"x"}'
    ],
    ['a status page has one too', 'statuspage', { meta: { unsubscribe: 'u', documentation: 'd' } }, '{"meta":{"documentation":"d"}}'],
    ['a test has a token', 'statuscake', { Name: 'x', Token: 't' }, '{"Name":"x"}'],
    ['a build has parameters and a log', 'jenkins', { build: { number: 1, parameters: { a: 'b' }, log: 'x' } }, '{"build":{"number":1}}'],
    ['those words mean nothing elsewhere', 'generic', { parameters: { a: 'b' }, log: 'x' }, '{"parameters":{"a":"b"},"log":"x"}']
  ]
  for (const [name, source, body, expected] of cases) t.equal(raw('x', { source, body }).text, expected, name)
})

t.test('values after secret-sounding names are dropped from text that cannot be decoded', async (t) => {
  // biome-ignore format: a table
  const cases: [string, string][] = [
    ['{"api_token": "abc\\"d", "x": 1,}', '{"api_token": [dropped], "x": 1,}'],
    ['password=hunter2&x=1', 'password=[dropped]&x=1'],
    ['Authorization: Bearer abc def\nx: 1', 'Authorization: [dropped]\nx: 1'],
    ['{"cookies":{"a":"b"},"x":1', '{"cookies":[dropped]'],
    ['{"my secret":"x"', '{"my secret":[dropped]'],
    ['{"token" : 12345, "a":2', '{"token" : [dropped], "a":2'],
    ['{"token":"unterminated', '{"token":[dropped]'],
    ['[["Cookie","a=b"],["Host", "a.test"],', '[["Cookie",[dropped]],["Host", "a.test"],'],
    ['{"key":"api_key" , "value" : "k","x":1,', '{"key":"api_key" , "value" : [dropped],"x":1,'],
    ["token='x y'&a=1", 'token=[dropped]&a=1'],
    ['{"name":"a"b","ping_url":"https://a.test/u","x":1', '{"name":"a"b","ping_url":[dropped],"x":1'],
    ['{"title":"no secret here', '{"title":"no secret here']
  ]
  for (const [text, expected] of cases) t.equal(raw(text).text, expected, text)
})

const visit = {
  url: 'https://canary-user@shop.test/cart?canary=1#canary',
  method: 'GET',
  headers: { Accept: 'canary', 'X-Forwarded-For': 'canary' },
  cookies: 'canary',
  env: { REMOTE_ADDR: 'canary' },
  data: { card: 'canary' },
  query_string: 'canary',
  params: { a: 'canary' },
  GET: { a: 'canary' },
  body: 'canary',
  user_ip: 'canary',
  clientIp: 'canary'
}
const visited = { url: 'https://shop.test/cart', method: 'GET' }
const who = { id: '812', ip_address: 'canary', email: 'canary', username: 'canary', geo: { city: 'canary' }, name: 'canary' }

t.test('data about visitors is removed from payloads of error trackers in every shape', async (t) => {
  const pairs = Object.entries(visit.headers)
  const cases: [string, string, unknown, unknown][] = [
    [
      'an event',
      'sentry',
      { data: { event: { request: visit, user: who, title: 'x' } } },
      { data: { event: { request: visited, user: { id: '812' }, title: 'x' } } }
    ],
    ['an error', 'sentry', { data: { error: { request: { ...visit, headers: pairs } } } }, { data: { error: { request: visited } } }],
    ['a request in words', 'sentry', { event: { request: 'GET /canary', user: ['canary'] } }, { event: { request: {}, user: {} } }],
    [
      'as an interface',
      'sentry',
      { event: { 'sentry.interfaces.Http': visit, 'sentry.interfaces.User': who } },
      { event: { 'sentry.interfaces.Http': visited, 'sentry.interfaces.User': { id: '812' } } }
    ],
    [
      'headers elsewhere',
      'sentry',
      { contexts: { response: { headers: pairs, cookies: 'canary', status_code: 500 } } },
      { contexts: { response: { status_code: 500 } } }
    ],
    [
      'tags',
      'sentry',
      { tags: [['user', 'ip:canary'], ['user.email', 'canary'], ['release', '1'], { key: 'user', value: 'canary' }] },
      { tags: [['user'], ['user.email'], ['release', '1'], { key: 'user' }] }
    ],
    [
      'variables of CGI',
      'sentry',
      { extra: { HTTP_COOKIE: 'canary', HTTP_X_REAL_IP: 'canary', REMOTE_ADDR: 'canary', 'rack.input': 'canary', a: 1 } },
      { extra: { a: 1 } }
    ],
    [
      'an event',
      'bugsnag',
      {
        error: {
          metaData: { request: { ...visit, httpMethod: 'GET' }, session: 'canary', app: { a: 1 } },
          user: who,
          requestUrl: visit.url
        }
      },
      {
        error: {
          metaData: { request: { ...visited, httpMethod: 'GET' }, app: { a: 1 } },
          user: { id: '812' },
          requestUrl: 'https://shop.test/cart'
        }
      }
    ],
    [
      'its variables',
      'bugsnag',
      { error: { metaData: { environment: { HTTP_AUTHORIZATION: 'canary', HTTP_HOST: 'canary', PATH: 'x' } } } },
      { error: { metaData: { environment: { PATH: 'x' } } } }
    ],
    [
      'an occurrence',
      'rollbar',
      { data: { occurrence: { request: visit, person: who, client: { user_ip: 'canary', a: 1 } } } },
      { data: { occurrence: { request: visited, person: { id: '812' }, client: { a: 1 } } } }
    ],
    [
      'the last one',
      'rollbar',
      { data: { item: { last_occurrence: { request: visit, metadata: { access_token: 'canary' } } } } },
      { data: { item: { last_occurrence: { request: visited, metadata: {} } } } }
    ],
    [
      'others report no visitors',
      'generic',
      { request: { headers: { a: 'b' } }, user: 'x' },
      { request: { headers: { a: 'b' } }, user: 'x' }
    ]
  ]
  for (const [name, source, body, expected] of cases) {
    t.same(JSON.parse(raw('x', { source, body }).text), expected, `${source}: ${name}`)
    if (source === 'generic') continue
    const sent = JSON.stringify(body)
    t.notMatch(raw(`${sent.slice(0, -1)},`, { source }).text, /canary/, `${source}: ${name}, where the text is cut`)
  }
})

t.test('our own credentials are removed from the raw record, decoded or not', async (t) => {
  const token = `svc_${randomBytes(32).toString('base64url')}`
  const hex = `service_${randomBytes(32).toString('hex')}`
  const ping = `https://a.test/api/v1/ping/${randomUUID()}`
  const body = { [`x-${hex}`]: 1, url: `https://a.test/api/v1/webhooks/incoming/${token}`, list: [`a ${hex}.`, { note: `curl ${ping}` }] }
  const expected =
    '{"x-[token]":1,"url":"https://a.test/api/v1/webhooks/incoming/[token]","list":["a [token].",{"note":"curl https://a.test/api/v1/ping/[token]"}]}'
  t.equal(raw(JSON.stringify(body), { body }).text, expected)
  t.equal(raw(JSON.stringify(body)).text, expected, 'as text')
  const { record } = raw('x', { reason: `UNPARSEABLE_PAYLOAD: ${hex}`, content_type: `text/plain; a=${token}` })
  t.match(record, { reason: 'UNPARSEABLE_PAYLOAD: [token]', content_type: 'text/plain; a=[token]' })
  for (let before = 262_144 - hex.length - 20; before < 262_144; before += 7) {
    const long = `${'x'.repeat(before)} ${hex} y`
    for (const more of [{ body: [long] }, {}]) {
      const { text } = raw(long, more)
      t.ok(text.length <= 262_144 && !/service_[0-9a-f]{7}/.test(text), `across the end at ${before}`)
    }
  }
})

t.test('at most 256 KiB of a payload are kept, and its bytes stay unchanged', async (t) => {
  t.equal(raw('x'.repeat(300_000)).record.payload.length, 262_144)
  const body = { a: 'x'.repeat(300_000) }
  t.equal(raw(JSON.stringify(body), { body }).record.payload.length, 262_144)
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xfe])
  t.same(raw(bytes).record.payload, bytes)
})

t.test('the record of a raw payload states its outcome', async (t) => {
  t.match(raw('x', { content_type: '', alerts: 3, outcome: 'accepted', reason: null }).record, {
    outcome: 'accepted',
    reason: null,
    alerts: 3,
    content_type: null,
    retention_days: 3,
    source: 'generic'
  })
})

t.test('text crafted to slow down the raw filter is handled in time', async (t) => {
  // As long as is kept, over and over: what is not linear would run into the time limit of the
  // test.
  // biome-ignore format: a list
  for (const part of ['token', 'token"', 'token ', '["', '["token', '["token","', '"name":"', '"name":"token', 'http_', 'user', 'userhttp_', '{"request":', '[', '\\', '["user\\', 'a', '"', "token='", 'token="\\'])
    for (const source of ['sentry', 'generic']) t.type(raw(part.repeat(Math.ceil(270_000 / part.length)), { source }).text, 'string', `${source}: ${part}`)
})

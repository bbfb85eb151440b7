/** Raw payloads: what is kept of them, and that no secret is. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { type RawPayload, toRawAlert } from '../../services/intake/raw.ts'
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

t.test('members of decoded payloads whose name sounds secret are left out', async (t) => {
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

t.test('credentials of senders are left out, whatever shape they have', async (t) => {
  const cases: [string, string, unknown, string][] = [
    [
      'an error tracker sends headers as pairs',
      'sentry',
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

t.test('values behind such names in text that could not be decoded are dropped', async (t) => {
  // biome-ignore format: a table
  const cases: [string, string][] = [
    ['{"api_token": "abc\\"d", "x": 1,}', '{"api_token": [dropped], "x": 1,}'],
    ['password=hunter2&x=1', 'password=[dropped]&x=1'],
    ['Authorization: Bearer abc def\nx: 1', 'Authorization: [dropped]\nx: 1'],
    ['{"cookies":{"a":"b"},"x":1', '{"cookies":[dropped]'],
    ['{"my secret":"x"', '{"my secret":[dropped]'],
    ['{"token" : 12345, "a":2', '{"token" : [dropped], "a":2'],
    ['{"token":"unterminated', '{"token":[dropped]'],
    ["token='x y'&a=1", 'token=[dropped]&a=1'],
    ['{"name":"a"b","ping_url":"https://a.test/u","x":1', '{"name":"a"b","ping_url":[dropped],"x":1'],
    ['{"title":"no secret here', '{"title":"no secret here']
  ]
  for (const [text, expected] of cases) t.equal(raw(text).text, expected, text)
})

t.test('kept are 256 KiB, and the bytes as they were', async (t) => {
  t.equal(raw('x'.repeat(300_000)).record.payload.length, 262_144)
  const body = { a: 'x'.repeat(300_000) }
  t.equal(raw(JSON.stringify(body), { body }).record.payload.length, 262_144)
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xfe])
  t.same(raw(bytes).record.payload, bytes)
})

t.test('the record says what became of it', async (t) => {
  t.match(raw('x', { content_type: '', alerts: 3, outcome: 'accepted', reason: null }).record, {
    outcome: 'accepted',
    reason: null,
    alerts: 3,
    content_type: null,
    retention_days: 3,
    source: 'generic'
  })
})

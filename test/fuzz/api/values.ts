/**
 * Values that a schema allows, by fast-check. Fields whose meaning the schema does not express (a
 * URL, a cron expression, an id) get values by their name, so that they also pass the api's own
 * validation.
 */
import fc from 'fast-check'
import { scopes } from '../../../schemas/http/endpoints.ts'
import type { Schema } from './document.ts'

/** A placeholder for an id, with the name of its field, until a request is made for a workspace. */
export const idMark = (field: string): string => `@@id:${field}`
export const fieldOfMark = (text: unknown): string | null =>
  typeof text === 'string' && text.startsWith('@@id:') ? text.slice('@@id:'.length) : null

/** Is replaced by the request's number: names and addresses are unique in a workspace. */
export const NUMBER_MARK = '@@n'

const texts: readonly string[] = [
  'Shop',
  'Disk full on db-7',
  'Überraschung, 値, 👍',
  'a',
  'x y z',
  'core',
  'eu-central',
  '0',
  'https://example.com/',
  'a@b.example',
  '<b>bold</b> & "quoted"',
  "O'Hara; DROP TABLE incidents; --",
  '%_\\',
  'word '.repeat(30).trim()
]

/**
 * Values by the name of a field. A name may have several meanings, so all values are tried against
 * the schema.
 */
const byName: Readonly<Record<string, readonly unknown[]>> = {
  target: [
    'https://example.com/',
    'http://example.com:8080/a?b=c',
    'example.com',
    'http://127.0.0.1/',
    'ftp://example.com/',
    'https://[::1]/'
  ],
  url: ['https://example.com/', 'https://example.org/health'],
  type: ['http', 'http', 'https', 'status', 'tcp'],
  email: [`someone-${NUMBER_MARK}@people.example`, 'someone@people.example', 'Someone@People.example', 'viewer@people.example'],
  password: ['correct horse battery staple', 'short', 'eleven characters no'],
  current_password: ['correct horse battery staple'],
  time_zone: ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Nowhere/Land'],
  locale: ['en', 'de-AT', 'zh-Hant-TW'],
  expression: ['0 3 * * *', '*/5 * * * *', '@daily', '0 0 30 2 *', '61 * * * *'],
  slug: ['shop', 'shop-2', 'a'],
  from: ['2026-11-01', '2026-11-01T00:00:00Z', '2026-01-01T00:00:00+14:00', '1970-01-01', 'yesterday'],
  to: ['2026-11-20', '2026-11-22T12:00:00Z', '2099-01-01', '2026-02-30'],
  before: ['2026-11-01T00:00:00Z'],
  sort: ['name', '-created_at', 'opened_at', 'severity'],
  source_type: ['generic', 'alertmanager', 'grafana', 'datadog'],
  property: ['content-type', '$.a.b', "$..[?@.a == 'b']", '$[*]'],
  value: ['200', 'ok', '^[a-z]+$', '(a|b)*c', 200, 0.5, true, ['a', 'b']],
  op: ['eq', 'contains', 'matches', 'lt', 'in', 'exists'],
  source: ['status', 'body', 'json', 'header', 'latency_ms'],
  dedup_template: ['{label.alertname}', '{title}/{label.host}', '{nothing}', '{'],
  allowed_cidrs: ['10.0.0.0/8', '127.0.0.1/32', '::/0', '10.0.0.0/33'],
  regions: ['eu-west', 'us-east', 'ap-south', 'nowhere'],
  region: ['eu-west'],
  name: [`Shop ${NUMBER_MARK}`, `Nightly copy ${NUMBER_MARK}`, `Disk ${NUMBER_MARK}`, 'Shop', 'X-Api-Key', 'Accept'],
  cursor: ['t0', 'eyJhIjoxfQ', '0198e000-0000-7000-8000-000000000001', 'garbage'],
  instance_id: ['fuzz-1'],
  version: ['1.0.0'],
  kinds: ['http', 'icmp'],
  // A long poll would delay the run.
  wait_seconds: [0],
  scopes: scopes,
  body: ['{"status":"firing","alerts":[{"labels":{"alertname":"x"}}]}', 'a comment', '{"title":"x"}'],
  egress_ips: ['192.0.2.1', '2001:db8::1'],
  resume_at: ['2026-12-24T18:00:00Z', '2099-01-01T00:00:00Z', '2020-01-01T00:00:00Z'],
  expires_at: ['2099-01-01T00:00:00Z', '2027-01-01T00:00:00+02:00']
}

/** Objects whose fields depend on each other, in valid combinations. For a list, its entries. */
export const objectsByName: Readonly<Record<string, readonly [object, ...object[]]>> = {
  schedule: [
    { kind: 'period', period_seconds: 3600 },
    { kind: 'period', period_seconds: 31_536_000 },
    { kind: 'cron', expression: '30 2 * * mon-fri', time_zone: 'Europe/Berlin' },
    { kind: 'cron', expression: '@daily', time_zone: 'UTC' }
  ],
  auth: [{ type: 'none' }, { type: 'basic', username: 'someone', password: 'secret' }, { type: 'bearer', token: 'secret' }],
  confirmation: [{ rounds: 2 }, { rounds: 1, regions: 1 }],
  retry: [{ count: 0 }, { count: 2, strategy: 'fixed', base_seconds: 1 }],
  assertions: [
    { source: 'status', op: 'eq', value: 200 },
    { source: 'body', op: 'matches', value: '^ok( [a-z]+)*$' },
    { source: 'json', property: '$.status', op: 'in', value: ['up', 'ok'] },
    { source: 'header', property: 'content-type', op: 'contains', value: 'json' },
    { source: 'latency_ms', op: 'lt', value: 500 }
  ],
  headers: [
    { name: 'Accept', value: 'application/json' },
    { name: 'X-Api-Key', value: 'secret', secret: true }
  ]
}

/** Fields that refuse any other text at once. */
const meant: ReadonlySet<string> = new Set(['type', 'target', 'url', 'op', 'source', 'sort', 'from', 'to', 'time_zone'])

/** Fields that hold an id although their schema says only text. */
const IDS = /(^|_)ids?$|^on_behalf_of$/

const length = (text: string): number => [...text].length

/** Whether the schema allows a value, checked only for texts. */
const allows = (schema: Schema, value: unknown): boolean => {
  if (typeof value !== 'string') return false
  if (length(value) < (schema.minLength ?? 0) || length(value) > (schema.maxLength ?? Number.POSITIVE_INFINITY)) return false
  return schema.pattern === undefined || new RegExp(schema.pattern).test(value)
}

function textOf(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid' || (IDS.test(name) && name !== 'instance_id')) return fc.constant(idMark(name))
  if (schema.format === 'date-time')
    return fc.constantFrom('2026-11-01T00:00:00Z', '2027-03-28T02:30:00.123+02:00', '1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z')
  const own = (byName[name] ?? []).filter((value) => allows(schema, value))
  const some = texts.filter((value) => allows(schema, value))
  const long = 'x'.repeat(Math.min(schema.maxLength ?? 300, 20_000))
  const choices: fc.WeightedArbitrary<unknown>[] = []
  if (own.length > 0) choices.push({ weight: 12, arbitrary: fc.constantFrom(...own) })
  if (some.length > 0 && !(own.length > 0 && meant.has(name)))
    choices.push({ weight: own.length > 0 ? 2 : 6, arbitrary: fc.constantFrom(...some) })
  if (allows(schema, long) && !meant.has(name)) choices.push({ weight: 1, arbitrary: fc.constant(long) })
  if (choices.length === 0 && schema.pattern !== undefined)
    choices.push({ weight: 1, arbitrary: fc.stringMatching(new RegExp(schema.pattern)).map((text) => text.slice(0, schema.maxLength)) })
  if (choices.length === 0)
    choices.push({ weight: 1, arbitrary: fc.string({ minLength: schema.minLength ?? 0, maxLength: schema.maxLength ?? 20 }) })
  return fc.oneof(...choices)
}

function numberOf(schema: Schema, name: string, whole: boolean): fc.Arbitrary<unknown> {
  const own = (byName[name] ?? []).filter((value) => typeof value === 'number')
  if (own.length > 0) return fc.constantFrom(...own)
  const step = whole ? 1 : 0.001
  const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum + step)
  const most = schema.maximum ?? (schema.exclusiveMaximum === undefined ? least + 1_000_000 : schema.exclusiveMaximum - step)
  const between = whole
    ? fc.integer({ min: Math.ceil(least), max: Math.min(Math.floor(most), Number.MAX_SAFE_INTEGER) })
    : fc.double({ min: least, max: most, noNaN: true })
  return fc.oneof({ weight: 1, arbitrary: fc.constantFrom(least, most) }, { weight: 2, arbitrary: between })
}

function objectOf(schema: Schema): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, patternProperties, propertyNames } = schema
  const own = fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, arbitraryOf(inner, name)])), {
    requiredKeys: required.filter((name) => name in properties),
    noNullPrototype: true
  })
  const [pattern, inner] = Object.entries(patternProperties ?? {})[0] ?? [
    propertyNames?.pattern ?? '^[a-z_]{1,12}$',
    typeof additionalProperties === 'object' ? additionalProperties : null
  ]
  if (inner === null) return own
  const key = fc
    .oneof(fc.constantFrom('team', 'env', 'a_b', 'disaster'), fc.stringMatching(new RegExp(pattern)))
    .filter((name) => new RegExp(pattern).test(name) && name !== '__proto__')
  const more = fc.dictionary(key, arbitraryOf(inner, ''), { maxKeys: Math.min(schema.maxProperties ?? 4, 4), noNullPrototype: true })
  return fc.tuple(more, own).map(([extra, known]) => ({ ...extra, ...known }))
}

/** Generates values of a schema. `name`: the field that the value is for. */
export function arbitraryOf(schema: Schema, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum && schema.enum.length > 0) return fc.constantFrom(...schema.enum)
  if (schema.anyOf && schema.anyOf.length > 0) return fc.oneof(...schema.anyOf.map((one) => arbitraryOf(one, name)))
  const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat()
  const each = types.map((type): fc.Arbitrary<unknown> => {
    if (type === 'null') return fc.constant(null)
    if (type === 'boolean') return fc.boolean()
    if (type === 'integer' || type === 'number') return numberOf(schema, name, type === 'integer')
    if (type === 'object') {
      const own = objectsByName[name]
      return own
        ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: objectOf(schema) })
        : objectOf(schema)
    }
    if (type !== 'array') return textOf(schema, name)
    const most = Math.min(schema.maxItems ?? 4, 4)
    const bounds = { minLength: Math.min(schema.minItems ?? 0, most), maxLength: most }
    const item = arbitraryOf(schema.items ?? {}, name)
    return schema.uniqueItems ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) }) : fc.array(item, bounds)
  })
  return fc.oneof(...(each as [fc.Arbitrary<unknown>, ...fc.Arbitrary<unknown>[]]))
}

/**
 * What the checks of all types have in common: assertions, attempts, and the places of secrets
 * among the settings. A file in check-types/ adds the settings of one type. The same schemas
 * describe what people write (monitors) and what probers receive (assignments).
 * Source: docs/design/api/monitors.md#s3-3 to #s3-5.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { MAX_URL } from '../limits.ts'
import { MASK } from './check-words.ts'
import { oneOf } from './common.ts'
import { isSensitiveHeader } from './secret-headers.ts'

export const failureReasons = [
  'timeout',
  'dns',
  'connect',
  'tls',
  'http_status',
  'redirect',
  'assertion',
  'body_too_large',
  'protocol',
  'icmp_loss',
  'blocked_target',
  'auth'
] as const

export const Secret = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], minLength: 1, maxLength: 8192, description })

export const Header = Type.Object(
  {
    name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" }),
    value: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 8192,
      pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$',
      description: 'Value of the header. A secret one is ******** in answers; sending that, or null, keeps the stored value.'
    }),
    secret: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Whether the value is stored encrypted and never shown again. Always so for a header whose name says that it holds a credential.'
      })
    )
  },
  { additionalProperties: false }
)

export const authTypes = ['none', 'basic', 'digest', 'bearer', 'oauth2_client', 'mtls'] as const
export type AuthType = (typeof authTypes)[number]

/** Fields of each `auth` type. `secret` fields are sealed; the `optional` field may be left out. */
export const authFields: Readonly<Record<AuthType, { open: readonly AuthField[]; secret: readonly AuthSecret[]; optional?: AuthField }>> = {
  none: { open: [], secret: [] },
  basic: { open: ['username'], secret: ['password'] },
  digest: { open: ['username'], secret: ['password'] },
  bearer: { open: [], secret: ['token'] },
  oauth2_client: { open: ['token_url', 'client_id', 'scopes'], secret: ['client_secret'], optional: 'scopes' },
  mtls: { open: ['cert_pem'], secret: ['key_pem'] }
}
export type AuthSecret = 'password' | 'token' | 'client_secret' | 'key_pem'
export type AuthField = 'username' | 'token_url' | 'client_id' | 'scopes' | 'cert_pem'

const KEPT = '******** in answers; that, null or nothing keeps the one there is.'

/**
 * `auth` of any type. `changedAuth` checks which fields belong to which type, so that a fault has
 * one clear message.
 */
export const Auth = Type.Object(
  {
    type: oneOf(authTypes),
    username: Type.Optional(Type.String({ maxLength: 256, pattern: '^[^:\\u0000-\\u001f\\u007f]*$' })),
    password: Type.Optional(Secret(KEPT)),
    token: Type.Optional(Secret(KEPT)),
    token_url: Type.Optional(
      Type.String({ minLength: 1, maxLength: MAX_URL, description: 'Address at which the token is requested (OAuth 2.0).' })
    ),
    client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256, pattern: '^[\\u0020-\\u007e]*$' })),
    client_secret: Type.Optional(Secret(KEPT)),
    scopes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 128, pattern: '^[\\u0021\\u0023-\\u005b\\u005d-\\u007e]+$' }), { maxItems: 20 })
    ),
    cert_pem: Type.Optional(
      Type.String({ minLength: 1, maxLength: 65_536, description: 'Client certificate in PEM, followed by its chain.' })
    ),
    key_pem: Type.Optional(Secret(`Its key in PEM, not encrypted. ${KEPT}`))
  },
  { additionalProperties: false }
)

export type Header = Static<typeof Header>
export type Auth = Static<typeof Auth>

/**
 * Settings of a check of any type. It declares the places of secrets, which are the same in all
 * types; other settings depend on the type.
 */
export interface CheckConfig {
  headers?: Header[]
  /** Only in gRPC: its name for headers. */
  metadata?: Header[]
  /** Only in checks in steps: values that are inserted into what the steps send. */
  variables?: Header[]
  auth?: Auth
  password?: string | null
  [setting: string]: unknown
}

export const assertionSources = [
  'status',
  'header',
  'body',
  'json',
  'latency_ms',
  'tls_days',
  'dns_records',
  'text',
  'redirect_url',
  'ip'
] as const
// biome-ignore format: by family
export const assertionOps = [
  'eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'contains', 'not_contains', 'matches', 'not_matches',
  'exists', 'not_exists', 'empty', 'not_empty', 'len_eq', 'len_gt', 'len_lt'
] as const
export type AssertionSource = (typeof assertionSources)[number]
export type AssertionOp = (typeof assertionOps)[number]

type Scalar = string | number | boolean

export const numberOps: readonly AssertionOp[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in']
export const textOps: readonly AssertionOp[] = ['eq', 'ne', 'in', 'not_in', 'contains', 'not_contains', 'matches', 'not_matches']
/** Operators that take no value. */
export const presenceOps: readonly AssertionOp[] = ['exists', 'not_exists', 'empty', 'not_empty']
/** Operators whose value is a whole number for every source. */
export const lengthOps: readonly AssertionOp[] = ['len_eq', 'len_gt', 'len_lt']
/** Operators for a reply, which may be long or empty. */
export const replyOps: readonly AssertionOp[] = [...textOps, 'empty', 'not_empty', ...lengthOps]

/**
 * Operators and values that one source accepts. `property` is set when the assertion must name one.
 */
export interface AssertionRule {
  ops: readonly AssertionOp[]
  values: 'number' | 'string' | 'any'
  property?: true
}
/** What a check type can assert. Sources that are missing belong to other types. */
export type AssertionRules = Readonly<Partial<Record<AssertionSource, AssertionRule>>>

/** The routes that write monitors check which operators fit a source and which values are valid. */
export const Assertion = Type.Object(
  {
    source: oneOf(assertionSources),
    property: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'Name of the header, or JSONPath (RFC 9535).' })),
    op: oneOf(assertionOps),
    value: Type.Optional(
      Type.Unsafe<Scalar | Scalar[]>({
        type: ['string', 'number', 'boolean', 'array'],
        maxLength: 4096,
        maxItems: 50,
        items: { type: ['string', 'number', 'boolean'], maxLength: 4096 },
        description:
          'For matches and not_matches, an RE2 regular expression of at most 512 characters and 1,000 parts when written out; all expressions of a monitor have at most 3,000 parts together. It is applied to the first 256 KiB of a text.'
      })
    ),
    on_fail: Type.Optional(oneOf(['down', 'degraded'], { default: 'down' }))
  },
  { additionalProperties: false }
)
export type Assertion = Static<typeof Assertion>

/**
 * Schema keywords that apply to a value in a request and not to the same value in an answer. A
 * serialiser would write the default into the answer, a text grows beyond its limits when it is
 * sealed, and the rest is only for forms.
 */
const OF_WRITING: ReadonlySet<string> = new Set(['default', 'minLength', 'maxLength', 'pattern', 'title', 'writeOnly'])

/** Returns the schema as answers use it: without the keywords of `OF_WRITING`. */
export function written<T extends TSchema>(schema: T): TSchema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (OF_WRITING.has(key) ? [] : [[key, copy(one)]])))
  }
  return copy(schema) as TSchema
}

/**
 * An assertion in an answer. Its value has no type here, because a serialiser that chooses among
 * types turns a list into text.
 */
export const WrittenAssertion = Type.Unsafe<Assertion>({
  ...written(Assertion),
  properties: { ...Reflect.get(written(Assertion), 'properties'), value: { description: 'Text, number, boolean or a list of them.' } }
})

/** Retries within one check. */
export const Retry = Type.Object(
  {
    count: Type.Integer({ minimum: 0, maximum: 5 }),
    strategy: oneOf(['none', 'fixed', 'linear', 'exponential']),
    base_seconds: Type.Integer({ minimum: 1, maximum: 60 }),
    max_total_seconds: Type.Integer({ minimum: 5, maximum: 600 })
  },
  { additionalProperties: false }
)
export type Retry = Static<typeof Retry>

export const defaultRetry: Retry = { count: 1, strategy: 'fixed', base_seconds: 5, max_total_seconds: 60 }

/**
 * Prefix of a sealed value. In the store it is sealed for the workspace; on its way to a prober it
 * is sealed for that prober.
 */
export const SEALED_PREFIX = 'sealed:'

/** Returns whether the header is marked as secret, or has the name of a credential. */
export const isSecretHeader = ({ name, secret }: { name: string; secret?: boolean }): boolean => secret === true || isSensitiveHeader(name)

const authSecrets = new Set(Object.values(authFields).flatMap(({ secret }) => secret))

type Replace = (value: string, field: string, isClear: boolean, path: string) => string

/** Lists whose values may be secret, with the word that names one entry. */
export const namedLists = { headers: 'header', metadata: 'metadata', variables: 'variable' } as const
export type NamedList = keyof typeof namedLists

function mapHeaders(headers: Header[], at: NamedList, replace: Replace): Header[] {
  const word = namedLists[at]
  return headers.map((header, nth) => {
    if (!isSecretHeader(header)) return header
    const { name, value, secret } = header
    const marked = { ...header, secret: true }
    return value === null
      ? marked
      : { ...marked, value: replace(value, `${word}:${name.toLowerCase()}`, secret !== true, `${at}[${nth}].value`) }
  })
}

/**
 * Returns the settings with every secret replaced and every secret header marked. The rest does not
 * change. A secret that is not set is left alone. `replace` is called with:
 * - `field`: the name of the place, which does not change when other entries move: `password`,
 *   `auth.<name>`, `header:<name in lower case>`, `metadata:<…>`, `variable:<…>`.
 * - `path`: where the secret is in the settings now.
 * - `isClear`: true when an older version stored the header. That version sealed only headers that
 *   were marked as secret, so this value is stored as it was typed.
 */
export function mapSecrets<T extends CheckConfig>(config: T, replace: Replace): T {
  const { auth, password } = config
  const changed: CheckConfig = { ...config }
  for (const at of ['headers', 'metadata', 'variables'] as const) {
    const list = config[at]
    if (list) changed[at] = mapHeaders(list, at, replace)
  }
  if (auth) {
    changed.auth = { ...auth }
    for (const name of authSecrets) {
      const value = auth[name]
      if (typeof value === 'string') changed.auth[name] = replace(value, `auth.${name}`, false, `auth.${name}`)
    }
  }
  if (typeof password === 'string') changed.password = replace(password, 'password', false, 'password')
  return changed as T
}

/** Returns the settings as people may see them, with every secret masked. */
export const shownConfig = <T extends CheckConfig>(config: T): T => mapSecrets(config, () => MASK)

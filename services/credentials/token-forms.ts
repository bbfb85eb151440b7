/**
 * The form of each kind of credential of this service, defined once. credentials.ts makes tokens in
 * these forms, and other people's texts are searched for them before they are stored. Add a new
 * kind here first. Pure.
 */

/** The random bytes of every token. */
export const TOKEN_BYTES = 32

/**
 * Prefix, which an underscore follows → alphabet of the 32 random bytes after it.
 * Source: docs/design/api.md#s1-4.
 */
export const tokenKinds = {
  /** Workspace API token. */
  service: 'hex',
  /** Inbound integration. */
  svc: 'base64url',
  prober: 'hex',
  /** Invite. */
  inv: 'hex',
  /** The token in a link that confirms an e-mail channel. */
  cnf: 'hex',
  /** In a link that connects a sender in a chat app with a member. */
  cht: 'hex',
  /** The state that an install at a chat service brings back. */
  ins: 'hex',
  /** Ends a maintenance window, once. */
  mwe: 'hex',
  /** Calendar feed. */
  cal: 'hex',
  /** Ticket for one WebSocket. */
  wst: 'hex'
} as const
export type TokenKind = keyof typeof tokenKinds

/** Kinds that callers send as `Authorization: Bearer …`. */
export type BearerKind = 'service' | 'prober' | 'mwe'

const hexForm = (kind: BearerKind): string => `${kind}_[0-9a-f]{${2 * TOKEN_BYTES}}`
const wholeForms = {
  service: new RegExp(`^${hexForm('service')}$`),
  prober: new RegExp(`^${hexForm('prober')}$`),
  mwe: new RegExp(`^${hexForm('mwe')}$`)
}
const bearerForms = {
  service: new RegExp(`^Bearer +(${hexForm('service')})$`, 'i'),
  prober: new RegExp(`^Bearer +(${hexForm('prober')})$`, 'i'),
  mwe: new RegExp(`^Bearer +(${hexForm('mwe')})$`, 'i')
}

/** Whether the text has the form of a token of this kind. */
export const isToken = (kind: BearerKind, text: string): boolean => wholeForms[kind].test(text)

/** Returns the token of an Authorization header. Undefined when the header has another form. */
export const bearerToken = (kind: BearerKind, header: string): string | undefined => bearerForms[kind].exec(header)?.[1]

/** Describes, for error messages, the form that a token must have. */
export const expectedToken = (kind: BearerKind): string => `${kind}_ and ${2 * TOKEN_BYTES} hex characters`

/** Replaces a removed token. */
export const WITHOUT_TOKEN = '[token]'

const kindsOf = (alphabet: 'hex' | 'base64url'): string =>
  Object.entries(tokenKinds)
    .flatMap(([kind, its]) => (its === alphabet ? [kind] : []))
    .join('|')

// The spellings that senders use: plain, percent-encoded once or several times, or as a JSON escape
// inside JSON.
const PERCENT = '%(?:25){0,3}'
const UNDERSCORE = `(?:_|${PERCENT}5f|\\\\{1,8}u005f)`
const SLASH = `(?:\\\\{0,8}/|${PERCENT}2f)`
const BASE64URL = `(?:[\\w-]|${PERCENT}(?:2d|5f))`

/**
 * The pattern needs no boundary around a token, because the neighbouring characters may be of the
 * token's own alphabet. A token that was cut off is removed as long as its missing part could be
 * guessed. The last alternatives are addresses that act for everybody who has them, recognised by
 * their path: those of integrations and pings, whose ids look like any other id.
 */
const credential = new RegExp(
  [
    `(?:${kindsOf('hex')})${UNDERSCORE}[0-9a-f]{32,64}`,
    `(?<mixed>(?:${kindsOf('base64url')})${UNDERSCORE}${BASE64URL}{36,43})`,
    `(?<cookie>service${UNDERSCORE}session["'\\\\]{0,4}\\s{0,4}(?:[=:]|${PERCENT}3[ad])\\s{0,4}["'\\\\]{0,4})${BASE64URL}{16,43}`,
    `(?<door>${SLASH}webhooks${SLASH}incoming${SLASH})(?:[^\\s"'<>?#/\\\\&%]|${PERCENT}(?!2f|3f|23)[0-9a-f]{2}){8,256}`,
    `(?<ping>${SLASH}ping${SLASH}(?:k${SLASH})?)${BASE64URL}{16,64}`
  ].join('|'),
  'gi'
)

/**
 * Long names in other people's texts look like tokens except in one way: they are words in one case
 * with separators between them. Of 43 random characters, not one in a billion looks like that.
 */
const isName = (found: string): boolean => /^(?:[^A-Z]*|[^a-z]*)$/.test(found) && found.split(/[-_]/).length > 3

/** Removes this service's credentials anywhere in a text. The time is linear in its length. */
export const withoutTokens = (text: string): string => text.replace(credential, replaced)

function replaced(...found: unknown[]): string {
  const [token] = found
  const { mixed, cookie, door, ping } = found.at(-1) as Partial<Record<'mixed' | 'cookie' | 'door' | 'ping', string>>
  if (mixed !== undefined && isName(mixed)) return String(token)
  return `${cookie ?? door ?? ping ?? ''}${WITHOUT_TOKEN}`
}

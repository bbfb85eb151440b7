/**
 * How credentials of ours look, each kind once: minting makes them so (credentials.ts), and what is
 * kept of other people's texts loses them by it. A new kind belongs here first. Pure.
 */

/** Bytes of every one of them. */
export const TOKEN_BYTES = 32

/**
 * Prefix, before an underscore → alphabet of the 32 random bytes behind it.
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
  /** Link that confirms an e-mail channel. */
  cnf: 'hex',
  /** Link by which a sender in a chat app becomes a member. */
  cht: 'hex',
  /** What an install at a chat service brings back. */
  ins: 'hex',
  /** One-time end of a maintenance window. */
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

/** The token of an Authorization header; undefined when the header has another form. */
export const bearerToken = (kind: BearerKind, header: string): string | undefined => bearerForms[kind].exec(header)?.[1]

/** What a refused token must be, for messages. */
export const expectedToken = (kind: BearerKind): string => `${kind}_ and ${2 * TOKEN_BYTES} hex characters`

/** Stands where a token stood. */
export const WITHOUT_TOKEN = '[token]'

const kindsOf = (alphabet: 'hex' | 'base64url'): string =>
  Object.entries(tokenKinds)
    .flatMap(([kind, its]) => (its === alphabet ? [kind] : []))
    .join('|')

// As senders write them: plain, percent-encoded once or more often, or as an escape of JSON in
// JSON.
const PERCENT = '%(?:25){0,3}'
const UNDERSCORE = `(?:_|${PERCENT}5f|\\\\{1,8}u005f)`
const SLASH = `(?:\\\\{0,8}/|${PERCENT}2f)`
const BASE64URL = `(?:[\\w-]|${PERCENT}(?:2d|5f))`

/**
 * No boundaries around a token: whatever adjoins it may be of its own alphabet. One that was cut
 * counts as long as what is missing can be guessed. Last, addresses that act for whoever has them,
 * by their path: those of doors and pings, whose ids look like any other.
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
 * Long names of other people's look alike but for this: words in one case, with separators between
 * them. Of 43 random characters not one in a billion does.
 */
const isName = (found: string): boolean => /^(?:[^A-Z]*|[^a-z]*)$/.test(found) && found.split(/[-_]/).length > 3

/**
 * The text without credentials of ours, wherever they stand in it. Time is linear in its length.
 */
export const withoutTokens = (text: string): string => text.replace(credential, replaced)

function replaced(...found: unknown[]): string {
  const [token] = found
  const { mixed, cookie, door, ping } = found.at(-1) as Partial<Record<'mixed' | 'cookie' | 'door' | 'ping', string>>
  if (mixed !== undefined && isName(mixed)) return String(token)
  return `${cookie ?? door ?? ping ?? ''}${WITHOUT_TOKEN}`
}

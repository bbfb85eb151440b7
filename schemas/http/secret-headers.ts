/**
 * Which request headers hold a credential, by their name alone: their values are sealed and never
 * shown again, whether or not somebody marks them as secret.
 *
 * Rather one too many than one too few: a header that is sealed without need only hides its value.
 * Two rules: distinctive words count anywhere in the name, short ones only as a part between - _
 * and . of their own, so that X-Author, X-Compass and X-Spinner stay readable. A name that ends in
 * `key` counts, but for the well-known keys that open nothing. The same texts are given to Postgres
 * (schemas/postgres/0021_clear_headers.sql): only syntax that both dialects read alike, over names
 * in lower case.
 */

// biome-ignore format: by family
const ANYWHERE = [
  'token', 'secret', 'passw', 'passphrase', 'passcode', 'credential', 'cookie', 'session', 'signature', 'api[-_.]?key', 'authoriz', 'authentic', 'jwt',
  'access[-_.]?code', 'protection[-_.]bypass', 'csrf', 'xsrf'
]
// biome-ignore format: by family
const AS_A_PART = ['[a-z]*auth', 'auth(key|code|user|id)', 'pass', 'pwd', 'pin', 'otp', 'sig', 'hmac', 'dpop', 'sid', 'bearer', 'cert', 'nonce', '[a-z]*assertion']
/** Over names in lower case, for JavaScript and Postgres alike. */
export const SENSITIVE_NAME = `(${ANYWHERE.join('|')})|(^|[-_.])(${AS_A_PART.join('|')})([-_.]|$)|key([-_.]?[0-9]+)?$`
/** Names that end in `key` and are no credentials. */
// biome-ignore format: by family
export const HARMLESS_NAMES: readonly string[] = [
  'idempotency-key', 'x-idempotency-key', 'surrogate-key', 'x-surrogate-key', 'x-cache-key', 'x-partition-key', 'x-routing-key', 'sec-websocket-key'
]

const sensitive = new RegExp(SENSITIVE_NAME)

export function isSensitiveHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return sensitive.test(lower) && !HARMLESS_NAMES.includes(lower)
}

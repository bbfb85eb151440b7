/**
 * Decides by name alone which request headers hold a credential. Their values are sealed and never
 * shown again, whether or not somebody marked them as secret.
 *
 * When in doubt, a header counts as a credential: sealing one without need only hides its value.
 * There are two rules. Distinctive words count anywhere in the name. Short words count only as a
 * whole part between the separators - _ and ., so that X-Author, X-Compass and X-Spinner stay
 * readable. A name that ends in `key` counts too, except for well-known keys that are no
 * credentials. The same texts are used in Postgres (schemas/postgres/0021_clear_headers.sql), so
 * they use only syntax that both dialects read alike, on names in lower case.
 */

// biome-ignore format: by family
const ANYWHERE = [
  'token', 'secret', 'passw', 'passphrase', 'passcode', 'credential', 'cookie', 'session', 'signature', 'api[-_.]?key', 'authoriz', 'authentic', 'jwt',
  'access[-_.]?code', 'protection[-_.]bypass', 'csrf', 'xsrf'
]
// biome-ignore format: by family
const AS_A_PART = ['[a-z]*auth', 'auth(key|code|user|id)', 'pass', 'pwd', 'pin', 'otp', 'sig', 'hmac', 'dpop', 'sid', 'bearer', 'cert', 'nonce', '[a-z]*assertion']
/** For names in lower case. JavaScript and Postgres read it alike. */
export const SENSITIVE_NAME = `(${ANYWHERE.join('|')})|(^|[-_.])(${AS_A_PART.join('|')})([-_.]|$)|key([-_.]?[0-9]+)?$`
/** Names that end in `key` and hold no credential. */
// biome-ignore format: by family
export const HARMLESS_NAMES: readonly string[] = [
  'idempotency-key', 'x-idempotency-key', 'surrogate-key', 'x-surrogate-key', 'x-cache-key', 'x-partition-key', 'x-routing-key', 'sec-websocket-key'
]

const sensitive = new RegExp(SENSITIVE_NAME)

export function isSensitiveHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return sensitive.test(lower) && !HARMLESS_NAMES.includes(lower)
}

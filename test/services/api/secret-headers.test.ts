/** Tests of which headers are credentials by their name: JavaScript and Postgres must agree. */
import t from 'tap'
import { HARMLESS_NAMES, isSensitiveHeader, SENSITIVE_NAME } from '../../../schemas/http/secret-headers.ts'
import { createPool } from '../../../services/store/pool.ts'
import { database } from '../../harness/engines.ts'

t.setTimeout(60_000)

// biome-ignore format: a list
const credentials = [
  'Authorization', 'authorization', 'Proxy-Authorization', 'Authentication', 'Cookie', 'Cookie2', 'X-Api-Key', 'X-ApiKey', 'api_key', 'apikey', 'Api.Key',
  'DD-API-KEY', 'DD-APPLICATION-KEY', 'X-Goog-Api-Key', 'Ocp-Apim-Subscription-Key', 'x-functions-key', 'X-Auth-Key', 'X-Auth-Token', 'X-AuthToken', 'X-Auth',
  'X-Auth-User', 'OAuth', 'X-OAuth', 'X-AuthKey', 'PRIVATE-TOKEN', 'X-Vault-Token', 'X-Amz-Security-Token', 'X-Shopify-Access-Token', 'CF-Access-Client-Secret',
  'X-CSRF-Token', 'X-XSRF', 'X-Session', 'X-Session-Id', 'Session', 'SID', 'X-Sid', 'X-Hub-Signature-256', 'X-Signature', 'X-Sig', 'X-HMAC', 'X-Webhook-Secret',
  'X-Password', 'X-Passwd', 'X-Pass', 'X-Passphrase', 'X-Pwd', 'X-Pin', 'X-OTP', 'X-Credential', 'X-Credentials', 'X-JWT', 'X-Jwt-Assertion', 'DPoP', 'Bearer',
  'X-Access-Code', 'x-vercel-protection-bypass', 'X-Key', 'X-Key-2', 'X-Client-Cert', 'X-WP-Nonce', 'X-Encryption-Key', 'tokens'
]
// biome-ignore format: a list
const others = [
  'Accept', 'Accept-Language', 'Content-Type', 'User-Agent', 'Host', 'Referer', 'Origin', 'X-Plain', 'X-Request-Id', 'X-Author', 'X-Authority', 'Author',
  'X-Compass', 'X-Passenger', 'X-Passed', 'X-Spinner', 'X-Pinned', 'X-Signed-By-Nobody', 'X-Keyboard', 'X-Keyword', 'Keep-Alive', 'X-Side', 'Cache-Control',
  'Idempotency-Key', 'X-Idempotency-Key', 'Surrogate-Key', 'Sec-WebSocket-Key', 'X-Forwarded-For', 'X-Trace-Id', 'traceparent', 'X-Tenant', 'If-None-Match', 'Range'
]

t.test('header names that are credentials, and others', async (t) => {
  for (const name of credentials) t.equal(isSensitiveHeader(name), true, name)
  for (const name of others) t.equal(isSensitiveHeader(name), false, name)
})

t.test('Postgres and JavaScript agree on which header names are credentials', async (t) => {
  const { systemUrl } = await database(t)
  const pool = createPool(systemUrl, { application_name: 'test', max: 1 })
  t.teardown(() => pool.end())
  const names = [...credentials, ...others]
  const { rows } = await pool.query<{ name: string; sensitive: boolean }>(
    'SELECT name, is_sensitive_header(name, $2, $3) AS sensitive FROM unnest($1::text[]) AS name',
    [names, SENSITIVE_NAME, HARMLESS_NAMES]
  )
  t.equal(rows.length, names.length)
  for (const { name, sensitive } of rows) t.equal(sensitive, isSensitiveHeader(name), name)
})

/**
 * Tests that our credentials are removed from other people's texts: every kind, at any place, and
 * nothing else.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import t from 'tap'
import * as credentials from '../../../services/credentials/credentials.ts'
import { redact } from '../../../services/credentials/redact.ts'
import { tokenKinds, withoutTokens } from '../../../services/credentials/token-forms.ts'

const tokens = Object.entries(tokenKinds).map(([kind, alphabet]): [string, string] => [
  kind,
  `${kind}_${randomBytes(32).toString(alphabet)}`
])

/**
 * Tells whether a text contains 12 characters of the token after its prefix. Fewer leave far more
 * than anybody can guess.
 */
const gives = (token: string, text: string): boolean => {
  const body = token.slice(token.indexOf('_') + 1)
  for (let at = 0; at + 12 <= body.length; at++) if (text.toLowerCase().includes(body.slice(at, at + 12).toLowerCase())) return true
  return false
}

t.test('every kind of minted token is recognized and removed', async (t) => {
  // Without a prefix they look like any other text: a session is found by the cookie's name, a
  // password by that of its field. A pairing works once and for 15 minutes.
  const formless = new Set(['mintSession', 'mintPassword', 'mintPairing'])
  const mints = Object.entries(credentials).filter(([name]) => name.startsWith('mint'))
  t.ok(mints.length >= 5)
  for (const [name, mint] of mints) {
    if (formless.has(name)) continue
    const { value } = (mint as () => { value: string })()
    t.ok(
      Object.keys(tokenKinds).some((kind) => value.startsWith(`${kind}_`)),
      name
    )
    t.equal(withoutTokens(value), '[token]', name)
    t.equal(redact(`x ${value} y`), 'x [secret] y', name)
  }
})

t.test('a token of every kind is removed wherever it appears', async (t) => {
  for (const [kind, token] of tokens) {
    const places: Record<string, string> = {
      'by itself': token,
      'in JSON': JSON.stringify({ a: [token] }),
      'as a key': JSON.stringify({ [token]: 1 }),
      'in JSON in JSON': JSON.stringify(JSON.stringify({ a: token })),
      'in an address': `https://a.test/x/${token}/y?z=${token}#${token}`,
      'percent-encoded': `https://a.test/?u=${encodeURIComponent(`https://b.test/?t=${token}`)}`,
      'percent-encoded to the last': token.replaceAll('_', '%5F').replaceAll('-', '%2d'),
      'and twice': token.replaceAll('_', '%255F').replaceAll('-', '%252D'),
      'with an escape': token.replace('_', '\\u005f'),
      'with an escape of an escape': token.replace('_', '\\\\u005F'),
      'after letters': `abc${token}`,
      'after its own alphabet': `a_b-1${token}`,
      'before its own alphabet': `${token}_a-1`,
      'before another': `${token}${token}`,
      'in a header': `Authorization: Bearer ${token}`,
      'in a command': `curl -H'Authorization: GenieKey ${token}' https://a.test`,
      'cut a little': token.slice(0, -4)
    }
    if (tokenKinds[kind as keyof typeof tokenKinds] === 'hex') places['in capitals'] = token.toUpperCase()
    for (const [place, text] of Object.entries(places)) {
      const left = withoutTokens(text)
      t.notOk(gives(token.replaceAll('-', '%2d').replaceAll('_', '%5f'), left), `${kind} ${place}`)
      t.notOk(gives(token, left), `${kind} ${place}: ${left}`)
    }
  }
})

t.test('tokens in our own addresses are removed', async (t) => {
  const uuid = randomUUID()
  const key = uuid.replaceAll('-', '')
  const svc = `svc_${randomBytes(32).toString('base64url')}`
  // biome-ignore format: a table
  const cases: [string, string][] = [
    [`https://a.test/api/v1/ping/${uuid}`, 'https://a.test/api/v1/ping/[token]'],
    [`https://a.test/ping/${uuid}/start?x=1`, 'https://a.test/ping/[token]/start?x=1'],
    [`https://a.test/api/v1/ping/k/${key}/nightly/0`, 'https://a.test/api/v1/ping/k/[token]/nightly/0'],
    [`https://a.test/ping/${key}/nightly`, 'https://a.test/ping/[token]/nightly'],
    [`u=https%3A%2F%2Fa.test%2Fping%2F${uuid}`, 'u=https%3A%2F%2Fa.test%2Fping%2F[token]'],
    [`https:\\/\\/a.test\\/ping\\/${uuid}`, 'https:\\/\\/a.test\\/ping\\/[token]'],
    [`https://a.test/api/v1/webhooks/incoming/${svc}`, 'https://a.test/api/v1/webhooks/incoming/[token]'],
    [`https://a.test/api/v1/webhooks/incoming/%73vc_abcdefgh?a=b`, 'https://a.test/api/v1/webhooks/incoming/[token]?a=b'],
    [`"cookie: a=b; service_session=${svc.slice(4)}; c=d"`, '"cookie: a=b; service_session=[token]; c=d"']
  ]
  for (const [text, expected] of cases) t.equal(withoutTokens(text), expected)
})

t.test('an unlikely token of repeated characters is removed, too', async (t) => {
  for (const token of [`svc_${'a'.repeat(43)}`, `svc_${'A'.repeat(43)}`, `svc_${'0'.repeat(43)}`, `service_${'0'.repeat(64)}`])
    t.equal(withoutTokens(token), '[token]', token)
})

t.test('text without a token stays unchanged', async (t) => {
  // biome-ignore format: a list
  for (const text of ['service_name', 'svc_payments', 'SVC_MY-VERY-LONG-SERVICE-NAME-IN-PRODUCTION-EU-WEST', 'svc_my-very-long-service-name-in-production-eu-west-1', 'prober_error', 'inv_2026', `service_${'a'.repeat(20)}`, randomUUID(),
    randomBytes(32).toString('hex'), 'https://a.test/ping/me', '/webhooks/incoming', 'x/ping', 'service_session', '%5f%255f', '', 'große_Übung', '\u0000\ud800'])
    t.equal(withoutTokens(text), text)
})

t.test('text crafted to slow down the token search is handled in time', async (t) => {
  // Half a megabyte each: what is not linear would run into the time limit of the test.
  // biome-ignore format: a list
  for (const part of ['svc_', 'svc', 'service_a', 'service', '\\', '\\\\/', '%25', '%2525', '/ping/', '/ping/k/', 'ping%2f', '/webhooks/incoming/', '/webhooks', '%2f', 'a', 'svc_a%2d',
    'service_session=', 'service_session"', 'service_session    ', '_', '-', 'wst%5f'])
    t.type(withoutTokens(part.repeat(Math.ceil(500_000 / part.length))), 'string', part)
})

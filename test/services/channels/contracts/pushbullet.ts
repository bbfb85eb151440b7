/** Pushbullet. Errors as in docs/design/outbound-channels.md#s3-13. */
import { type Answer, type Contract, isText, jsonIn, RETRY_AFTER_SECONDS, refused, took, withHeader, withJson } from '../contract.ts'

type Config = { access_token: string }

const fault = (type: string, message: string) => ({ error: { cat: '~(=^‥^)', type, message }, error_code: type })
const refuse = (status: number, type: string, message: string): Answer => refused(status, message, fault(type, message))

export const contract: Contract<Config> = {
  config: () => ({ access_token: 'o.0123456789abcdefghijABCDEFGHIJ' }),
  rotated: () => ({ access_token: 'o.9876543210zyxwvutsrqZYXWVUTSRQ' }),
  vendor({ access_token }) {
    const pushes = new Map<string, string>()
    return (asked) => {
      if (asked.method !== 'POST' || asked.path !== '/v2/pushes') return refuse(404, 'invalid_request', 'The resource could not be found.')
      const { 'access-token': given, authorization } = asked.headers
      // Older clients send the token as a user name without a password.
      if (given !== access_token && authorization !== `Basic ${Buffer.from(`${access_token}:`).toString('base64')}`)
        return refuse(401, 'invalid_access_token', 'Access token is missing or invalid.')
      const push = jsonIn(asked)
      if (push === null) return refuse(400, 'invalid_request', 'Failed to parse JSON body.')
      const { type, title, body, url, guid } = push
      if (type !== 'note' && type !== 'link') return refuse(400, 'invalid_param', 'The param type has an invalid value.')
      if (!isText(title, 250) || !isText(body, 4000)) return refuse(400, 'invalid_param', 'No text, or too much.')
      if (type === 'link' && !URL.canParse(String(url))) return refuse(400, 'invalid_param', 'A link that leads nowhere.')
      if (guid === undefined) return took(`${type} that may come twice`, { iden: 'ujp', type, title, body, active: true, dismissed: false })
      if (!isText(guid, 64)) return refuse(400, 'invalid_param', 'The param guid has an invalid value.')
      const known = pushes.get(guid)
      const iden = known ?? `ujp${pushes.size}`
      pushes.set(guid, iden)
      return took(known === undefined ? type : `the same ${type}`, { iden, type, title, body, active: true, dismissed: false })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: fault('invalid_request', 'Failed to parse JSON body.') } },
    '401': { answer: { status: 401, body: fault('invalid_access_token', 'Access token is missing or invalid.') } },
    '404': { answer: { status: 404, body: fault('invalid_request', 'The resource could not be found.') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS), 'x-ratelimit-limit': '32768', 'x-ratelimit-remaining': '0' },
        body: fault('ratelimited', 'You have been ratelimited.')
      },
      times: 1
    }
  },
  wrong: {
    'another token': withHeader('access-token', 'o.nobody'),
    'a type that there is not': withJson((push) => ({ ...push, type: 'alarm' })),
    'a link that leads nowhere': withJson((push) => ({ ...push, type: 'link', url: 'nowhere' })),
    'no body': withJson(({ body: _body, ...rest }) => rest)
  },
  apprise: { target: () => 'pbul://o.0123456789abcdefghijABCDEFGHIJ', hosts: ['api.pushbullet.com'] },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'note → arrived',
    down: 'link → sent',
    update: 'link → sent',
    acknowledge: 'link → sent',
    recover: 'link → sent',
    rotate: 'link → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), link → sent',
    '500': '500, link → sent',
    timeout: 'no answer, link → sent',
    malformed: 'nonsense, link → sent'
  }
}

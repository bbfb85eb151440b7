/** A self-hosted Apprise API. Its statuses follow docs/design/outbound-channels.md#s3-12. */
import { type Answer, type Contract, isText, jsonIn, refused, took, withJson, withPath } from '../contract.ts'

type Config = { api_url: string; config_key?: string; apprise_urls?: string }

const MAX_TARGETS_BYTES = 8192
const TARGET = /^[a-z0-9+.-]+:\/\/\S+$/i
const refuse = (status: number, error: string): Answer => refused(status, error, { error, details: [] })

/** Returns the refusal of the targets to which the message goes on; null if they have no fault. */
function targetsFault(urls: unknown, { config_key, apprise_urls }: Config): Answer | null {
  if (config_key !== undefined) return urls === undefined ? null : refuse(400, 'targets beside a key')
  if (apprise_urls === undefined) return null
  if (typeof urls !== 'string' || urls.length > MAX_TARGETS_BYTES || !urls.split(',').every((url) => TARGET.test(url)))
    return refuse(400, 'There was no services to notify')
  return urls === apprise_urls ? null : refuse(424, 'One or more notification could not be sent')
}

export const contract: Contract<Config> = {
  config: (url) => ({ api_url: `${url}/apprise`, apprise_urls: 'json://127.0.0.1/first-token,xml://127.0.0.1/second-token' }),
  rotated: (url) => ({ api_url: `${url}/apprise`, apprise_urls: 'json://127.0.0.1/third-token' }),
  vendor: (valid) => (asked) => {
    if (asked.method !== 'POST') return refuse(405, 'only POST')
    const key = /^\/apprise\/notify\/([A-Za-z0-9_-]{0,128})$/.exec(asked.path)?.[1]
    if (key === undefined) return refuse(404, 'no such path')
    if (key !== (valid.config_key ?? '')) return refused(204, 'no configuration under this key')
    const note = jsonIn(asked)
    if (note === null) return refuse(400, 'Invalid JSON Payload provided')
    const { body, title = '', type = 'info', format = 'text', urls } = note
    if (!isText(body, 32_768) || typeof title !== 'string') return refuse(400, 'Payload lacks minimum requirements')
    if (!['info', 'success', 'warning', 'failure'].includes(String(type))) return refuse(400, 'Payload has a type that there is not')
    if (!['text', 'markdown', 'html'].includes(String(format))) return refuse(400, 'Payload has a format that there is not')
    const wrong = targetsFault(urls, valid)
    if (wrong) return wrong
    return took(`note of ${type}`, { error: null, details: [['INFO', '2026-01-01T00:00:00', 'Sent JSON notification']] })
  },
  faults: {
    '400': { answer: { status: 400, body: { error: 'Payload lacks minimum requirements' } } },
    '401': { answer: { status: 403, body: { error: 'The site has been configured to deny this request' } } },
    '404': { answer: { status: 204 }, name: '204 no such key' },
    '413': { answer: { status: 431, body: { error: 'JSON Payload provided is too large' } } }
  },
  wrong: {
    'another key': withPath((path) => `${path}other`),
    'no body': withJson(({ body: _body, ...rest }) => rest),
    'a type that there is not': withJson((note) => ({ ...note, type: 'critical' })),
    'other targets': withJson((note) => ({ ...note, urls: 'json://127.0.0.1/nobody' })),
    'targets that are none': withJson((note) => ({ ...note, urls: 'nobody' }))
  },
  apprise: {
    target: (url) => `apprise://${new URL(url).host}/apprise/operations?method=json`,
    config: (url) => ({ api_url: `${url}/apprise`, config_key: 'operations' })
  },
  checked: 'Apprise as a client of its own gateway is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'note of info → arrived',
    down: 'note of failure → sent',
    update: 'note of info → sent',
    acknowledge: 'note of info → sent',
    recover: 'note of success → sent',
    rotate: 'note of failure → sent',
    '400': '400 → failed',
    '401': '3× 403 → failed, channel off',
    '404': '3× 204 no such key → failed, channel off',
    '413': '431 → failed',
    '429': '429 (10 min), note of failure → sent',
    '500': '500, note of failure → sent',
    timeout: 'no answer, note of failure → sent',
    malformed: 'nonsense, note of failure → sent'
  }
}

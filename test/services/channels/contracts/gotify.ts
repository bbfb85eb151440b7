/** A self-hosted Gotify server. Its errors follow docs/design/outbound-channels.md#s3-11. */
import { type Answer, type Contract, jsonIn, refused, took, withHeader, withJson, withPath } from '../contract.ts'

type Config = { server_url: string; application_token: string }

const fault = (errorCode: number, error: string, errorDescription: string) => ({ error, errorCode, errorDescription })
const refuse = (status: number, error: string, why: string): Answer => refused(status, why, fault(status, error, why))
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Checks that a click opens an address and that the text names its content type. */
function extrasFault(extras: unknown): string | null {
  if (extras === undefined) return null
  if (!isRecord(extras)) return 'extras are no object'
  const { 'client::display': display, 'client::notification': notification } = extras
  if (isRecord(display) && !['text/plain', 'text/markdown'].includes(String(display.contentType)))
    return 'a content type that no client shows'
  if (!isRecord(notification)) return null
  const { click } = notification
  return isRecord(click) && URL.canParse(String(click.url)) ? null : 'a click that leads nowhere'
}

export const contract: Contract<Config> = {
  config: (url) => ({ server_url: `${url}/push`, application_token: 'AbCdEf0123456.-' }),
  rotated: (url) => ({ server_url: `${url}/push`, application_token: 'AzYxWv9876543.-' }),
  vendor({ application_token }) {
    let id = 0
    return (asked) => {
      if (asked.method !== 'POST' || asked.path !== '/push/message') return refuse(404, 'Not Found', 'page not found')
      if (asked.headers['x-gotify-key'] !== application_token)
        return refuse(401, 'Unauthorized', 'you need to provide a valid access token or user credentials to access this api')
      const note = jsonIn(asked)
      if (note === null) return refuse(400, 'Bad Request', 'no JSON')
      const { title, message, priority, extras } = note
      if (typeof message !== 'string' || message.trim() === '') return refuse(400, 'Bad Request', "Field 'message' is required")
      if (typeof title !== 'string' || !Number.isInteger(priority)) return refuse(400, 'Bad Request', 'cannot unmarshal')
      const wrong = extrasFault(extras)
      if (wrong !== null) return refuse(400, 'Bad Request', wrong)
      return took('note', { id: ++id, appid: 1, title, message, priority, date: '2026-01-01T00:00:00Z' })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: fault(400, 'Bad Request', "Field 'message' is required") } },
    '401': { answer: { status: 401, body: fault(401, 'Unauthorized', 'you need to provide a valid access token') } },
    '404': { answer: { status: 404, body: fault(404, 'Not Found', 'page not found') } }
  },
  wrong: {
    'another token': withHeader('x-gotify-key', 'Cnobody0123456'),
    'at another path': withPath(() => '/message'),
    'no message': withJson((note) => ({ ...note, message: ' ' })),
    'a priority that is a text': withJson((note) => ({ ...note, priority: 'high' })),
    'a click that leads nowhere': withJson((note) => ({ ...note, extras: { 'client::notification': { click: {} } } }))
  },
  apprise: { target: (url) => `gotify://${new URL(url).host}/push/AbCdEf0123456.-` },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'note → arrived',
    down: 'note → sent',
    update: 'note → sent',
    acknowledge: 'note → sent',
    recover: 'note → sent',
    rotate: 'note → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), note → sent',
    '500': '500, note → sent',
    timeout: 'no answer, note → sent',
    malformed: 'nonsense, note → sent'
  }
}

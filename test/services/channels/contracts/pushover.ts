/** Pushover. Limits and answers as in docs/design/outbound-channels.md#s3-24. */
import { type Answer, type Contract, isText, refused, took, withField, withHeader } from '../contract.ts'

type Config = { application_token: string; user_key: string }

const REQUEST = '647d2300-702c-4b38-8b2f-d56326ae460b'
const DAY_SECONDS = 86_400

const failure = (error: string, rest: object = {}) => ({ ...rest, errors: [error], status: 0, request: REQUEST })
const refuse = (error: string, rest: object = {}): Answer => refused(400, error, failure(error, rest))

const within = (text: string | null, max: number): boolean => text === null || isText(text, max)

/** The monthly quota is used up and starts again in twenty days. */
const resetAt = String(Math.floor(Date.now() / 1000) + 20 * DAY_SECONDS)

export const contract: Contract<Config> = {
  config: () => ({ application_token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' }),
  rotated: () => ({ application_token: 'abCDEFghIJKLmnOPQRstUVWxyz0123', user_key: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG' }),
  vendor: ({ application_token, user_key }) =>
    function pushover(asked) {
      if (asked.method !== 'POST' || asked.path !== '/1/messages.json') return refused(404, 'no such path')
      if (!asked.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return refuse('no form')
      const form = new URLSearchParams(asked.body)
      const of = (name: string): string | null => form.get(name)
      if (of('token') !== application_token) return refuse('application token is invalid', { token: 'invalid' })
      if (of('user') !== user_key) return refuse('user identifier is not a valid user, group, or subscribed user key', { user: 'invalid' })
      if (!isText(of('message'), 1024)) return refuse('message cannot be blank', { message: 'cannot be blank' })
      if (!within(of('title'), 250) || !within(of('url'), 512) || !within(of('url_title'), 100)) return refuse('a text is too long')
      if (!['-2', '-1', '0', '1'].includes(of('priority') ?? '0')) return refuse('priority is invalid, or lacks retry and expire')
      if (!/^\d{10}$/.test(of('timestamp') ?? '0000000000')) return refuse('timestamp is invalid')
      return took('message', { status: 1, request: REQUEST }, 200, { 'x-limit-app-limit': '10000', 'x-limit-app-remaining': '9999' })
    },
  faults: {
    '400': { answer: { status: 400, body: failure('message cannot be blank', { message: 'cannot be blank' }) } },
    '401': { answer: { status: 400, body: failure('application token is invalid', { token: 'invalid' }) }, name: '400 token' },
    '404': { answer: { status: 400, body: failure('user key is invalid', { user: 'invalid' }) }, name: '400 user' },
    '429': {
      answer: { status: 429, headers: { 'x-limit-app-remaining': '0', 'x-limit-app-reset': resetAt }, body: failure('quota exceeded') },
      times: 1,
      name: '429 until next month'
    }
  },
  wrong: {
    'another application': withField('token', 'a'.repeat(30)),
    'another user': withField('user', 'u'.repeat(30)),
    'no message': withField('message', ''),
    'a message that is too long': withField('message', 'é'.repeat(1025)),
    'a priority that lacks its fields': withField('priority', '2'),
    'an address that is too long': withField('url', `https://example.com/${'x'.repeat(500)}`),
    'no form': withHeader('content-type', 'text/plain')
  },
  apprise: {
    target: () => 'pover://uQiRzpo4DXghDmr9QzzfQu27cmVRsG@azGDORePK8gMaC0QOYAMyEEuzJnyUi',
    hosts: ['api.pushover.net']
  },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'message → sent',
    acknowledge: 'message → sent',
    recover: 'message → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '3× 400 token → failed, channel off',
    '404': '3× 400 user → failed, channel off',
    '413': '413 → failed',
    '429': '429 until next month → suppressed (quota)',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

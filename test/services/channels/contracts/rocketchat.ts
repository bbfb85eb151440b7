/**
 * An incoming webhook of Rocket.Chat: its answers follow docs/design/outbound-channels.md#s3-17.
 */
import { type Asked, type Contract, isText, jsonIn, refused, took, withJson, withPath } from '../contract.ts'

type Config = { webhook_url: string }

const HOOK = '64a1b2c3d4e5f60718293a4b'
const TOKEN = 'G2JNJDPoabKf7qvkzRbGhJcXgt4pDZAHNQGccMZWnQkojJ5z'
/** The default setting of a server. */
const MAX_MESSAGE = 5000

const failed = (why: string, error = why) => refused(400, why, { success: false, error })

function isAttachment({ color, title, title_link, text, fields = [] }: Record<string, unknown>): boolean {
  if ([color, title, title_link, text].some((value) => value !== undefined && typeof value !== 'string')) return false
  return Array.isArray(fields) && fields.every(({ title: name, value }) => isText(name, 1000) && isText(value, 1000))
}

export const contract: Contract<Config> = {
  config: (url) => ({ webhook_url: `${url}/hooks/${HOOK}/${TOKEN}` }),
  rotated: (url) => ({ webhook_url: `${url}/hooks/${HOOK}/5zJjokQnWZMccGQNHAZDp4tgXcJhGbRzkvq7fKbaoPDJNJ2G` }),
  vendor: ({ webhook_url }) =>
    function rocketchat(asked: Asked) {
      if (asked.path !== new URL(webhook_url).pathname) return failed('another webhook', 'Invalid integration id or token provided.')
      const body = jsonIn(asked)
      if (asked.method !== 'POST' || body === null) return failed('no JSON', 'Invalid JSON')
      // The answer is a success, but nobody sees a message.
      if (Object.keys(body).length === 0) return refused(200, 'nothing in it', { success: true })
      if (body.channel !== undefined || body.roomId !== undefined)
        return failed('a channel of its own', 'overriding destination channel is disabled for this integration')
      const { text, attachments = [] } = body
      if (!isText(text, Number.POSITIVE_INFINITY)) return failed('no text', 'error-invalid-message')
      if (text.length > MAX_MESSAGE) return failed('too long', 'error-message-size-exceeded')
      if (!Array.isArray(attachments) || !attachments.every(isAttachment)) return failed('bad attachments', 'error-invalid-attachments')
      return took('message', { success: true })
    },
  faults: {
    '400': { answer: { status: 400, body: { success: false, error: 'error-message-size-exceeded' } } },
    '401': {
      answer: { status: 400, body: { success: false, error: 'Invalid integration id or token provided.' } },
      name: '400 invalid token'
    },
    '500': { answer: { status: 503, body: { success: false, error: 'Service Unavailable' } }, times: 1, name: '503 turned off' }
  },
  wrong: {
    'another token': withPath((path) => `${path}x`),
    'nothing in it': withJson(() => ({})),
    'no text': withJson(({ text: _text, ...rest }) => rest),
    'a text that is too long': withJson((body) => ({ ...body, text: 'x'.repeat(MAX_MESSAGE + 1) })),
    'a channel of its own': withJson((body) => ({ ...body, channel: '#general' }))
  },
  apprise: { target: (url) => `rocket://${HOOK}/${TOKEN}@${new URL(url).host}?mode=webhook` },
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
    '401': '3× 400 invalid token → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '503 turned off, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

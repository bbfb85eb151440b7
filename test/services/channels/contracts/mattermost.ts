/**
 * An incoming webhook of Mattermost: the ids and statuses of its errors follow
 * docs/design/outbound-channels.md#s3-19.
 */
import { type Asked, type Contract, isText, jsonIn, refused, took, withJson, withPath } from '../contract.ts'

type Config = { webhook_url: string }

const MAX_POST = 16_383

/** Fields of an attachment that must be texts. */
const TEXTS = ['fallback', 'color', 'title', 'title_link', 'text'] as const

const error = (id: string, status: number) => ({
  id,
  message: 'As the test has it',
  detailed_error: '',
  request_id: 'r1',
  status_code: status
})

const refuse = (status: number, why: string, word: string) => refused(status, why, error(`web.incoming_webhook.${word}.app_error`, status))

function isAttachment(attachment: Record<string, unknown>): boolean {
  const { fields = [] } = attachment
  if (TEXTS.some((name) => attachment[name] !== undefined && typeof attachment[name] !== 'string')) return false
  if (String(attachment.text ?? '').length > MAX_POST) return false
  return Array.isArray(fields) && fields.every(({ title, value }) => isText(title, 1000) && value !== undefined)
}

export const contract: Contract<Config> = {
  config: (url) => ({ webhook_url: `${url}/hooks/abcdefghijklmnopqrstuvwx12` }),
  rotated: (url) => ({ webhook_url: `${url}/hooks/zyxwvutsrqponmlkjihgfedc98` }),
  vendor: ({ webhook_url }) =>
    function mattermost(asked: Asked) {
      if (asked.method !== 'POST') return refused(404, 'only POST')
      if (asked.path !== new URL(webhook_url).pathname) return refuse(400, 'another webhook', 'invalid')
      const body = jsonIn(asked)
      if (body === null) return refuse(400, 'no JSON', 'parse')
      const { text = '', attachments } = body
      if (typeof text !== 'string' || (attachments !== undefined && !Array.isArray(attachments))) return refuse(400, 'wrong types', 'parse')
      if (text === '' && attachments === undefined) return refuse(400, 'no text', 'text')
      if (!(attachments ?? []).every(isAttachment)) return refuse(400, 'bad attachments', 'attachment')
      if (text.length > MAX_POST) return refused(200, 'cut into several posts', 'ok')
      // The webhook of this test is locked to its channel, as a careful administrator configures
      // it.
      if (body.channel !== undefined) return refuse(403, 'a channel of its own', 'channel_locked')
      return took('post', 'ok')
    },
  faults: {
    '400': { answer: { status: 400, body: error('web.incoming_webhook.parse.app_error', 400) } },
    '401': { answer: { status: 400, body: error('web.incoming_webhook.invalid.app_error', 400) }, name: '400 invalid webhook' },
    '404': { answer: { status: 404, body: error('web.incoming_webhook.channel.app_error', 404) } },
    '500': { answer: { status: 500, body: error('app.post.save.app_error', 500) }, times: 1 }
  },
  wrong: {
    'another id': withPath((path) => `${path}x`),
    'nothing in it': withJson(() => ({})),
    'a text that is none': withJson((body) => ({ ...body, text: 1 })),
    'a post that is too long': withJson((body) => ({ ...body, text: 'x'.repeat(MAX_POST + 1) })),
    'a channel of its own': withJson((body) => ({ ...body, channel: 'town-square' }))
  },
  apprise: { target: (url) => `mmost://${new URL(url).host}/abcdefghijklmnopqrstuvwx12` },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'post → arrived',
    down: 'post → sent',
    update: 'post → sent',
    acknowledge: 'post → sent',
    recover: 'post → sent',
    rotate: 'post → sent',
    '400': '400 → failed',
    '401': '3× 400 invalid webhook → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), post → sent',
    '500': '500, post → sent',
    timeout: 'no answer, post → sent',
    malformed: 'nonsense, post → sent'
  }
}

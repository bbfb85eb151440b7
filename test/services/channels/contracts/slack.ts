/**
 * An incoming webhook of Slack: the statuses and texts of its refusals, and the limits of blocks,
 * follow docs/design/outbound-channels.md#s3-1.
 */
import { type Asked, type Contract, isText, jsonIn, refused, took, withHeader, withJson, withPath } from '../contract.ts'

type Config = { webhook_url: string }

type Block = { type?: unknown; text?: { type?: unknown; text?: unknown }; elements?: unknown }

const isMarkdown = (value: Block['text']): boolean => value?.type === 'mrkdwn' && isText(value.text, 3000)

function isBlock(block: Block): boolean {
  if (block.type === 'section') return isMarkdown(block.text)
  const { elements } = block
  return block.type === 'context' && Array.isArray(elements) && elements.length >= 1 && elements.length <= 10 && elements.every(isMarkdown)
}

export const contract: Contract<Config> = {
  config: () => ({ webhook_url: 'https://hooks.slack.com/services/T0001/B0001/abcDEF123' }),
  rotated: () => ({ webhook_url: 'https://hooks.slack.com/services/T0001/B0002/ghiJKL456' }),
  vendor: ({ webhook_url }) =>
    function slack(asked: Asked) {
      if (asked.method !== 'POST') return refused(405, 'only POST')
      if (asked.path !== new URL(webhook_url).pathname) return refused(404, 'another webhook', 'no_service')
      const body = jsonIn(asked)
      if (body === null) return refused(400, 'no JSON', 'invalid_payload')
      const { blocks = [], text, attachments } = body
      // Older clients send attachments instead of blocks.
      if (Array.isArray(attachments) && attachments.length > 0) return took('message as an attachment', 'ok')
      if (!isText(text, 40_000)) return refused(400, 'no text', 'no_text')
      if (!Array.isArray(blocks) || blocks.length > 50 || !blocks.every(isBlock)) return refused(400, 'bad blocks', 'invalid_blocks')
      return took('message', 'ok')
    },
  faults: {
    '400': { answer: { status: 400, body: 'invalid_payload' } },
    '401': { answer: { status: 403, body: 'invalid_token' }, name: '403 invalid_token' },
    '404': { answer: { status: 404, body: 'no_service' }, name: '404 no_service' }
  },
  wrong: {
    'another token': withPath((path) => `${path}x`),
    'no text': withJson(({ text: _text, ...rest }) => rest),
    'a section that is too long': withJson((body) => ({
      ...body,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }]
    })),
    'a form': withHeader('content-type', 'application/x-www-form-urlencoded')
  },
  apprise: { target: () => 'slack://T0001/B0001/abcDEF123', hosts: ['hooks.slack.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'message → sent',
    acknowledge: 'nothing → suppressed (webhook_mode)',
    recover: 'message → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '403 invalid_token → failed, channel off',
    '404': '404 no_service → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

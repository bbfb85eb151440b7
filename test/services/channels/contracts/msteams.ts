/**
 * A workflow of Microsoft Teams with a webhook trigger: its signed address, and the Adaptive Cards
 * that it posts.
 * Source: docs/design/outbound-channels.md#s3-8.
 */
import { type Asked, type Contract, isText, jsonIn, refused, took, withHeader, withJson, withPath } from '../contract.ts'

type Config = { webhook_url: string }
type Element = { type?: unknown; text?: unknown; facts?: unknown; wrap?: unknown; color?: unknown; style?: unknown }

/** A channel does not show larger messages. */
const MAX_MESSAGE_BYTES = 28_000
const CARD = 'application/vnd.microsoft.card.adaptive'
const COLORS = new Set(['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention'])

const HOST = 'default0123456789abcdef.01.environment.api.powerplatform.com'

/** The form of the address before 2025, the only one that Apprise can read. */
const OLD_HOST = 'prod-23.westeurope.logic.azure.com'

const address = (signature: string, flows = `${HOST}/powerautomate/automations/direct`): string =>
  `https://${flows}/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${signature}`

const error = (code: string, message: string) => ({ error: { code, message } })
const invalid = (why: string) => refused(400, why, error('InvalidRequestContent', why))

function isElement({ type, text, facts, color }: Element): boolean {
  if (type === 'TextBlock') return typeof text === 'string' && (color === undefined || COLORS.has(String(color)))
  if (type === 'FactSet')
    return Array.isArray(facts) && facts.length > 0 && facts.every(({ title, value }) => isText(title, 1000) && isText(value, 4000))
  return type === 'Image'
}

function cardFault(attachment: Record<string, unknown> | undefined): string | null {
  if (attachment?.contentType !== CARD) return 'no Adaptive Card'
  const { type, version, body, actions = [] } = (attachment.content ?? {}) as Record<string, unknown>
  if (type !== 'AdaptiveCard' || !/^1\.[0-5]$/.test(String(version))) return 'no Adaptive Card that it shows'
  if (!Array.isArray(body) || body.length === 0 || !body.every(isElement)) return 'elements that there are not'
  const isAction = (one: Record<string, unknown>): boolean =>
    one.type === 'Action.OpenUrl' && isText(one.title, 500) && URL.canParse(String(one.url))
  return Array.isArray(actions) && actions.every(isAction) ? null : 'actions that there are not'
}

export const contract: Contract<Config> = {
  config: () => ({ webhook_url: address('Ab-cd%2BEF%2FghiJKLmnop0123456') }),
  rotated: () => ({ webhook_url: address('Zy-xw%2BVU%2FtsrQPOnmlk6543210') }),
  vendor: ({ webhook_url }) =>
    function msteams(asked: Asked) {
      const wanted = new URL(webhook_url)
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (asked.method !== 'POST' || pathname !== wanted.pathname)
        return refused(404, 'no such workflow', error('WorkflowNotFound', 'no such workflow'))
      if (['sp', 'sv', 'sig'].some((name) => searchParams.get(name) !== wanted.searchParams.get(name)))
        return refused(401, 'another signature', error('DirectApiAuthorizationRequired', 'another signature'))
      if (Buffer.byteLength(asked.body) > MAX_MESSAGE_BYTES) return refused(413, 'too large')
      const body = jsonIn(asked)
      if (body === null) return invalid('no JSON')
      if (body.type !== 'message' || !Array.isArray(body.attachments)) return invalid('no message with attachments')
      const fault = cardFault(body.attachments[0])
      return fault === null ? took('card', '', 202) : invalid(fault)
    },
  faults: {
    '400': { answer: { status: 400, body: error('InvalidRequestContent', 'as the test has it') } },
    '401': { answer: { status: 401, body: error('DirectApiAuthorizationRequired', 'as the test has it') } },
    '404': { answer: { status: 404, body: error('WorkflowNotFound', 'as the test has it') } }
  },
  wrong: {
    'another signature': withPath((path) => path.replace('%2B', '+')),
    'another workflow': withPath((path) => path.replace('0123456789abcdef0123456789abcdef', '0'.repeat(32))),
    'a card of the connectors of before': withJson(() => ({
      '@type': 'MessageCard',
      '@context': 'https://schema.org/extensions',
      text: 'a'
    })),
    'a card without anything in it': withJson((body) => ({
      ...body,
      attachments: [{ contentType: CARD, content: { type: 'AdaptiveCard', version: '1.4', body: [] } }]
    })),
    'a message that is too large': withJson((body) => ({ ...body, summary: 'x'.repeat(MAX_MESSAGE_BYTES) })),
    'a form': withHeader('content-type', 'application/x-www-form-urlencoded')
  },
  apprise: {
    target: () => address('Ab-cdEFghiJKLmnop0123456', OLD_HOST),
    hosts: [OLD_HOST],
    config: () => ({ webhook_url: address('Ab-cdEFghiJKLmnop0123456', OLD_HOST) })
  },
  checked:
    '`adaptivecards`, the library of the format, reads our cards without a complaint; Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'card → arrived',
    down: 'card → sent',
    update: 'card → sent',
    acknowledge: 'card → sent',
    recover: 'card → sent',
    rotate: 'card → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), card → sent',
    '500': '500, card → sent',
    timeout: 'no answer, card → sent',
    malformed: 'not applicable: a workflow may answer anything, and only its status counts'
  }
}

/**
 * A phone call through the deployment's account. It says what is down, and accepts one key.
 * Source: docs/design/outbound-channels.md#s3-26.
 */
import type { Channel, Message, SendContext } from '../channel.ts'
import {
  bareNumber,
  gsmText,
  hiddenNumber,
  type NumberConfig,
  notSent,
  numberConfig,
  twilioRequest,
  twilioVerdict,
  voiceFault
} from '../telephony.ts'
import { escapedWithin, escapeHtml, oneLine } from '../text.ts'
import { severityOf, subjectLine } from '../words.ts'

const MAX_TITLE = 500
const MAX_NAME = 100
const RING_SECONDS = 30
export const VOICE_MENU = 'Press 1 to acknowledge, 2 to resolve, 3 to silence for 30 minutes.'

/**
 * Rewrites host names so that a voice can say them: short words letter by letter, the dot as a
 * word.
 */
export const spoken = (text: string): string =>
  text.replace(/[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g, (host) =>
    host
      .split('.')
      .map((part) => (part.length <= 3 && part !== 'com' && part !== 'net' && part !== 'org' ? [...part.toUpperCase()].join(' ') : part))
      .join(' dot ')
  )

const said = (text: string, max: number): string => escapedWithin(spoken(gsmText(oneLine(text))), max, escapeHtml)

export function callTwiml(message: Message, { deployment }: Pick<SendContext, 'deployment'>): string {
  const who = said(message.workspace.name, MAX_NAME)
  if (message.event === 'test') return `<Response><Say>This is a test call from ${who}.</Say></Response>`
  const severity = severityOf(message)
  const start = severity.charAt(0).toUpperCase() + severity.slice(1)
  const alert = `${start} alert from ${who}. ${said(subjectLine(message), MAX_TITLE)}.`
  // A person who cannot be identified by the number is not asked to press a key.
  if (message.reply_code === null) return `<Response><Say>${alert} Again: ${said(subjectLine(message), MAX_TITLE)}.</Say></Response>`
  const action = escapeHtml(
    `${deployment.api_url}/api/v1/callbacks/twilio/voice/${message.delivery_id}?workspace=${message.workspace.tenant_id}`
  )
  return [
    '<Response>',
    `<Gather input="dtmf" numDigits="1" timeout="8" action="${action}" method="POST">`,
    `<Say>${alert} ${VOICE_MENU}</Say>`,
    '</Gather><Say>No input received. Goodbye.</Say></Response>'
  ].join('')
}

export const channel: Channel<NumberConfig> = {
  kind: 'voice',
  name: 'Voice call',
  hint: 'A number that somebody of the workspace has verified.',
  family: 'telephony',
  config: numberConfig,
  fields: [{ name: 'number' }],
  events: ['down'],
  unsent: 'drop',
  max_ambiguous: 1,
  verified: true,
  check: voiceFault,
  normalise: bareNumber,
  target: hiddenNumber,
  *steps(message, { number }, _ref, context) {
    if (message.event !== 'down' && message.event !== 'test') return { outcome: 'skipped', why: 'no_event' }
    const { deployment } = context
    const request = twilioRequest(
      'Calls',
      [
        ['To', number],
        ['From', deployment.twilio?.from ?? ''],
        ['Twiml', callTwiml(message, context)],
        [
          'StatusCallback',
          `${deployment.api_url}/api/v1/callbacks/twilio/voice/${message.delivery_id}/status?workspace=${message.workspace.tenant_id}`
        ],
        ...['initiated', 'ringing', 'answered', 'completed'].map((event): [string, string] => ['StatusCallbackEvent', event]),
        ['Timeout', String(RING_SECONDS)]
      ],
      context
    )
    return request ? twilioVerdict(yield request, context) : notSent
  }
}

/** SMS through the deployment's account. Source: docs/design/outbound-channels.md#s3-25. */
import type { Channel, Message } from '../channel.ts'
import {
  bareNumber,
  gsmText,
  hiddenNumber,
  isFixedLine,
  type NumberConfig,
  notSent,
  numberConfig,
  segmentsOf,
  senderOf,
  smsFault,
  twilioRequest,
  twilioVerdict
} from '../telephony.ts'
import { oneLine, truncate } from '../text.ts'
import { label, linkOf, subjectLine } from '../words.ts'

const MAX_SEGMENTS = 2
const MAX_NAME = 24
const STEP = 10
/** More than fits into two parts. */
const MAX_TITLE = 320

/** Countries where a text that contains a link is not delivered. */
const WITHOUT_LINKS = ['+86']

/**
 * Returns at most two parts. The title is shortened; the link and the reply code are kept whole.
 */
export function smsText(message: Message, number: string): string {
  const { workspace, incident, event, reply_code } = message
  const who = truncate(gsmText(oneLine(workspace.name)), MAX_NAME).replace('…', '')
  if (event === 'test') return `${who} TEST: SMS alerts work.`
  const url = WITHOUT_LINKS.some((prefix) => number.startsWith(prefix)) ? null : linkOf(message)
  const answer = event === 'down' && reply_code !== null ? `Reply ACK ${reply_code}` : null
  const regions = event === 'down' && incident ? incident.regions.slice(0, 3).join(', ') : ''
  const title = gsmText(truncate(subjectLine(message), MAX_TITLE)) + (regions === '' ? '' : ` (${regions})`)
  const write = (text: string) => [`${who} ${label(message)}: ${text}`, url, answer].filter((part) => part).join(' ')
  const whole = write(title)
  if (segmentsOf(whole) <= MAX_SEGMENTS) return whole
  for (let most = title.length - STEP; most > STEP; most -= STEP) {
    const text = write(gsmText(truncate(title, most)))
    if (segmentsOf(text) <= MAX_SEGMENTS) return text
  }
  return write(incident?.key ?? '')
}

export const channel: Channel<NumberConfig> = {
  kind: 'sms',
  name: 'SMS',
  hint: 'A mobile number that somebody of the workspace has verified.',
  family: 'telephony',
  config: numberConfig,
  fields: [{ name: 'number' }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: 1,
  verified: true,
  check: smsFault,
  normalise: bareNumber,
  target: hiddenNumber,
  *steps(message, { number }, _ref, context) {
    // A delivery that began as a call may be for a fixed line, which takes no text.
    if (isFixedLine(number)) return { outcome: 'skipped', why: 'fixed_line' }
    const callback = `${context.deployment.api_url}/api/v1/callbacks/twilio/sms/${message.delivery_id}?workspace=${message.workspace.tenant_id}`
    const request = twilioRequest(
      'Messages',
      [
        ['To', number],
        senderOf(context.deployment),
        ['Body', smsText(message, number)],
        ['StatusCallback', callback],
        ['ValidityPeriod', '3600'],
        ['SmartEncoded', 'true']
      ],
      context
    )
    return request ? twilioVerdict(yield request, context) : notSent
  }
}

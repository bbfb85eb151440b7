/**
 * How a message looks in Discord: an embed, with buttons when the app sends it.
 * Source: docs/design/outbound-channels.md#s3-2.
 */
import type { Message, MessageIncident } from './channel.ts'
import { escapeDiscord, escapedWithin, truncate } from './text.ts'
import { bodyOf, factsOf, linkOf, subjectLine, titleOf } from './words.ts'

const MAX_TITLE = 256
const MAX_DESCRIPTION = 2596
const MAX_CONTENT = 2000
const MAX_FIELD = 150
/** Facts in one message. Discord also limits its title, description and fields together. */
const MAX_FACTS = 8
const RED = 15_158_332
const YELLOW = 15_844_367
const GREEN = 3_066_993

const SILENCE_MINUTES = 60

/** Types of components, and the style of a button. */
const ROW = 1
const BUTTON = 2
const GREY = 2
const GREEN_BUTTON = 3
const RED_BUTTON = 4
const LINK = 5
const MAX_LINK = 512

/**
 * Discord refuses a link to a host name without a dot, as private networks have, and refuses the
 * message with it.
 */
const isLinked = (url: string): boolean => URL.canParse(url) && new URL(url).hostname.includes('.')

export function discordEmbed(message: Message, now: number) {
  const { event, at, incident } = message
  const url = linkOf(message)
  const words = escapedWithin(bodyOf(message, now), MAX_DESCRIPTION, escapeDiscord)
  const isYellow = event === 'ssl_expiry' || event === 'acknowledged' || incident?.acknowledged_at != null
  const isLink = url !== null && isLinked(url)
  const description = [words, ...(url === null || isLink ? [] : [url])].filter((line) => line !== '').join('\n')
  return {
    title: escapedWithin(subjectLine(message), MAX_TITLE, escapeDiscord),
    ...(isLink && { url }),
    ...(description !== '' && { description }),
    color: event === 'up' ? GREEN : isYellow ? YELLOW : RED,
    timestamp: new Date(at).toISOString(),
    fields: factsOf(message)
      .slice(0, MAX_FACTS)
      .map(([name, value]) => ({ name, value: escapedWithin(value, MAX_FIELD, escapeDiscord), inline: true }))
  }
}

export const discordText = (message: Message): string => truncate(escapedWithin(titleOf(message), MAX_CONTENT, escapeDiscord), MAX_CONTENT)

const button = (style: number, label: string, more: { custom_id: string } | { url: string }) => ({ type: BUTTON, style, label, ...more })

function buttonsOf({ id, acknowledged_at, silenced_until }: MessageIncident, url: string | null, now: number) {
  const isSilent = silenced_until !== null && silenced_until > now
  return [
    ...(acknowledged_at === null ? [button(GREEN_BUTTON, 'Acknowledge', { custom_id: `inc:ack:${id}` })] : []),
    button(RED_BUTTON, 'Resolve', { custom_id: `inc:resolve:${id}` }),
    ...(isSilent ? [] : [button(GREY, 'Silence 1 h', { custom_id: `inc:silence:${SILENCE_MINUTES}:${id}` })]),
    ...(url !== null && url.length <= MAX_LINK && isLinked(url) ? [button(LINK, 'Open', { url })] : [])
  ]
}

/** Only the buttons for what is still possible. None when the incident is resolved. */
export function discordComponents(message: Message, now: number) {
  const { incident } = message
  if (incident === null || incident.status === 'resolved') return []
  return [{ type: ROW, components: buttonsOf(incident, linkOf(message), now) }]
}

/**
 * Opsgenie, Alert API v2: all calls of one incident share an alias.
 * Source: docs/design/outbound-channels.md#s3-6.
 */
import { Type } from 'typebox'
import type { Channel, HttpRequest, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, hidden, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, textIn, unsure } from '../judging.ts'
import { oneLine, plain, truncate } from '../text.ts'
import { bodyOf, linkOf, severityOf, sourceOf, titleOf } from '../words.ts'

type Config = { api_key: string; region?: 'us' | 'eu' }

const HOSTS = { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' } as const
const MAX_TITLE = 130
const MAX_DESCRIPTION = 15_000
const MAX_ENTITY = 512
const MAX_SOURCE = 100
const MAX_TAG = 50
const MAX_NOTE = 10_000
const MAX_DETAIL = 1000
const PRIORITIES = { critical: 'P1', warning: 'P3', info: 'P5' } as const

/** The description repeats the full title when the alert's own field is too short for it. */
function descriptionOf(message: Message, now: number): string {
  const title = titleOf(message)
  const body = bodyOf(message, now)
  return truncate([truncate(title, MAX_TITLE) === title ? '' : title, body].filter((part) => part).join('\n'), MAX_DESCRIPTION)
}

function alertOf(message: Message, { now }: SendContext, source: string) {
  const { incident, key } = message
  const url = linkOf(message)
  const severity = severityOf(message)
  const description = descriptionOf(message, now)
  return {
    message: truncate(titleOf(message), MAX_TITLE),
    alias: key,
    ...(description !== '' && { description }),
    priority: PRIORITIES[severity],
    source,
    entity: truncate(sourceOf(message), MAX_ENTITY),
    tags: [severity, ...(incident?.is_major ? ['major'] : [])].map((tag) => truncate(tag, MAX_TAG)),
    ...(incident && {
      details: {
        incident_id: incident.id,
        incident: incident.key,
        ...(incident.regions.length > 0 && { regions: truncate(incident.regions.join(', '), MAX_DETAIL) }),
        ...(incident.team && { team: truncate(oneLine(incident.team.name), MAX_DETAIL) }),
        ...(url !== null && { url })
      }
    })
  }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  if (reply.status === 202) {
    const provider_message_id = textIn(objectIn(reply), 'requestId')
    return { outcome: 'delivered', ...(provider_message_id !== null && { provider_message_id }) }
  }
  if (reply.status === 401 || reply.status === 403)
    return deadChannel(
      reply,
      'Opsgenie refuses the key. It must be the key of an API integration that may read and create, in the region that is set.'
    )
  if (reply.status === 422 || reply.status === 400) return lost(reply, 'Opsgenie refused this alert.')
  if (reply.status === 429) return later(reply, context.now)
  return judge(reply, context)
}

export const channel: Channel<Config> = {
  kind: 'opsgenie',
  name: 'Opsgenie',
  hint: 'The key of an API integration. Atlassian ends Opsgenie on 5 April 2027.',
  family: 'paging',
  config: Type.Object(
    {
      api_key: secretField({
        title: 'API key',
        description: 'Of an integration of the type API.',
        pattern: '^[A-Za-z0-9-]{20,64}$',
        maxLength: 64
      }),
      region: Type.Optional(
        Type.Union([Type.Literal('us'), Type.Literal('eu')], { title: 'Region', description: 'Where the account lives: us unless set.' })
      )
    },
    closed
  ),
  fields: [{ name: 'api_key', secret: true }, { name: 'region' }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  target: ({ api_key, region = 'us' }) => `${new URL(HOSTS[region]).host} ${api_key.startsWith('sealed:') ? '' : hidden(api_key)}`.trim(),
  *steps(message, { api_key, region = 'us' }, _ref, context) {
    const { event, key, actor } = message
    const source = truncate(oneLine(context.deployment.product), MAX_SOURCE)
    const ask = (path: string, body: object): HttpRequest =>
      jsonRequest(`${baseUrl('opsgenie', HOSTS[region], context)}/v2/alerts${path}`, body, context, {
        headers: { authorization: `GenieKey ${api_key}` },
        secrets: [api_key]
      })
    const act = (verb: 'acknowledge' | 'close', note: string): HttpRequest =>
      ask(`/${encodeURIComponent(key)}/${verb}?identifierType=alias`, { source, ...(note !== '' && { note: truncate(note, MAX_NOTE) }) })
    if (event === 'acknowledged') return judged(yield act('acknowledge', actor === null ? '' : `by ${oneLine(actor)}`), context)
    if (event === 'up') return judged(yield act('close', plain(`${titleOf(message)}\n${bodyOf(message, context.now)}`).trim()), context)
    if (event !== 'down' && event !== 'ssl_expiry' && event !== 'test') return { outcome: 'skipped', why: 'no_event' }
    const reply = yield ask('', alertOf(message, context, source))
    const outcome = unsure(reply, judged(reply, context))
    // Close the alert of a test at once.
    if (event !== 'test' || outcome.outcome !== 'delivered') return outcome
    return judged(yield act('close', 'This was a test.'), context)
  }
}

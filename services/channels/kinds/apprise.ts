/**
 * Apprise: a gateway of the workspace's own that forwards to every service it is configured for.
 * Source: docs/design/outbound-channels.md#s3-12.
 */
import { Type } from 'typebox'
import type { Channel, ConfigFault, Message, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { addressFault, base, closed, field, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, objectIn, textIn, why } from '../judging.ts'
import { loudnessOf, noteOf } from '../push.ts'
import { truncate } from '../text.ts'
import { linkOf, titleOf } from '../words.ts'

type Config = { api_url: string; config_key?: string; apprise_urls?: string }

const MAX_TITLE = 250
const MAX_BODY = 10_000
const MAX_URLS = 50
const ADDRESS = /^[a-z0-9+.-]+:\/\/\S+$/i
const TYPES = { critical: 'failure', warning: 'warning', info: 'info', resolved: 'success', note: 'info' } as const

const addressesIn = (urls: string): string[] =>
  urls
    .split(/[\s,]+(?=[a-z0-9+.-]+:\/\/)/i)
    .map((url) => url.trim())
    .filter((url) => url !== '')

function note(message: Message, urls: string | undefined, now: number) {
  const url = linkOf(message)
  const text = truncate(noteOf(message, now), MAX_BODY)
  return {
    title: truncate(titleOf(message), MAX_TITLE),
    body: url === null ? text : `${text}\n${url}`,
    type: TYPES[loudnessOf(message)],
    format: 'text',
    ...(urls !== undefined && { urls: addressesIn(urls).join(',') })
  }
}

/** 424: some of its targets may have received the message, so it is repeated at most once. */
function judged(reply: SendReply, context: SendContext): SendOutcome {
  const { status } = reply
  if (status === 200) {
    const object = objectIn(reply)
    // Older gateways reply with a sentence.
    const isTold = object === null ? /^notification/i.test(reply.body.trim()) : textIn(object, 'error') === null
    return isTold ? { outcome: 'delivered' } : judge(reply, context)
  }
  if (status === 204) return deadChannel(reply, 'The gateway has no configuration under this key, or no target.')
  if (status === 403) return deadChannel(reply, 'The gateway denies the request.')
  if (status === 421) return deadChannel(reply, 'The gateway does not answer under this address.')
  if (status === 405) return lost(reply, 'The gateway has been handed this message before: two gateways notify each other.')
  if (status === 413 || status === 431) return lost(reply, 'The gateway takes no message of this size.')
  if (status === 424)
    return context.attempt < 2
      ? { outcome: 'retry', why: why(reply), ambiguous: true }
      : lost(reply, 'At least one target of the gateway failed; others may have been told.')
  if (status === 400) return lost(reply, 'The gateway refused this message, or the addresses of its targets.')
  return status >= 500 ? later(reply, context.now) : judge(reply, context)
}

function check({ api_url, config_key, apprise_urls }: Config, kept: readonly string[] = []): ConfigFault | null {
  if (config_key !== undefined && (apprise_urls !== undefined || kept.includes('apprise_urls')))
    return { path: 'config_key', rule: 'mutually_exclusive', message: 'stands beside apprise_urls: give one of the two' }
  const fault = (message: string): ConfigFault => ({ path: 'apprise_urls', rule: 'format', message })
  const urls = apprise_urls === undefined ? [] : addressesIn(apprise_urls)
  if (apprise_urls !== undefined && (urls.length === 0 || !urls.every((url) => ADDRESS.test(url))))
    return fault('must be addresses like tgram://…, with commas between them')
  if (urls.length > MAX_URLS) return fault(`must be at most ${MAX_URLS} addresses`)
  if (api_url?.includes('?')) return { path: 'api_url', rule: 'format', message: 'may not hold a ?query' }
  return addressFault('api_url', api_url)
}

export const channel: Channel<Config> = {
  kind: 'apprise',
  name: 'Apprise',
  hint: 'The address of your Apprise API, and a key or the targets.',
  family: 'push',
  config: Type.Object(
    {
      api_url: field({ title: 'Address of the gateway', description: 'As https://apprise.example.com. A path before /notify is fine.' }),
      config_key: Type.Optional(
        field({
          title: 'Configuration key',
          description:
            'Of a configuration that is stored there. Without one the targets below, or else those that the gateway has of itself.',
          pattern: '^[A-Za-z0-9_-]{1,128}$',
          maxLength: 128
        })
      ),
      apprise_urls: Type.Optional(
        secretField({
          title: 'Targets',
          description: 'Addresses as Apprise has them, with commas between them. Not beside a key.',
          maxLength: 8000
        })
      )
    },
    closed
  ),
  fields: [{ name: 'api_url', origin: true }, { name: 'config_key' }, { name: 'apprise_urls', secret: true }],
  events: ['down', 'up', 'ssl_expiry'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check,
  normalise: (config) => ({ ...config, api_url: base(config.api_url).replace(/\/notify$/, '') }),
  target: ({ api_url, config_key }) => {
    const host = URL.canParse(api_url) ? new URL(api_url).host : ''
    return config_key === undefined ? host : `${host}/${config_key}`
  },
  *steps(message, { api_url, config_key, apprise_urls }, _ref, context) {
    const root = `${base(api_url)}/notify/`
    const reply = yield jsonRequest(
      config_key === undefined ? root : `${root}${config_key}`,
      note(message, apprise_urls, context.now),
      context,
      {
        secrets: apprise_urls === undefined ? [] : [apprise_urls, ...addressesIn(apprise_urls)],
        guarded: true
      }
    )
    return judged(reply, context)
  }
}

/**
 * A Discord webhook: its error codes and the limits of embeds follow
 * docs/design/outbound-channels.md#s3-2.
 */
import { type Contract, RETRY_AFTER_SECONDS, refused, took, withHeader, withJson, withPath } from '../contract.ts'
import { callsPeople, type Embed, messageFault, discordFault as refusedBody } from '../discord-web.ts'

type Config = { webhook_url: string }

export const contract: Contract<Config> = {
  config: () => ({ webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'a'.repeat(68)}` }),
  rotated: () => ({ webhook_url: `https://discord.com/api/webhooks/123456789012345678/${'b'.repeat(68)}` }),
  vendor({ webhook_url }) {
    const messages = new Set<string>()
    return (asked) => {
      const root = new URL(webhook_url).pathname
      const { pathname, searchParams } = new URL(asked.path, 'http://contract')
      if (!asked.headers['user-agent']) return refused(403, 'no agent', refusedBody(40333, 'internal network error'))
      if (!pathname.startsWith(root)) return refused(401, 'another token', refusedBody(50027, 'Invalid Webhook Token'))
      const edited = /^\/messages\/(\d+)$/.exec(pathname.slice(root.length))?.[1]
      if (edited === undefined && pathname !== root) return refused(404, 'no such path', refusedBody(0, '404: Not Found'))
      const fault = messageFault(asked)
      if (fault) return fault
      if (edited !== undefined) {
        if (asked.method !== 'PATCH') return refused(405, 'only PATCH')
        return messages.has(edited)
          ? took(callsPeople(asked) ? 'edit that may call people' : 'edit', { id: edited })
          : refused(404, 'no such message', refusedBody(10008, 'Unknown Message'))
      }
      if (asked.method !== 'POST') return refused(405, 'only POST')
      if (searchParams.get('wait') !== 'true') return took('message that nobody waits for', '', 204)
      const id = String(1_000_000_000_000_000_000n + BigInt(messages.size))
      messages.add(id)
      return took(callsPeople(asked) ? 'message that may call people' : 'message', { id, channel_id: '1', type: 0 })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: refusedBody(50035, 'Invalid Form Body') } },
    '401': { answer: { status: 401, body: refusedBody(50027, 'Invalid Webhook Token') } },
    '404': { answer: { status: 404, body: refusedBody(10015, 'Unknown Webhook') } },
    '413': { answer: { status: 413, body: refusedBody(40005, 'Request entity too large') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS), 'x-ratelimit-scope': 'user' },
        body: { message: 'You are being rate limited.', retry_after: RETRY_AFTER_SECONDS, global: false }
      },
      times: 1
    }
  },
  wrong: {
    'another token': withPath((path) => path.replace('?', 'x?')),
    'no agent': withHeader('user-agent', null),
    'a title that is too long': withJson((body) => ({ ...body, embeds: [{ ...(body.embeds as Embed[])[0], title: 'x'.repeat(257) }] })),
    'a link without a dot': withJson((body) => ({ ...body, embeds: [{ ...(body.embeds as Embed[])[0], url: 'http://monitor:8080/i/1' }] })),
    'more than ten embeds': withJson((body) => ({ ...body, embeds: Array(11).fill((body.embeds as Embed[])[0]) }))
  },
  apprise: { target: () => `discord://123456789012345678/${'a'.repeat(68)}`, hosts: ['discord.com'] },
  checked: 'Alertmanager and Apprise: what they send is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'edit → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, message → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '401 → failed, channel off',
    '404': '404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

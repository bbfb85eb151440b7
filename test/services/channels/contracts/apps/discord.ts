/**
 * Discord with its app: a bot sends messages with buttons and edits them in place. Source:
 * docs/design/outbound-channels.md#s3-2.
 */
import type { DiscordInstall } from '../../../../../services/channels/discord-room.ts'
import { type Contract, NOT_APPLICABLE, RETRY_AFTER_SECONDS, withHeader, withJson } from '../../contract.ts'
import { discordFault, discordWorld } from '../../discord-web.ts'

const install: DiscordInstall = {
  ...{ mode: 'oauth', guild_id: '100000000000000001', guild_name: 'Acme Games' },
  ...{ channel_id: '100000000000000002', channel_name: '#alerts' }
}

const fault = (status: number, code: number, message: string) => ({
  answer: { status, body: discordFault(code, message) },
  name: `${status} ${message.toLowerCase()}`
})

export const contract: Contract<DiscordInstall> = {
  config: () => install,
  rotated: null,
  installed: ({ mode: _mode, ...config }) => ({ name: '#alerts in Acme Games', config, installer: '4242' }),
  vendor({ guild_id, guild_name, channel_id }) {
    const world = discordWorld()
    world.guilds.push({ id: guild_id, name: guild_name, joined: true })
    world.channel(guild_id, 'alerts', { id: channel_id })
    return world.vendor
  },
  faults: {
    '400': { answer: { status: 400, body: discordFault(50035, 'Invalid Form Body') } },
    '401': { answer: { status: 401, body: discordFault(0, '401: Unauthorized') }, times: 1 },
    '404': fault(404, 10003, 'Unknown Channel'),
    '413': { answer: { status: 413, body: discordFault(40005, 'Request entity too large') } },
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
    'another credential': withHeader('authorization', 'Bot made-up'),
    'no agent': withHeader('user-agent', null),
    'a nonce that is too long': withJson((body) => ({ ...body, nonce: 'x'.repeat(26) })),
    'a button without an id': withJson((body) => ({
      ...body,
      components: [{ type: 1, components: [{ type: 2, style: 1, label: 'Acknowledge' }] }]
    })),
    'a link without a dot': withJson((body) => ({
      ...body,
      components: [{ type: 1, components: [{ type: 2, style: 5, label: 'Open', url: 'http://monitor:8080' }] }]
    }))
  },
  checked:
    '`discord-api-types`: messages are of its types, and numbers, scopes and paths are those of it; `discord-interactions` for signatures',
  row: {
    create: 'nothing → saved',
    test: 'message → arrived',
    down: 'message → sent',
    update: 'edit → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, answer → sent',
    rotate: `${NOT_APPLICABLE}the credential is the deployment's, and an install has none`,
    '400': '400 → failed',
    '401': '401 (5 min), message → sent',
    '404': '404 unknown channel → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

/** Sets up a service with the Discord app, and a fake Discord. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { Teardown } from '../../harness/engines.ts'
import { type ContractServer, httpContractServer, took, type Vendor } from '../channels/contract.ts'
import { APP, type DiscordWorld, discordWorld } from '../channels/discord-web.ts'
import { deployment, notifier } from '../notifier/channels.ts'
import { ORIGIN, type Stand, type StandOptions, stand } from './stand.ts'

export const START = '/api/v1/notifications/oauth/discord/start'
export const CALLBACK = '/api/v1/notifications/oauth/discord/callback'
const DOOR = '/api/v1/chat/discord/interactions'

export interface Discording {
  s: Stand
  server: ContractServer
  discord: DiscordWorld
  /** Signs the calls of Discord. */
  key: KeyObject
  /** Texts that people are sent after the first answer. */
  told: string[]
}

/** `notifies`: run the jobs and deliveries, too. */
export async function discording(
  t: Teardown,
  { notifies = false, ...options }: StandOptions & { notifies?: boolean } = {}
): Promise<Discording> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const server = await httpContractServer(t)
  const discord = discordWorld()
  const told: string[] = []
  const vendor: Vendor = (asked) => {
    if (!asked.path.endsWith('/messages/@original')) return discord.vendor(asked)
    told.push(JSON.parse(asked.body).content)
    return took('words', { id: '1' })
  }
  server.play(vendor, null)
  const base_urls = { discord: server.url }
  const s = await stand(t, {
    ...options,
    ...(notifies && { jobs: true as const }),
    config: {
      discordApplicationId: APP.client_id,
      discordClientSecret: APP.client_secret,
      discordBotToken: APP.bot_token,
      discordPublicKey: Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('hex'),
      outboundBaseUrls: JSON.stringify(base_urls),
      ...options.config
    }
  })
  if (notifies) notifier(t, s, { deployment: { ...deployment, base_urls, discord: { ...APP } } })
  return { s, server, discord, key: privateKey, told }
}

/** Follows a link as a browser does. */
export const open = ({ s }: Discording, cookie: string, path: string) => s.call(null, 'GET', path, undefined, { headers: { cookie } })

let codes = 0

/**
 * Plays Discord's page: a person chooses a channel and is sent back. Returns the address where the
 * person ends.
 */
export async function allowed(
  one: Discording,
  cookie: string,
  channel: string,
  over: { state?: string; scope?: string; elsewhere?: true } = {}
): Promise<string> {
  const begun = await open(one, cookie, START)
  if (begun.statusCode !== 302) throw new Error(`${begun.statusCode} ${begun.body}`)
  const { searchParams } = new URL(String(begun.headers.location))
  const { state = searchParams.get('state') ?? '', ...more } = over
  const code = `code-${++codes}`
  one.discord.codes.set(code, { channel, installer: '4242', redirect_uri: searchParams.get('redirect_uri') ?? '', ...more })
  const answer = await open(one, cookie, `${CALLBACK}?${new URLSearchParams({ code, state, guild_id: '1', permissions: '0' })}`)
  if (answer.statusCode !== 302) throw new Error(`${answer.statusCode} ${answer.body}`)
  return String(answer.headers.location).slice(ORIGIN.length)
}

/** Returns the channel that an install creates. */
export async function installed(one: Discording, cookie: string, channel: string): Promise<string> {
  const at = await allowed(one, cookie, channel)
  const [, id] = /^\/settings\/channels\/([0-9a-f-]{36})$/.exec(at) ?? []
  if (id === undefined) throw new Error(`the install ended at ${at}`)
  return id
}

/** Sends a signed call of Discord. */
export function discordCalls({ s, key }: Discording, body: string) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return s.app.inject({
    method: 'POST',
    url: DOOR,
    headers: {
      'content-type': 'application/json',
      'x-signature-timestamp': timestamp,
      'x-signature-ed25519': sign(null, Buffer.from(timestamp + body), key).toString('hex')
    },
    payload: body
  })
}

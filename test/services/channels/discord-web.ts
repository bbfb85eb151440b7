/**
 * A fake of Discord's API: servers with channels and messages, and one application with its bot. It
 * accepts what Discord accepts and refuses what Discord refuses. Codes, limits and rights follow
 * docs/design/outbound-channels.md#s3-2.
 */
import { type Answer, type Asked, isText, jsonIn, refused, took, type Vendor } from './contract.ts'

export const APP = {
  client_id: '900000000000000001',
  client_secret: 'client-secret-of-discord',
  bot_token: `MTAxMDEwMTAxMDEwMTAxMDEw.GaBcDe.${'z'.repeat(38)}`
}
const SCOPES = 'applications.commands bot identify webhook.incoming'

export interface DiscordMessage {
  id: string
  channel: string
  content: string
  embeds: Embed[]
  components: Row[]
  nonce: string | null
  /** The message to which it replies. */
  answers: string | null
  edits: number
}

export interface DiscordChannel {
  id: string
  name: string
  guild: string
  /** What the bot may do there. */
  seen: boolean
  written: boolean
  webhooks: Set<string>
}

export interface Embed {
  title?: unknown
  description?: unknown
  url?: unknown
  color?: unknown
  timestamp?: unknown
  fields?: { name?: unknown; value?: unknown }[]
}

interface Button {
  type?: unknown
  style?: unknown
  label?: unknown
  custom_id?: unknown
  url?: unknown
}

interface Row {
  type?: unknown
  components?: Button[]
}

interface Code {
  channel: string
  installer: string
  redirect_uri: string
  scope?: string
  /** If set, the webhook is created in a channel of another server. */
  elsewhere?: true
}

export interface DiscordWorld {
  vendor: Vendor
  guilds: { id: string; name: string; joined: boolean }[]
  channels: DiscordChannel[]
  messages: DiscordMessage[]
  /** Codes that the install page gave out, each with the channel that was chosen there. */
  codes: Map<string, Code>
  /**
   * The next answers to a method and path, instead of the usual ones: `POST /channels/…/messages`.
   */
  errors: Map<string, { status: number; body: unknown; headers?: Record<string, string> }[]>
  guild(name: string): string
  channel(guild: string, name: string, over?: Partial<DiscordChannel>): DiscordChannel
}

const MAX_EMBEDS = 6000
const sizeOf = (text: unknown): number => (typeof text === 'string' ? [...text].length : 0)
export const discordFault = (code: number, message: string) => ({ code, message })
const no = (status: number, code: number, why: string): Answer => refused(status, why, discordFault(code, why))
const invalid = (why: string): Answer => refused(400, why, discordFault(50035, 'Invalid Form Body'))

/** Discord refuses a host name without a dot. */
const isLink = (url: unknown, most: number): boolean =>
  isText(url, most) && /^https?:/.test(url) && URL.canParse(url) && new URL(url).hostname.includes('.')

export function isEmbed({ title, description, url, color, timestamp, fields = [] }: Embed): boolean {
  const texts = isText(title, 256) && (description === undefined || isText(description, 4096))
  const isDated = timestamp === undefined || !Number.isNaN(Date.parse(String(timestamp)))
  const marks = (url === undefined || isLink(url, 2048)) && (color === undefined || Number.isInteger(color)) && isDated
  const named = fields.length <= 25 && fields.every(({ name, value }) => isText(name, 256) && isText(value, 1024))
  const all = fields.reduce((sum, { name, value }) => sum + sizeOf(name) + sizeOf(value), sizeOf(title) + sizeOf(description))
  return texts && marks && named && all <= MAX_EMBEDS
}

function isButton({ type, style, label, custom_id, url }: Button): boolean {
  if (type !== 2 || !isText(label, 80)) return false
  if (style === 5) return custom_id === undefined && isLink(url, 512)
  return [1, 2, 3, 4].includes(Number(style)) && url === undefined && isText(custom_id, 100)
}

function areRows(rows: unknown): rows is Row[] {
  if (!Array.isArray(rows) || rows.length > 5) return false
  const buttons = (rows as Row[]).flatMap(({ components }) => (Array.isArray(components) ? components : []))
  const ids = buttons.flatMap(({ custom_id }) => (custom_id === undefined ? [] : [custom_id]))
  const isFull = (rows as Row[]).every(
    ({ type, components }) => type === 1 && Array.isArray(components) && components.length > 0 && components.length <= 5
  )
  return isFull && buttons.every(isButton) && new Set(ids).size === ids.length
}

/** Returns the refusal of a message; null if it has no fault. */
export function messageFault(asked: Asked): Answer | null {
  const body = jsonIn(asked)
  if (body === null) return refused(400, 'no JSON', discordFault(50109, 'The request body contains invalid JSON.'))
  const { content, embeds = [], username, components = [], nonce } = body
  if (!Array.isArray(embeds) || embeds.length > 10 || !embeds.every(isEmbed)) return invalid('bad embeds')
  if (!areRows(components)) return invalid('bad components')
  const isEmpty = content === undefined || content === '' || content === null
  if (isEmpty ? embeds.length === 0 : !isText(content, 2000)) return invalid('empty or too long')
  if (nonce !== undefined && !isText(nonce, 25)) return invalid('a nonce that is too long')
  const isTaken = username !== undefined && (!isText(username, 80) || /discord|clyde/i.test(String(username)))
  return isTaken ? invalid('a name that is taken') : null
}

/**
 * Tells whether a message notifies the people that its text mentions. Discord accepts such a
 * message.
 */
export function callsPeople(asked: Asked): boolean {
  const mentions = jsonIn(asked)?.allowed_mentions as { parse?: unknown } | undefined
  return !Array.isArray(mentions?.parse) || mentions.parse.length > 0
}

const saidOf = (asked: Asked, did: string): string => (callsPeople(asked) ? `${did} that may call people` : did)

export function discordWorld(): DiscordWorld {
  let nth = 0
  const newId = (): string => String(100_000_000_000_000_000n + BigInt(++nth))
  const { guilds, channels, messages, codes, errors }: Omit<DiscordWorld, 'vendor' | 'guild' | 'channel'> = {
    guilds: [],
    channels: [],
    messages: [],
    codes: new Map(),
    errors: new Map()
  }
  /** Credentials of people that were given out, each with its owner. */
  const people = new Map<string, string>()

  /** Returns the channel; a refusal if the bot has no access. */
  function placed(id: string): DiscordChannel | Answer {
    const channel = channels.find((one) => one.id === id)
    if (!channel) return no(404, 10003, 'Unknown Channel')
    const isIn = guilds.some((one) => one.id === channel.guild && one.joined)
    return isIn && channel.seen ? channel : no(403, 50001, 'Missing Access')
  }

  function posted(asked: Asked, { id: channel, written }: DiscordChannel): Answer {
    if (!written) return no(403, 50013, 'Missing Permissions')
    const fault = messageFault(asked)
    if (fault) return fault
    const { content = '', embeds = [], components = [], nonce = null, enforce_nonce, message_reference } = jsonIn(asked) ?? {}
    const before = enforce_nonce === true ? messages.find((one) => one.nonce === nonce && one.channel === channel) : undefined
    if (before) return took('the same message', { id: before.id, channel_id: channel })
    const { message_id = null, fail_if_not_exists = true } = (message_reference ?? {}) as {
      message_id?: unknown
      fail_if_not_exists?: unknown
    }
    const isThere = messages.some((one) => one.id === message_id && one.channel === channel)
    if (message_id !== null && !isThere && fail_if_not_exists !== false) return invalid('an answer to no message')
    const made: DiscordMessage = {
      ...{ id: newId(), channel, content: String(content), edits: 0 },
      ...{ embeds: embeds as Embed[], components: components as Row[], nonce: nonce as string | null },
      answers: isThere ? String(message_id) : null
    }
    messages.push(made)
    return took(saidOf(asked, made.answers === null ? 'message' : 'answer'), { id: made.id, channel_id: channel, type: 0 })
  }

  function edited(asked: Asked, { id: channel }: DiscordChannel, message_id: string): Answer {
    const message = messages.find((one) => one.id === message_id && one.channel === channel)
    if (!message) return no(404, 10008, 'Unknown Message')
    const { content, embeds, components } = jsonIn(asked) ?? {}
    const after = { content: content ?? message.content, embeds: embeds ?? message.embeds, components: components ?? message.components }
    const fault = messageFault({ ...asked, body: JSON.stringify(after) })
    if (fault) return fault
    Object.assign(message, after, { edits: message.edits + 1 })
    return took(saidOf(asked, 'edit'), { id: message.id, channel_id: channel })
  }

  function exchanged(asked: Asked): Answer {
    const wrong = (error: string, status = 400): Answer => refused(status, error, { error })
    if (!asked.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return wrong('invalid_request')
    const form = Object.fromEntries(new URLSearchParams(asked.body))
    if (form.client_id !== APP.client_id || form.client_secret !== APP.client_secret) return wrong('invalid_client', 401)
    if (form.grant_type !== 'authorization_code') return wrong('unsupported_grant_type')
    const chosen = codes.get(form.code ?? '')
    if (!chosen || chosen.redirect_uri !== form.redirect_uri) return wrong('invalid_grant')
    codes.delete(form.code ?? '')
    const channel = channels.find((one) => one.id === chosen.channel)
    const guild = guilds.find((one) => one.id === channel?.guild)
    if (guild) guild.joined = true
    const access_token = `person-${++nth}`
    people.set(access_token, chosen.installer)
    const hook = { id: newId(), token: `hook-secret-${'h'.repeat(48)}` }
    channel?.webhooks.add(`${hook.id}/${hook.token}`)
    return took('install', {
      ...{ access_token, token_type: 'Bearer', expires_in: 604_800, refresh_token: 'refresh', scope: chosen.scope ?? SCOPES },
      ...(guild && { guild: { id: guild.id, name: guild.name } }),
      ...(channel && {
        webhook: {
          ...{ ...hook, type: 1, name: 'Alerts', application_id: APP.client_id, channel_id: channel.id },
          guild_id: chosen.elsewhere ? newId() : channel.guild
        }
      })
    })
  }

  function asBot(asked: Asked, path: string): Answer {
    if (asked.headers.authorization !== `Bot ${APP.bot_token}`)
      return refused(401, 'another token', { code: 0, message: '401: Unauthorized' })
    const [, left] = /^\/users\/@me\/guilds\/(\d+)$/.exec(path) ?? []
    if (left !== undefined && asked.method === 'DELETE') {
      const guild = guilds.find((one) => one.id === left && one.joined)
      if (!guild) return no(404, 10004, 'Unknown Guild')
      guild.joined = false
      return took('leave', '', 204)
    }
    if (path === `/applications/${APP.client_id}/commands` && asked.method === 'PUT') return took('commands', [])
    const [, id = '', , message_id] = /^\/channels\/(\d+)(\/messages(?:\/(\d+))?)?$/.exec(path) ?? []
    const channel = id === '' ? no(404, 0, '404: Not Found') : placed(id)
    if ('did' in channel) return channel
    if (path === `/channels/${id}` && asked.method === 'GET')
      return took('look', { id, type: 0, name: channel.name, guild_id: channel.guild })
    if (message_id === undefined && asked.method === 'POST') return posted(asked, channel)
    if (message_id !== undefined && asked.method === 'PATCH') return edited(asked, channel, message_id)
    return refused(405, 'another method', discordFault(0, '405: Method Not Allowed'))
  }

  return {
    ...{ guilds, channels, messages, codes, errors },
    guild(name) {
      const id = newId()
      guilds.push({ id, name, joined: false })
      return id
    },
    channel(guild, name, over = {}) {
      const channel = { id: newId(), name, guild, seen: true, written: true, webhooks: new Set<string>(), ...over }
      channels.push(channel)
      return channel
    },
    vendor(asked) {
      const { pathname } = new URL(asked.path, 'http://contract')
      if (!asked.headers['user-agent']) return no(403, 40333, 'internal network error')
      const path = pathname.replace(/^\/api\/v10/, '')
      if (path === pathname) return refused(404, 'no such path', discordFault(0, '404: Not Found'))
      const wrong = errors.get(`${asked.method} ${path.replaceAll(/\d{5,}/g, '…')}`)?.shift()
      if (wrong) return refused(wrong.status, 'as asked', wrong.body, wrong.headers)
      if (path === '/oauth2/token') return exchanged(asked)
      if (path === '/users/@me') {
        const installer = people.get(/^Bearer (\S+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? '')
        return installer
          ? took('who', { id: installer, username: 'jo' })
          : refused(401, 'no person', { code: 0, message: '401: Unauthorized' })
      }
      const [, hook] = /^\/webhooks\/(\d+\/[\w-]+)$/.exec(path) ?? []
      if (hook !== undefined) {
        const channel = channels.find(({ webhooks }) => webhooks.delete(hook))
        return channel && asked.method === 'DELETE' ? took('no webhook', '', 204) : no(404, 10015, 'Unknown Webhook')
      }
      return asBot(asked, path)
    }
  }
}

/**
 * A fake of Slack's Web API: a workspace with rooms and messages. It accepts what Slack accepts and
 * refuses what Slack refuses. It reads JSON and forms, as Slack's own client sends them. Limits,
 * scopes and the texts of refusals follow docs/design/outbound-channels.md#s3-1.
 */
import { type Answer, type Asked, isText, refused, took, type Vendor } from './contract.ts'

export const APP = { client_id: '1234.5678', client_secret: 'client-secret-of-slack' }
const BOT_SCOPES = 'chat:write,chat:write.public,commands,channels:manage,groups:write,incoming-webhook'

export interface SlackMessage {
  channel: string
  ts: string
  text: string
  blocks: Block[]
  thread_ts: string | null
  broadcast: boolean
  edits: number
}

export interface SlackRoom {
  id: string
  name: string
  private: boolean
  members: string[]
  topic: string
  archived: boolean
}

interface Block {
  type?: unknown
  block_id?: unknown
  text?: { type?: unknown; text?: unknown }
  fields?: unknown
  elements?: unknown
}

export interface SlackWorkspace {
  vendor: Vendor
  team: { id: string; name: string }
  rooms: SlackRoom[]
  messages: SlackMessage[]
  /** Codes that the install page gave out, each with the room that was chosen there. */
  codes: Map<string, { room: string; installer: string; redirect_uri: string; scope?: string; enterprise?: true }>
  /** Valid credentials. */
  tokens: Map<string, { scope: string }>
  people: Set<string>
  /** The next answers of a method, instead of the usual ones. */
  errors: Map<string, string[]>
  /** Adds a room, as if people created it. */
  room(name: string, over?: Partial<SlackRoom>): SlackRoom
  /** Installs without a page; returns the credential. */
  install(scope?: string): string
}

type Body = Record<string, unknown>
type Method = (body: Body, token: string) => Answer

const no = (error: string, more: object = {}): Answer => refused(200, error, { ok: false, error, ...more })

/** The client writes values that are not texts as JSON. */
function fieldOf(text: string): unknown {
  if (!/^(?:[[{].*[\]}]|true|false)$/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}

function bodyOf({ headers, body }: Asked): Body | null {
  const type = headers['content-type'] ?? ''
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const form: Body = {}
    for (const [name, value] of new URLSearchParams(body)) form[name] = fieldOf(value)
    return form
  }
  if (!/^application\/json/.test(type)) return null
  const value: unknown = JSON.parse(body)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

const isPlain = (value: unknown, most: number): boolean => {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown }
  return type === 'plain_text' && isText(text, most)
}
const isMarkdown = (value: unknown, most: number): boolean => {
  const { type, text } = (value ?? {}) as { type?: unknown; text?: unknown }
  return type === 'mrkdwn' && isText(text, most)
}

function isButton(value: unknown): boolean {
  const { type, action_id, text, value: carried, url, style } = (value ?? {}) as Record<string, unknown>
  return (
    type === 'button' &&
    isText(action_id, 255) &&
    isPlain(text, 75) &&
    (carried === undefined || isText(carried, 2000)) &&
    (url === undefined || (isText(url, 3000) && /^https?:/.test(String(url)))) &&
    (style === undefined || style === 'primary' || style === 'danger')
  )
}

const listOf = (value: unknown, most: number): unknown[] => (Array.isArray(value) && value.length >= 1 && value.length <= most ? value : [])

function isBlock(block: Block): boolean {
  if (block.block_id !== undefined && !isText(block.block_id, 255)) return false
  switch (block.type) {
    case 'header':
      return isPlain(block.text, 150)
    case 'section':
      if (block.text !== undefined && !isMarkdown(block.text, 3000)) return false
      return block.fields === undefined
        ? block.text !== undefined
        : listOf(block.fields, 10).some(Boolean) && listOf(block.fields, 10).every((one) => isMarkdown(one, 2000))
    case 'context':
      return listOf(block.elements, 10).length > 0 && listOf(block.elements, 10).every((one) => isMarkdown(one, 3000))
    case 'actions': {
      const ids = listOf(block.elements, 25).map((one) => (one as Body).action_id)
      return ids.length > 0 && listOf(block.elements, 25).every(isButton) && new Set(ids).size === ids.length
    }
    default:
      return false
  }
}

/** Returns the blocks as they are stored, or the error code if Slack refuses them. */
function blocksIn(value: unknown): Block[] | 'invalid_blocks' | 'msg_blocks_too_long' {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > 50 || !value.every(isBlock)) return 'invalid_blocks'
  return JSON.stringify(value).length > 13_000 ? 'msg_blocks_too_long' : value
}

export function slackWorkspace(id = 'T0001', name = 'Acme Chat'): SlackWorkspace {
  let nth = 0
  const newId = (letter: string): string => `${letter}${String(++nth).padStart(8, '0')}`
  const newTs = (): string => `1767225600.${String(++nth).padStart(6, '0')}`
  const { rooms, messages, codes, tokens, people, errors }: Omit<SlackWorkspace, 'vendor' | 'team' | 'room' | 'install'> = {
    rooms: [],
    messages: [],
    codes: new Map(),
    tokens: new Map(),
    people: new Set(['U0INSTALL']),
    errors: new Map()
  }
  const roomOf = (wanted: unknown): SlackRoom | undefined => rooms.find((room) => room.id === wanted)

  /** Returns where a message may go, or the error code if it may not. A person counts as a room. */
  function place(wanted: unknown, scope: string): string | { error: string } {
    if (typeof wanted === 'string' && people.has(wanted.replace(/^D/, 'U'))) return wanted.replace(/^U/, 'D')
    const room = roomOf(wanted)
    const isIn = room?.members.includes('UBOT') ?? false
    if (!room || (room.private && !isIn)) return { error: 'channel_not_found' }
    if (room.archived) return { error: 'is_archived' }
    return isIn || scope.split(',').includes('chat:write.public') ? room.id : { error: 'not_in_channel' }
  }

  const methods: Record<string, { scope: string | null; act: Method }> = {
    'chat.postMessage': {
      scope: 'chat:write',
      act(body, token) {
        const channel = place(body.channel, tokens.get(token)?.scope ?? '')
        if (typeof channel !== 'string') return no(channel.error)
        const blocks = blocksIn(body.blocks)
        if (typeof blocks === 'string') return no(blocks)
        const { text = '', thread_ts = null, reply_broadcast = false } = body
        if (!isText(text, 40_000) && blocks.length === 0) return no('no_text')
        if (thread_ts !== null && !messages.some((one) => one.ts === thread_ts && one.channel === channel)) return no('thread_not_found')
        const made = {
          channel,
          ts: newTs(),
          text: String(text),
          blocks,
          thread_ts: thread_ts as string | null,
          broadcast: reply_broadcast === true,
          edits: 0
        }
        messages.push(made)
        return took(thread_ts === null ? 'message' : 'reply', { ok: true, channel, ts: made.ts, message: { text, ts: made.ts } })
      }
    },
    'chat.update': {
      scope: 'chat:write',
      act(body) {
        const message = messages.find((one) => one.ts === body.ts && one.channel === body.channel)
        if (!message) return no('message_not_found')
        const blocks = blocksIn(body.blocks)
        if (typeof blocks === 'string') return no(blocks)
        if (!isText(body.text, 40_000)) return no('no_text')
        message.text = String(body.text)
        // Without blocks the old ones stay.
        if (body.blocks !== undefined) message.blocks = blocks
        message.edits += 1
        return took('edit', { ok: true, channel: message.channel, ts: message.ts, text: message.text })
      }
    },
    'conversations.create': {
      scope: 'channels:manage',
      act(body) {
        const { name: wanted, is_private = false } = body
        if (!isText(wanted, 1000)) return no('invalid_name_required')
        if (String(wanted).length > 80) return no('invalid_name_maxlength')
        if (!/^[a-z0-9_-]+$/.test(String(wanted))) return no('invalid_name_specials')
        if (rooms.some((room) => room.name === wanted)) return no('name_taken')
        const room = { id: newId('C'), name: String(wanted), private: is_private === true, members: ['UBOT'], topic: '', archived: false }
        rooms.push(room)
        return took(room.private ? 'private room' : 'room', {
          ok: true,
          channel: { id: room.id, name: room.name, is_private: room.private }
        })
      }
    },
    'conversations.invite': {
      scope: 'channels:manage',
      act(body) {
        const room = roomOf(body.channel)
        if (!room) return no('channel_not_found')
        const wanted = String(body.users ?? '').split(',')
        if (wanted.some((one) => !people.has(one))) return no('user_not_found')
        if (wanted.every((one) => room.members.includes(one))) return no('already_in_channel')
        room.members.push(...wanted.filter((one) => !room.members.includes(one)))
        return took('invite', { ok: true, channel: { id: room.id } })
      }
    },
    'conversations.setTopic': {
      scope: 'channels:manage',
      act(body) {
        const room = roomOf(body.channel)
        if (!room) return no('channel_not_found')
        if (typeof body.topic !== 'string' || body.topic.length > 250) return no('too_long')
        room.topic = body.topic
        return took('topic', { ok: true, channel: { id: room.id } })
      }
    },
    'conversations.rename': {
      scope: 'channels:manage',
      act(body) {
        const room = roomOf(body.channel)
        if (!room) return no('channel_not_found')
        if (!room.members.includes('UBOT')) return no('not_in_channel')
        if (!/^[a-z0-9_-]{1,80}$/.test(String(body.name))) return no('invalid_name_specials')
        if (rooms.some((other) => other !== room && other.name === body.name)) return no('name_taken')
        room.name = String(body.name)
        return took('rename', { ok: true, channel: { id: room.id, name: room.name } })
      }
    },
    'auth.test': { scope: null, act: () => took('look', { ok: true, team: name, team_id: id, user_id: 'UBOT' }) },
    'apps.uninstall': {
      scope: null,
      act(body) {
        if (body.client_id !== APP.client_id) return no('client_id_token_mismatch')
        if (body.client_secret !== APP.client_secret) return no('bad_client_secret')
        tokens.clear()
        return took('uninstall', { ok: true })
      }
    }
  }

  function exchange(body: Body): Answer {
    if (body.client_id !== APP.client_id) return no('invalid_client_id')
    if (body.client_secret !== APP.client_secret) return no('bad_client_secret')
    const chosen = codes.get(String(body.code))
    if (!chosen) return no('invalid_code')
    codes.delete(String(body.code))
    if (body.redirect_uri !== chosen.redirect_uri) return no('bad_redirect_uri')
    const scope = chosen.scope ?? BOT_SCOPES
    const access_token = workspace.install(scope)
    const room = roomOf(chosen.room)
    return took('install', {
      ok: true,
      access_token,
      token_type: 'bot',
      scope,
      bot_user_id: 'UBOT',
      app_id: 'A0001',
      team: chosen.enterprise ? null : { id, name },
      enterprise: chosen.enterprise ? { id: 'E0001', name: 'Acme Org' } : null,
      is_enterprise_install: chosen.enterprise === true,
      authed_user: { id: chosen.installer },
      ...(room && {
        incoming_webhook: {
          channel: `#${room.name}`,
          channel_id: room.id,
          configuration_url: 'https://acme.slack.com/x',
          url: 'https://hooks.slack.com/services/T0001/B9/secretOfHook'
        }
      })
    })
  }

  const workspace: SlackWorkspace = {
    team: { id, name },
    ...{ rooms, messages, codes, tokens, people, errors },
    room(wanted, over = {}) {
      const room = { id: newId('C'), name: wanted, private: false, members: [], topic: '', archived: false, ...over }
      rooms.push(room)
      return room
    },
    install(scope = BOT_SCOPES) {
      tokens.clear()
      const token = `xoxb-${id}-${String(++nth).padStart(6, '0')}`
      tokens.set(token, { scope })
      return token
    },
    vendor(asked) {
      const [, called = ''] = /^\/api\/([\w.]+)$/.exec(asked.path) ?? []
      if (asked.method !== 'POST') return refused(405, 'only POST')
      const body = bodyOf(asked)
      if (body === null) return no('invalid_post_type')
      const error = errors.get(called)?.shift()
      if (error === 'ratelimited') return refused(429, 'rate limit', { ok: false, error }, { 'retry-after': '30' })
      if (error !== undefined) return no(error)
      if (called === 'oauth.v2.access') return exchange(body)
      const method = methods[called]
      if (!method) return no('unknown_method')
      const token = /^Bearer (xoxb-\S+)$/.exec(asked.headers.authorization ?? '')?.[1] ?? String(body.token ?? '')
      if (token === '') return no('not_authed')
      const held = tokens.get(token)
      if (!held) return no('invalid_auth')
      const needed = called.startsWith('conversations.') && body.is_private === true ? 'groups:write' : method.scope
      if (needed !== null && !held.scope.split(',').includes(needed)) return no('missing_scope', { needed, provided: held.scope })
      return method.act(body, token)
    }
  }
  return workspace
}

/**
 * Matrix by the client-server API. The message is edited when the incident is acknowledged and when
 * it ends. The end is also sent as a new message, as a reply to the first. The delivery id is the
 * transaction id, so a retry makes no second message.
 * Source: docs/design/outbound-channels.md#s3-18.
 */
import { Type } from 'typebox'
import type { Channel, ConfigFault, HttpRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from '../channel.ts'
import { addressFault, base, closed, field, secretField } from '../config.ts'
import { deadChannel, jsonRequest, judge, later, lost, objectIn, retryAfterMs, succeeded, textIn } from '../judging.ts'
import { escapedWithin, escapeHtml, truncate } from '../text.ts'
import { bodyOf, factsOf, linkOf, tellsFailure, titleOf } from '../words.ts'

type Config = { homeserver_url: string; access_token: string; room_id: string }

/** Limits in bytes. An event that replaces another holds both texts twice, and may have 64 KiB. */
const MAX_TITLE = 600
const MAX_BODY = 6000
const MAX_VALUE = 300
const MAX_FACTS = 8
/** What a server says about itself may change, so the reply is reused only this long. */
const KNOWN_FOR_MS = 600_000

const ROOM = /^![^\s]{1,254}$/
const ALIAS = /^#[^\s:]{1,200}:[^\s]{1,200}$/

type Steps<R> = Generator<SendRequest, R, SendReply>
type Found<T> = { found: T } | { outcome: SendOutcome }

/** `example.org` stands for https://example.org. */
const whole = (address: string): string => base(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`)

const html = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>')

function texts(message: Message, now: number) {
  const title = titleOf(message)
  const facts = factsOf(message)
    .slice(0, MAX_FACTS)
    .map(([name, value]) => `${name}: ${truncate(value, MAX_VALUE, 'bytes')}`)
    .join(' · ')
  const url = linkOf(message)
  const lines = [truncate(title, MAX_TITLE, 'bytes'), truncate(bodyOf(message, now), MAX_BODY, 'bytes'), facts, url ?? '']
  const marked = [
    `<b>${escapedWithin(title, MAX_TITLE, html, 'bytes')}</b>`,
    escapedWithin(bodyOf(message, now), MAX_BODY, html, 'bytes'),
    html(facts),
    url === null ? '' : `<a href="${escapeHtml(url)}">Open incident</a>`
  ]
  const isThere = (line: string): boolean => line !== ''
  return {
    // A notice makes no sound.
    msgtype: message.event === 'test' ? 'm.notice' : 'm.text',
    body: lines.filter(isThere).join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: marked.filter(isThere).join('<br>'),
    // No mention in a text of the service notifies anybody.
    'm.mentions': {}
  }
}

/** The content of an edit, which replaces an earlier message. */
const replacing = (content: ReturnType<typeof texts>, event_id: string) => ({
  ...content,
  body: `* ${content.body}`,
  formatted_body: `* ${content.formatted_body}`,
  'm.new_content': content,
  'm.relates_to': { rel_type: 'm.replace', event_id }
})

const errorOf = (reply: SendReply): string => textIn(objectIn(reply), 'errcode') ?? ''

function judged(reply: SendReply, context: SendContext): SendOutcome {
  switch (errorOf(reply)) {
    case 'M_UNKNOWN_TOKEN':
    case 'M_MISSING_TOKEN':
    case 'M_USER_DEACTIVATED':
      return deadChannel(reply, 'The server knows no such access token. Log the bot in again, and put its token here.')
    case 'M_FORBIDDEN':
      return deadChannel(reply, 'The bot may not write to this room. Invite it, and let it write.')
    case 'M_NOT_FOUND':
      return deadChannel(reply, 'The server knows no such room.')
    case 'M_UNRECOGNIZED':
      return deadChannel(reply, 'No Matrix server answers at this address.')
    case 'M_LIMIT_EXCEEDED': {
      const told = Number(objectIn(reply)?.retry_after_ms)
      return later(reply, context.now, retryAfterMs(reply, context.now) ?? (told > 0 ? told : null))
    }
    case 'M_RESOURCE_LIMIT_EXCEEDED':
      return later(reply, context.now)
    case 'M_TOO_LARGE':
      return lost(reply, 'The server refused this message as too large.')
    default:
      return judge(reply, context)
  }
}

/** Finds the address of the homeserver and the first part of its paths. */
function* homeserver(address: string, context: SendContext): Steps<Found<string>> {
  const ask = (path: string): HttpRequest => {
    const url = `${address}${path}`
    const asked = jsonRequest(url, null, context, { method: 'GET', guarded: true })
    return { ...asked, body: null, reuse: { key: `matrix:${url}`, for_ms: KNOWN_FOR_MS } }
  }
  const reply = yield ask('/_matrix/client/versions')
  const versions = succeeded(reply) ? objectIn(reply)?.versions : null
  if (Array.isArray(versions))
    return { found: `${address}/_matrix/client/${versions.some((one) => /^v[1-9]/.test(String(one))) ? 'v3' : 'r0'}` }
  if (reply.status === 429 || reply.status >= 500) return { outcome: judged(reply, context) }
  const told = yield ask('/.well-known/matrix/client')
  const server = objectIn({ ...told, body: JSON.stringify(objectIn(told)?.['m.homeserver'] ?? null) })
  const delegated = succeeded(told) ? textIn(server, 'base_url') : null
  if (delegated === null || addressFault('homeserver_url', delegated) !== null)
    return { outcome: deadChannel(reply, 'No Matrix server answers at this address.') }
  return { found: `${base(delegated)}/_matrix/client/v3` }
}

type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body: object | null) => HttpRequest

/** Resolves a room alias to a room id. */
function* roomOf(ask: Ask, wanted: string, root: string, context: SendContext): Steps<Found<string>> {
  if (!wanted.startsWith('#')) return { found: wanted }
  const asked = ask('GET', `/directory/room/${encodeURIComponent(wanted)}`, null)
  const reply = yield { ...asked, reuse: { key: `matrix:${root}:${wanted}`, for_ms: KNOWN_FOR_MS } }
  const room_id = succeeded(reply) ? textIn(objectIn(reply), 'room_id') : null
  return room_id === null ? { outcome: judged(reply, context) } : { found: room_id }
}

/**
 * Whether the settings still lead to the room of the first message. When another room has been
 * chosen since, the message goes there. `wanted`: the id or name that was set at that time.
 */
const isStillRoom = (room_id: string, ref: RemoteRef | null): boolean =>
  ref?.room_id !== undefined && (room_id === ref.room_id || (room_id.startsWith('#') && room_id === (ref.wanted ?? room_id)))

/** Sends the message. When the user is not in the room it joins, which an invitation allows. */
function* send(ask: Ask, room: string, transaction: string, content: object): Steps<SendReply> {
  const put = ask('PUT', `/rooms/${encodeURIComponent(room)}/send/m.room.message/${transaction}`, content)
  const reply = yield put
  if (reply.status !== 403 || errorOf(reply) !== 'M_FORBIDDEN') return reply
  const joined = yield ask('POST', `/join/${encodeURIComponent(room)}`, {})
  return succeeded(joined) ? yield put : joined
}

function check({ homeserver_url, access_token, room_id }: Config): ConfigFault | null {
  if (access_token !== undefined && !/^[!-~]+$/.test(access_token))
    return { path: 'access_token', rule: 'format', message: 'may not hold spaces' }
  if (homeserver_url !== undefined) {
    const fault = addressFault('homeserver_url', whole(homeserver_url))
    if (fault) return fault
    const { pathname, search } = new URL(whole(homeserver_url))
    if (pathname.includes('/_matrix') || search !== '')
      return { path: 'homeserver_url', rule: 'format', message: 'must end before /_matrix, as in https://matrix.example.org' }
  }
  if (room_id === undefined || ROOM.test(room_id) || ALIAS.test(room_id)) return null
  return { path: 'room_id', rule: 'format', message: 'must begin with !, or be the name of a room as #room:example.org' }
}

export const channel: Channel<Config> = {
  kind: 'matrix',
  name: 'Matrix',
  hint: 'A homeserver, the access token of a bot, and a room that it is in or invited to. Messages are not encrypted.',
  family: 'chat',
  config: Type.Object(
    {
      homeserver_url: field({ title: 'Homeserver URL', description: 'As https://matrix.example.org.' }),
      access_token: secretField({ title: 'Access token', description: "The bot's. Anyone who has it is the bot." }),
      room_id: field({ title: 'Room ID', description: 'Begins with !. A name as #room:example.org is looked up.', maxLength: 255 })
    },
    closed
  ),
  fields: [{ name: 'homeserver_url', origin: true }, { name: 'access_token', secret: true }, { name: 'room_id' }],
  events: ['down', 'up', 'ssl_expiry', 'acknowledged'],
  unsent: 'combine',
  max_ambiguous: null,
  verified: false,
  check,
  normalise: (config) => (config.homeserver_url === undefined ? config : { ...config, homeserver_url: whole(config.homeserver_url) }),
  target: ({ homeserver_url, room_id }) =>
    `${room_id.slice(0, 60)} at ${URL.canParse(homeserver_url) ? new URL(homeserver_url).host : '?'}`,
  *steps(message, { homeserver_url, access_token, room_id }, ref, context) {
    const { event, delivery_id } = message
    const server = yield* homeserver(homeserver_url, context)
    if ('outcome' in server) return server.outcome
    const ask: Ask = (method, path, body) => {
      const headers = { authorization: `Bearer ${access_token}` }
      const asked = jsonRequest(`${server.found}${path}`, body, context, { method, headers, secrets: [access_token], guarded: true })
      return body === null ? { ...asked, body: null } : asked
    }
    const known = isStillRoom(room_id, ref) ? ref : null
    const room = known?.room_id === undefined ? yield* roomOf(ask, room_id, server.found, context) : { found: known.room_id }
    if ('outcome' in room) return room.outcome
    const content = texts(message, context.now)
    let first = known?.event_id
    if (first !== undefined && (tellsFailure(event) || event === 'acknowledged' || event === 'up')) {
      const edited = yield* send(ask, room.found, `${delivery_id}-edit`, replacing(content, first))
      if (!succeeded(edited) && edited.status !== 400) return judged(edited, context)
      if (event === 'acknowledged' && succeeded(edited)) return { outcome: 'delivered' }
      // An edit notifies nobody, so what gets worse and what has ended is also sent as a new
      // message. The same is done when the first message cannot be edited any more.
      if (!succeeded(edited)) first = undefined
    }
    const told = first === undefined ? content : { ...content, 'm.relates_to': { 'm.in_reply_to': { event_id: first } } }
    const reply = yield* send(ask, room.found, delivery_id, told)
    const event_id = succeeded(reply) ? textIn(objectIn(reply), 'event_id') : null
    if (event_id === null) return judged(reply, context)
    return {
      outcome: 'delivered',
      provider_message_id: event_id,
      ...(tellsFailure(event) && first === undefined && { remote_ref: { event_id, room_id: room.found, wanted: room_id } })
    }
  }
}

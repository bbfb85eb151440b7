/**
 * A Matrix homeserver with one bot in one room. Each transaction makes one event. Source:
 * docs/design/outbound-channels.md#s3-18.
 */
import {
  type Answer,
  type Asked,
  type Contract,
  jsonIn,
  RETRY_AFTER_SECONDS,
  refused,
  took,
  withHeader,
  withJson,
  withPath
} from '../contract.ts'

type Config = { homeserver_url: string; access_token: string; room_id: string }

const MAX_EVENT_BYTES = 65_536
const JOIN = /^\/_matrix\/client\/(?:v3|r0)\/join\/([^/]+)$/
const SEND = /^\/_matrix\/client\/(?:v3|r0)\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/

const error = (errcode: string, more: object = {}) => ({ errcode, error: 'As the test has it', ...more })
const refuse = (status: number, why: string, errcode: string): Answer => refused(status, why, error(errcode))

type Relation = { rel_type?: unknown; event_id?: unknown; 'm.in_reply_to'?: { event_id?: unknown } }

/** Returns the kind of a message, or the refusal if it is not valid. */
function kindOf(content: Record<string, unknown>, events: ReadonlyMap<string, string>): string | Answer {
  const { msgtype, body, format, formatted_body } = content
  if (typeof msgtype !== 'string' || typeof body !== 'string') return refuse(400, 'no message', 'M_UNKNOWN')
  if ((format === undefined) !== (formatted_body === undefined)) return refuse(400, 'half a format', 'M_BAD_JSON')
  const { rel_type, event_id, 'm.in_reply_to': answered } = (content['m.relates_to'] ?? {}) as Relation
  if (answered !== undefined) return events.has(String(answered.event_id)) ? 'answer' : refuse(400, 'an answer to nothing', 'M_UNKNOWN')
  if (rel_type === undefined) return msgtype === 'm.notice' ? 'notice' : 'message'
  // An edit must name the original message, never another edit.
  const isEdit = rel_type === 'm.replace' && typeof content['m.new_content'] === 'object' && events.get(String(event_id)) === 'message'
  return isEdit ? 'edit' : refuse(400, 'an edit of nothing', 'M_UNKNOWN')
}

export const contract: Contract<Config> = {
  config: (url) => ({ homeserver_url: url, access_token: 'syt_Ym90_first_token', room_id: '!room:example.org' }),
  rotated: (url) => ({ homeserver_url: url, access_token: 'syt_Ym90_second_token', room_id: '!room:example.org' }),
  vendor({ access_token, room_id }) {
    const events = new Map<string, string>()
    const transactions = new Map<string, string>()
    return (asked: Asked) => {
      if (asked.method === 'GET' && asked.path === '/_matrix/client/versions') return took('versions', { versions: ['v1.1', 'v1.11'] })
      const [, room, transaction] = SEND.exec(asked.path) ?? JOIN.exec(asked.path) ?? []
      const isKnown = asked.method === (transaction === undefined ? 'POST' : 'PUT')
      if (!isKnown || room === undefined) return refuse(404, 'no such path', 'M_UNRECOGNIZED')
      if (asked.headers.authorization === undefined) return refuse(401, 'no token', 'M_MISSING_TOKEN')
      if (asked.headers.authorization !== `Bearer ${access_token}`) return refuse(401, 'another token', 'M_UNKNOWN_TOKEN')
      if (decodeURIComponent(room) !== room_id) return refuse(403, 'not in the room', 'M_FORBIDDEN')
      if (transaction === undefined) return took('join', { room_id })
      if (Buffer.byteLength(asked.body) > MAX_EVENT_BYTES) return refuse(413, 'too large', 'M_TOO_LARGE')
      const content = jsonIn(asked)
      if (content === null) return refuse(400, 'no JSON', 'M_NOT_JSON')
      const known = transactions.get(transaction)
      if (known !== undefined) return took('the same again', { event_id: known })
      const kind = kindOf(content, events)
      if (typeof kind !== 'string') return kind
      const event_id = `$event${events.size}`
      events.set(event_id, kind)
      transactions.set(transaction, event_id)
      return took(kind, { event_id })
    }
  },
  faults: {
    '400': { answer: { status: 400, body: error('M_BAD_JSON') } },
    '401': { answer: { status: 401, body: error('M_UNKNOWN_TOKEN') } },
    '404': { answer: { status: 404, body: error('M_NOT_FOUND') } },
    '413': { answer: { status: 413, body: error('M_TOO_LARGE') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        body: error('M_LIMIT_EXCEEDED', { retry_after_ms: RETRY_AFTER_SECONDS * 1000 })
      },
      times: 1
    },
    '500': { answer: { status: 500, body: error('M_UNKNOWN') }, times: 1 }
  },
  wrong: {
    'another token': withHeader('authorization', 'Bearer syt_Ym90_third_token'),
    'no token': withHeader('authorization', null),
    'another room': withPath((path) => path.replace('!room', '!other')),
    'no text': withJson(({ body: _body, ...rest }) => rest),
    'an edit of nothing': withJson((content) => ({ ...content, 'm.relates_to': { rel_type: 'm.replace', event_id: '$none' } })),
    'an event that is too large': withJson((content) => ({ ...content, body: 'x'.repeat(MAX_EVENT_BYTES) }))
  },
  apprise: { target: (url) => `matrix://syt_Ym90_first_token@${new URL(url).host}/!room:example.org?version=3&e2ee=no&discovery=no` },
  checked: 'Synapse, a real homeserver: it takes and shows what we send, and refuses what the contract server refuses; Apprise',
  row: {
    create: 'nothing → saved',
    // The versions of the server are requested once in ten minutes.
    test: 'versions, notice → arrived',
    down: 'message → sent',
    update: 'answer → sent',
    acknowledge: 'edit → sent',
    recover: 'edit, answer → sent',
    rotate: 'message → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), message → sent',
    '500': '500, message → sent',
    timeout: 'no answer, message → sent',
    malformed: 'nonsense, message → sent'
  }
}

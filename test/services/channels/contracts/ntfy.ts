/**
 * A self-hosted ntfy server. Its codes and limits follow docs/design/outbound-channels.md#s3-10.
 */
import { type Answer, type Contract, jsonIn, RETRY_AFTER_SECONDS, refused, took, withHeader, withJson, withPath } from '../contract.ts'

type Config = { server_url: string; topic: string; access_token: string }

const MAX_JSON_BYTES = 32 * 1024
const MAX_MESSAGE_BYTES = 4096
const NAME = /^[-_A-Za-z0-9]{1,64}$/

const fault = (http: number, code: number, error: string) => ({ code, http, error, link: 'https://ntfy.sh/docs/publish/' })
const refuse = (http: number, code: number, error: string): Answer => refused(http, error, fault(http, code, error))

interface Action {
  action?: unknown
  label?: unknown
  url?: unknown
}

const isAction = ({ action, label, url }: Action): boolean => action === 'view' && typeof label === 'string' && URL.canParse(String(url))

function noteFault(note: Record<string, unknown>): Answer | null {
  const { title, message, priority = 3, tags = [], click, actions = [], sequence_id } = note
  if (typeof title !== 'string' || typeof message !== 'string') return refuse(400, 40024, 'request body must be valid JSON')
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) return refuse(413, 41301, 'the message would become a file')
  if (!Number.isInteger(priority) || Number(priority) < 1 || Number(priority) > 5) return refuse(400, 40007, 'invalid priority parameter')
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) return refuse(400, 40024, 'tags are texts')
  if (click !== undefined && !URL.canParse(String(click))) return refuse(400, 40024, 'click is an address')
  if (!Array.isArray(actions) || actions.length > 3 || !actions.every(isAction)) return refuse(400, 40018, 'actions invalid')
  return sequence_id === undefined || NAME.test(String(sequence_id)) ? null : refuse(400, 40049, 'sequence ID invalid')
}

export const contract: Contract<Config> = {
  config: (url) => ({ server_url: url, topic: 'operations_7f3a', access_token: 'tk_0123456789abcdefghijklmnopqrs' }),
  rotated: (url) => ({ server_url: url, topic: 'operations_7f3a', access_token: 'tk_9876543210zyxwvutsrqponmlkjih' }),
  vendor({ topic, access_token }) {
    const sequences = new Set<unknown>()
    let count = 0
    return (asked) => {
      const { authorization } = asked.headers
      if (asked.method !== 'POST' || asked.path !== '/') return refuse(404, 40401, 'page not found')
      if (authorization === undefined) return refuse(403, 40301, 'forbidden')
      if (authorization !== `Bearer ${access_token}`) return refuse(401, 40101, 'unauthorized')
      const note = jsonIn(asked)
      if (note === null) return refuse(400, 40024, 'request body must be valid JSON')
      if (Buffer.byteLength(asked.body) > MAX_JSON_BYTES) return refuse(413, 41303, 'JSON body too large')
      if (!NAME.test(String(note.topic))) return refuse(400, 40009, 'topic invalid')
      if (note.topic !== topic) return refuse(403, 40301, 'forbidden')
      const wrong = noteFault(note)
      if (wrong) return wrong
      const { sequence_id } = note
      const isKnown = sequence_id !== undefined && sequences.has(sequence_id)
      sequences.add(sequence_id)
      const answer = { id: `note${++count}`, time: 1_767_225_600, event: 'message', topic, message: note.message }
      return took(isKnown ? 'note in its place' : 'note', answer)
    }
  },
  faults: {
    '400': { answer: { status: 400, body: fault(400, 40018, 'invalid request: actions invalid') } },
    '401': { answer: { status: 401, body: fault(401, 40101, 'unauthorized') } },
    '404': { answer: { status: 404, body: fault(404, 40401, 'page not found') } },
    '413': { answer: { status: 413, body: fault(413, 41303, 'JSON body too large') } },
    '429': {
      answer: {
        status: 429,
        headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
        body: fault(429, 42901, 'limit reached: too many requests')
      },
      times: 1
    },
    '500': { answer: { status: 500, body: fault(500, 50001, 'internal server error') }, times: 1 }
  },
  wrong: {
    'without a token': withHeader('authorization', null),
    'another token': withHeader('authorization', 'Bearer tk_nobody'),
    'to the topic, where JSON is a text': withPath(() => '/operations_7f3a'),
    'another topic': withJson((note) => ({ ...note, topic: 'others' })),
    'a priority that there is not': withJson((note) => ({ ...note, priority: 6 })),
    'a message that would become a file': withJson((note) => ({ ...note, message: 'é'.repeat(2049) })),
    'an action without an address': withJson((note) => ({ ...note, actions: [{ action: 'view', label: 'Open' }] }))
  },
  apprise: { target: (url) => `ntfy://tk_0123456789abcdefghijklmnopqrs@${new URL(url).host}/operations_7f3a` },
  checked: 'Apprise: what it posts is taken by the same contract server',
  row: {
    create: 'nothing → saved',
    test: 'note → arrived',
    down: 'note → sent',
    update: 'note in its place → sent',
    acknowledge: 'note in its place → sent',
    recover: 'note in its place → sent',
    rotate: 'note → sent',
    '400': '400 → failed',
    '401': '3× 401 → failed, channel off',
    '404': '3× 404 → failed, channel off',
    '413': '413 → failed',
    '429': '429 (10 min), note → sent',
    '500': '500, note → sent',
    timeout: 'no answer, note → sent',
    malformed: 'nonsense, note → sent'
  }
}

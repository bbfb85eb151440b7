/**
 * Linear: issues by GraphQL. The service chooses the id of the issue, so a retry cannot open it
 * twice.
 * Source: docs/design/outbound-channels.md#s3-16.
 */
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import type { Channel, HttpRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, field, secretField } from '../config.ts'
import { baseUrl, deadChannel, jsonRequest, judge, later, lost, objectIn, recordIn, succeeded, textIn, unsure, why } from '../judging.ts'
import { escapedWithin, escapeMarkdown, truncate } from '../text.ts'
import { type Desk, MAX_TICKET_TEXT, type Steps, ticketLines, ticketSteps } from '../ticketing.ts'
import { severityOf, titleOf } from '../words.ts'

type Config = { api_key: string; team_uuid: string }

const MAX_TITLE = 250
/** The types of states in which nobody looks at an issue any more. */
const DONE = new Set(['completed', 'canceled', 'duplicate'])
const PRIORITIES = { critical: 1, warning: 3, info: 4 } as const

/** Exported for the test that checks them against the vendor's schema. */
export const documents = {
  create: 'mutation Open($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }',
  read: 'query Read($id: String!) { issue(id: $id) { id identifier state { type } team { states { nodes { id type position } } } } }',
  note: 'mutation Note($input: CommentCreateInput!) { commentCreate(input: $input) { success } }',
  move: 'mutation Move($id: String!, $input: IssueUpdateInput!) { issueUpdate(id: $id, input: $input) { success } }'
} as const

/** A UUID of version 4 that is the same for the same channel and incident. */
function issueId({ target_id, key }: Message): string {
  const hash = createHash('sha256').update(`${target_id}:${key}`).digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x40
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

interface Fault {
  text: string
  type: string
  code: string
}

/** The first GraphQL error of the reply. Such errors also come with status 200. */
function faultIn(reply: SendReply): Fault | null {
  const errors = objectIn(reply)?.errors
  const first = Array.isArray(errors) ? recordIn(errors[0]) : null
  if (!first) return null
  const extensions = recordIn(first.extensions)
  return {
    text: `${textIn(first, 'message') ?? ''} ${textIn(extensions, 'userPresentableMessage') ?? ''}`.trim(),
    type: (textIn(extensions, 'type') ?? '').toLowerCase(),
    code: (textIn(extensions, 'code') ?? '').toUpperCase()
  }
}

const isMissing = (fault: Fault | null, what: string): boolean =>
  fault !== null && /not found|could not find/i.test(fault.text) && new RegExp(`\\b${what}\\b`, 'i').test(fault.text)

/** Milliseconds until the rate limit resets. Null: the reply does not say. */
function untilReset({ headers }: SendReply, now: number): number | null {
  const at = Number(headers['x-ratelimit-requests-reset'])
  return Number.isFinite(at) && at > now ? at - now : null
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const fault = faultIn(reply)
  if (fault?.type === 'ratelimited' || fault?.code === 'RATELIMITED' || reply.status === 429)
    return reply.headers['retry-after'] ? later(reply, context.now) : later(reply, context.now, untilReset(reply, context.now))
  if (!fault) return judge(reply, context)
  const { type, code } = fault
  if (type === 'authentication error' || code === 'AUTHENTICATION_ERROR' || reply.status === 401)
    return deadChannel(reply, 'Linear refuses the API key.')
  if (type === 'forbidden' || code === 'FORBIDDEN' || reply.status === 403)
    return deadChannel(reply, 'The API key may not open issues in this team of Linear.')
  if (isMissing(fault, 'team')) return deadChannel(reply, 'Linear knows no such team, or the API key does not see it.')
  if (type === 'usage limit exceeded' || code === 'USAGE_LIMIT_EXCEEDED')
    return lost(reply, 'The Linear workspace has used up the issues of its plan.')
  if (type === 'internal error' || type === 'lock timeout' || type === 'network error' || reply.status >= 500)
    return { outcome: 'retry', why: why(reply), ambiguous: true }
  return lost(reply, 'Linear refused this issue.')
}

const written = (text: string): string => escapedWithin(text, MAX_TICKET_TEXT, escapeMarkdown).replace(/\n/g, '  \n')

/** The parts of an issue that are used here. */
interface Issue {
  ref: RemoteRef
  isDone: boolean
  /** The states of its team that mean done, in order. */
  done: string[]
  /** The states that mean that nobody works on it yet, in order. */
  open: string[]
}

function issueIn(reply: SendReply): Issue | null {
  const issue = recordIn(recordIn(objectIn(reply)?.data)?.issue)
  const id = textIn(issue, 'id')
  if (!issue || id === null) return null
  const identifier = textIn(issue, 'identifier')
  const nodes = recordIn(recordIn(issue.team)?.states)?.nodes
  const statesOf = (type: string) =>
    (Array.isArray(nodes) ? nodes.map(recordIn) : [])
      .filter((node) => node?.type === type)
      .sort((one, other) => Number(one?.position) - Number(other?.position))
      .map((node) => textIn(node, 'id'))
      .filter((one) => one !== null)
  return {
    ref: { issue_id: id, ...(identifier !== null && { identifier }) },
    isDone: DONE.has(textIn(recordIn(issue.state), 'type') ?? ''),
    done: statesOf('completed'),
    open: [...statesOf('unstarted'), ...statesOf('backlog'), ...statesOf('triage')]
  }
}

const didWork = (reply: SendReply, mutation: string): boolean =>
  succeeded(reply) && faultIn(reply) === null && recordIn(recordIn(objectIn(reply)?.data)?.[mutation])?.success === true

type Ask = (query: string, variables: object) => HttpRequest

function desk(message: Message, team_uuid: string, ask: Ask, context: SendContext): Desk {
  function* read(id: string): Steps<Issue | SendOutcome | 'gone'> {
    const reply = yield ask(documents.read, { id })
    return issueIn(reply) ?? (isMissing(faultIn(reply), 'issue') ? 'gone' : judged(reply, context))
  }
  function* find(): ReturnType<Desk['find']> {
    const found = yield* read(issueId(message))
    if (found === 'gone') return { ref: null }
    return 'outcome' in found ? { failed: found } : { ref: found.ref }
  }
  /** Null: the issue is in the state now. */
  function* move(ref: RemoteRef, stateId: string): Steps<SendOutcome | 'gone' | null> {
    const reply = yield ask(documents.move, { id: ref.issue_id ?? '', input: { stateId } })
    if (didWork(reply, 'issueUpdate')) return null
    return isMissing(faultIn(reply), 'issue') ? 'gone' : judged(reply, context)
  }
  /** An issue about a certificate has the same id for ever, so it may be done already. */
  function* reopen(ref: RemoteRef): Steps<SendOutcome | 'gone' | null> {
    const issue = yield* read(ref.issue_id ?? '')
    if (issue === 'gone' || 'outcome' in issue) return issue
    const [stateId] = issue.isDone ? issue.open : []
    return stateId === undefined ? null : yield* move(ref, stateId)
  }
  function* note(ref: RemoteRef, text: string): ReturnType<Desk['note']> {
    const failed = message.event === 'ssl_expiry' ? yield* reopen(ref) : null
    if (failed !== null) return failed
    const reply = yield ask(documents.note, { input: { issueId: ref.issue_id ?? '', body: written(text) } })
    if (didWork(reply, 'commentCreate')) return { outcome: 'delivered' }
    return isMissing(faultIn(reply), 'issue') ? 'gone' : judged(reply, context)
  }
  return {
    site: null,
    behind: null,
    *open() {
      const { lines, url } = ticketLines(message, context)
      const input = {
        id: issueId(message),
        teamId: team_uuid,
        title: truncate(titleOf(message), MAX_TITLE),
        description: [written(lines.join('\n')), ...(url === null ? [] : [`<${url}>`])].filter((part) => part !== '').join('\n\n'),
        priority: PRIORITIES[severityOf(message)]
      }
      const reply = yield ask(documents.create, { input })
      if (didWork(reply, 'issueCreate')) {
        const made = recordIn(recordIn(recordIn(objectIn(reply)?.data)?.issueCreate)?.issue)
        const identifier = textIn(made, 'identifier')
        const ref = { issue_id: textIn(made, 'id') ?? input.id, ...(identifier !== null && { identifier }) }
        return { outcome: 'delivered', remote_ref: ref, provider_message_id: identifier ?? ref.issue_id }
      }
      const outcome = unsure(reply, judged(reply, context))
      // Linear refuses an id that exists already with the same error as any other invalid request,
      // so this looks whether the issue is there.
      if (outcome.outcome !== 'permanent' || outcome.scope !== 'delivery') return outcome
      const there = yield* find()
      return 'ref' in there && there.ref ? { outcome: 'delivered', remote_ref: there.ref } : outcome
    },
    find,
    note,
    acknowledge: note,
    *resolve(ref, text) {
      const issue = yield* read(ref.issue_id ?? '')
      if (issue === 'gone' || 'outcome' in issue) return issue
      if (!issue.isDone) {
        const [stateId] = issue.done
        if (stateId === undefined) return { stays_open: 'its team has no state that means completed' }
        const failed = yield* move(ref, stateId)
        if (failed !== null) return failed
      }
      return message.event === 'test' ? { outcome: 'delivered' } : yield* note(ref, text)
    }
  }
}

export const channel: Channel<Config> = {
  kind: 'linear',
  name: 'Linear',
  hint: 'A personal API key, and the id of the team that gets the issues.',
  family: 'ticketing',
  config: Type.Object(
    {
      api_key: secretField({ title: 'API key', description: 'A personal one: lin_api_…', pattern: '^[!-~]{20,200}$', maxLength: 200 }),
      team_uuid: field({
        title: 'Team id',
        description: 'Copy model UUID in the command menu of the page of the team.',
        pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
        maxLength: 36
      })
    },
    closed
  ),
  fields: [{ name: 'api_key', secret: true }, { name: 'team_uuid' }],
  events: ['down', 'up', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  normalise: (config) => ({ ...config, team_uuid: config.team_uuid.toLowerCase() }),
  target: ({ team_uuid }) => `team ${team_uuid.slice(0, 8)}`,
  *steps(message, { api_key, team_uuid }, ref, context) {
    const url = `${baseUrl('linear', 'https://api.linear.app', context)}/graphql`
    // A personal key is sent alone; `Bearer` is for OAuth.
    const ask: Ask = (query, variables) =>
      jsonRequest(url, { query, variables }, context, { headers: { authorization: api_key }, secrets: [api_key] })
    return yield* ticketSteps(message, ref, context, desk(message, team_uuid, ask, context))
  }
}

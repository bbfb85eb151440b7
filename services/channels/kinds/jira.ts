/**
 * Jira Cloud: issues by REST v3. A label holds the incident's key.
 * Source: docs/design/outbound-channels.md#s3-21.
 */
import { Type } from 'typebox'
import { adf } from '../adf.ts'
import type { Channel, Message, RemoteRef, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, emailFault, emailField, field, secretField } from '../config.ts'
import { deadChannel, judge, lost, objectIn, recordIn, succeeded, textIn, unsure } from '../judging.ts'
import { truncate } from '../text.ts'
import {
  basic,
  type Calls,
  callsTo,
  type Desk,
  type Ended,
  MAX_TICKET_TEXT,
  nameFault,
  nameUnder,
  onlyOpen,
  refusal,
  type Steps,
  ticketLines,
  ticketSteps
} from '../ticketing.ts'
import { titleOf } from '../words.ts'

type Config = { domain: string; email: string; api_token: string; project: string; issue_type?: string }

const DOMAIN = 'atlassian.net'
const ISSUE_TYPE = 'Task'
const MAX_TITLE = 255
/** The names of preferred target statuses, best first. */
const LIKED = ['done', 'resolved', 'closed']
/** The search index lags by some seconds. */
const behind = { until_attempt: 3, wait_ms: 10_000 }

function refOf(issue: unknown): RemoteRef | null {
  const key = textIn(recordIn(issue), 'key')
  return key === null ? null : { issue_key: key }
}

/**
 * The outcome when Jira refuses fields: those that the service sets, or others that it does not
 * know.
 */
function ofFields(reply: SendReply): SendOutcome | null {
  const errors = recordIn(objectIn(reply)?.errors)
  if (!errors) return null
  if ('project' in errors) return deadChannel(reply, 'Jira knows no such project, or the API token does not see it.')
  if ('issuetype' in errors) return deadChannel(reply, 'The project in Jira has no such issue type. Enter one that it has.')
  if ('labels' in errors)
    return lost(reply, 'The issue type has no field Labels, by which issues are found again. Put it on its create screen in Jira.')
  const names = Object.keys(errors).slice(0, 5).join(', ')
  return names === '' ? null : lost(reply, `Jira refused these fields: ${names}. Choose an issue type that does not ask for them.`)
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  const { status } = reply
  if (status === 401) return deadChannel(reply, 'Jira refuses the e-mail address or the API token.')
  if (status === 403) return deadChannel(reply, 'The person of the API token may not do this in the project.')
  if (status === 404) return deadChannel(reply, 'Jira knows no such site or project, or the API token does not see it.')
  if (status === 400) return ofFields(reply) ?? lost(reply, 'Jira refused this issue.')
  return judge(reply, context)
}

interface Way {
  id: string
  /** The fields that the screen of the transition requires. */
  fields: Record<string, { name: string }>
  likes: number
}

/** The name of the resolution to set: Done if it exists. */
function resolutionOf(field: Record<string, unknown>): string | null {
  const names = (Array.isArray(field.allowedValues) ? field.allowedValues : [])
    .map((value) => textIn(recordIn(value), 'name'))
    .filter((name) => name !== null)
  return names.find((name) => /^(done|fixed|resolved)$/i.test(name)) ?? names[0] ?? null
}

/**
 * Reads a transition to a status that means done. Null: it leads elsewhere, or requires fields that
 * the service does not know.
 */
function wayOf(transition: unknown): Way | null {
  const one = recordIn(transition)
  const to = recordIn(one?.to)
  const id = textIn(one, 'id')
  if (!one || id === null || recordIn(to?.statusCategory)?.key !== 'done') return null
  const fields: Way['fields'] = {}
  for (const [name, found] of Object.entries(recordIn(one.fields) ?? {})) {
    const field = recordIn(found)
    if (field?.required !== true || field.hasDefaultValue === true) continue
    const resolution = name === 'resolution' ? resolutionOf(field) : null
    if (resolution === null) return null
    fields[name] = { name: resolution }
  }
  const rank = LIKED.indexOf((textIn(to, 'name') ?? '').toLowerCase())
  return { id, fields, likes: rank < 0 ? LIKED.length : rank }
}

const waysIn = (reply: SendReply): Way[] | null => {
  const transitions = objectIn(reply)?.transitions
  if (!succeeded(reply) || !Array.isArray(transitions)) return null
  return transitions
    .map(wayOf)
    .filter((way) => way !== null)
    .sort((one, other) => one.likes - other.likes)
}

function issueOf(message: Message, { project, issue_type = ISSUE_TYPE }: Config, context: SendContext) {
  const { lines, url } = ticketLines(message, context)
  return {
    fields: {
      project: { key: project },
      issuetype: { name: issue_type },
      summary: truncate(titleOf(message), MAX_TITLE),
      labels: [message.key],
      description: adf(truncate(lines.length === 0 ? titleOf(message) : lines.join('\n'), MAX_TICKET_TEXT).split('\n'), url)
    }
  }
}

function desk(message: Message, config: Config, call: Calls, context: SendContext): Desk {
  const path = (ref: RemoteRef): string => `/rest/api/3/issue/${encodeURIComponent(ref.issue_key ?? '')}`
  function* note(ref: RemoteRef, text: string): ReturnType<Desk['note']> {
    const reply = yield call('POST', `${path(ref)}/comment`, { body: adf(truncate(text, MAX_TICKET_TEXT).split('\n')) })
    if (reply.status === 404) return 'gone'
    return succeeded(reply) && objectIn(reply) ? { outcome: 'delivered' } : judged(reply, context)
  }
  /** Null: the issue is done, whether this call or somebody else did it. */
  function* end(ref: RemoteRef): Steps<Ended | null> {
    const read = yield call('GET', `${path(ref)}?fields=status`)
    if (read.status === 404) return 'gone'
    const status = recordIn(recordIn(objectIn(read)?.fields)?.status)
    if (!succeeded(read) || !status) return judged(read, context)
    if (recordIn(status.statusCategory)?.key === 'done') return null
    const asked = yield call('GET', `${path(ref)}/transitions?expand=transitions.fields`)
    const ways = waysIn(asked)
    if (ways === null) return judged(asked, context)
    const [way] = ways
    if (!way) return { stays_open: 'no transition leads from its status to one that means done' }
    const fields = Object.keys(way.fields).length > 0 ? { fields: way.fields } : {}
    const reply = yield call('POST', `${path(ref)}/transitions`, { transition: { id: way.id }, ...fields })
    if (succeeded(reply)) return null
    return reply.status === 400 ? refusal(reply) : judged(reply, context)
  }
  return {
    site: config.domain,
    behind,
    *open() {
      const reply = yield call('POST', '/rest/api/3/issue', issueOf(message, config, context))
      const ref = succeeded(reply) ? refOf(objectIn(reply)) : null
      if (ref === null) return unsure(reply, judged(reply, context))
      return { outcome: 'delivered', remote_ref: ref, provider_message_id: ref.issue_key ?? '' }
    },
    *find() {
      const open = onlyOpen(message) ? ' AND statusCategory != Done' : ''
      const jql = `labels = "${message.key}"${open} ORDER BY created DESC`
      const reply = yield call('POST', '/rest/api/3/search/jql', { jql, fields: ['status'], maxResults: 1 })
      const found = objectIn(reply)?.issues
      return succeeded(reply) && Array.isArray(found) ? { ref: refOf(found[0]) } : { failed: judged(reply, context) }
    },
    note,
    acknowledge: note,
    *resolve(ref, text) {
      // End the issue first: that can be repeated without harm, and a note cannot.
      const kept = yield* end(ref)
      if (kept !== null) return kept
      return message.event === 'test' ? { outcome: 'delivered' } : yield* note(ref, text)
    }
  }
}

export const channel: Channel<Config> = {
  kind: 'jira',
  name: 'Jira Cloud',
  hint: 'A site, an e-mail address with an API token, and the project that gets the issues.',
  family: 'ticketing',
  config: Type.Object(
    {
      domain: field({ title: 'Domain', description: 'acme of acme.atlassian.net.', maxLength: 200 }),
      email: emailField({ title: 'E-mail', description: 'Of the person whose API token it is.' }),
      api_token: secretField({
        title: 'API token',
        description: 'One without scopes, as Create API token makes it.',
        pattern: '^[!-~]{20,300}$',
        maxLength: 300
      }),
      project: field({ title: 'Project', description: 'Its key, as OPS.', pattern: '^[A-Za-z][A-Za-z0-9_]{1,19}$', maxLength: 20 }),
      issue_type: Type.Optional(field({ title: 'Issue type', description: `${ISSUE_TYPE} unless set.`, maxLength: 60 }))
    },
    closed
  ),
  fields: [
    { name: 'domain', host: true },
    { name: 'email' },
    { name: 'api_token', secret: true },
    { name: 'project' },
    { name: 'issue_type' }
  ],
  events: ['down', 'up', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  check: ({ domain, email }) => nameFault('domain', DOMAIN, domain) ?? emailFault('email', email),
  normalise: (config) => ({
    ...config,
    domain: nameUnder(DOMAIN, config.domain) ?? config.domain,
    project: config.project.toUpperCase()
  }),
  target: ({ domain, project }) => `${domain}.${DOMAIN} ${project}`,
  *steps(message, config, ref, context) {
    const { domain, email, api_token } = config
    const call = callsTo({ kind: 'jira', name: domain, domain: DOMAIN, ...basic(email, api_token) }, context)
    return yield* ticketSteps(message, ref, context, desk(message, config, call, context))
  }
}

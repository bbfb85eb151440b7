/**
 * ServiceNow: incidents by the Table API. `correlation_id` holds the incident's key.
 * Source: docs/design/outbound-channels.md#s3-14.
 */
import { Type } from 'typebox'
import type { Channel, Message, RemoteRef, SendContext, SendOutcome, SendReply } from '../channel.ts'
import { closed, field, secretField } from '../config.ts'
import { deadChannel, judge, objectIn, recordIn, succeeded, textIn, unsure } from '../judging.ts'
import { oneLine, truncate } from '../text.ts'
import {
  basic,
  type Calls,
  callsTo,
  type Desk,
  MAX_TICKET_TEXT,
  nameFault,
  nameUnder,
  onlyOpen,
  refusal,
  ticketLines,
  ticketSteps
} from '../ticketing.ts'
import { severityOf, titleOf } from '../words.ts'

type Config = { instance: string; username: string; password: string }

const DOMAIN = 'service-now.com'
const TABLE = '/api/now/table/incident'
const MAX_TITLE = 160
/** The values of urgency and impact. The instance computes the priority from them. */
const GRADES = { critical: '1', warning: '2', info: '3' } as const
const IN_PROGRESS = '2'
const RESOLVED = '6'
/** Resolved, closed, canceled. */
const DONE = '6,7,8'
/** The close codes of current releases, and of older ones. */
const CLOSE_CODES = ['Solution provided', 'Solved (Permanently)']
const WANTS_MORE = /close.?code|close.?notes|data policy|mandatory/i

function refOf(record: unknown): RemoteRef | null {
  const sys_id = textIn(recordIn(record), 'sys_id')
  const number = textIn(recordIn(record), 'number')
  return sys_id === null ? null : { sys_id, ...(number !== null && { number }) }
}

function judged(reply: SendReply, context: SendContext): SendOutcome {
  if (reply.status === 401) return deadChannel(reply, 'ServiceNow refuses the user or the password.')
  if (reply.status === 403)
    return deadChannel(reply, 'The user may not write incidents in ServiceNow: give it the roles itil and rest_service.')
  return judge(reply, context)
}

function incidentOf(message: Message, context: SendContext) {
  const { lines, url } = ticketLines(message, context)
  const link = url ?? ''
  const grade = GRADES[severityOf(message)]
  return {
    short_description: truncate(titleOf(message), MAX_TITLE),
    description: [truncate(lines.join('\n'), MAX_TICKET_TEXT - [...link].length - 1), link].filter((part) => part !== '').join('\n'),
    urgency: grade,
    impact: grade,
    correlation_id: message.key,
    correlation_display: oneLine(context.deployment.product)
  }
}

function desk(message: Message, call: Calls, context: SendContext): Desk {
  const change = (ref: RemoteRef, body: object) =>
    call('PATCH', `${TABLE}/${encodeURIComponent(ref.sys_id ?? '')}?sysparm_fields=sys_id,number`, body)
  function* note(ref: RemoteRef, text: string, more: object = {}): ReturnType<Desk['note']> {
    const reply = yield change(ref, { work_notes: truncate(text, MAX_TICKET_TEXT), ...more })
    if (reply.status === 404) return 'gone'
    return succeeded(reply) && refOf(objectIn(reply)?.result) ? { outcome: 'delivered' } : judged(reply, context)
  }
  return {
    site: null,
    behind: null,
    *open() {
      const reply = yield call('POST', `${TABLE}?sysparm_fields=sys_id,number`, incidentOf(message, context))
      const ref = succeeded(reply) ? refOf(objectIn(reply)?.result) : null
      if (ref === null) return unsure(reply, judged(reply, context))
      return { outcome: 'delivered', remote_ref: ref, provider_message_id: ref.number ?? ref.sys_id ?? '' }
    },
    *find() {
      const open = onlyOpen(message) ? `^stateNOT IN${DONE}` : ''
      const query = encodeURIComponent(`correlation_id=${message.key}${open}^ORDERBYDESCsys_created_on`)
      const reply = yield call('GET', `${TABLE}?sysparm_query=${query}&sysparm_fields=sys_id,number&sysparm_limit=1`)
      const found = objectIn(reply)?.result
      return succeeded(reply) && Array.isArray(found) ? { ref: refOf(found[0]) } : { failed: judged(reply, context) }
    },
    note,
    acknowledge: (ref, text) => note(ref, text, { state: IN_PROGRESS }),
    *resolve(ref, text) {
      const words = truncate(text, MAX_TICKET_TEXT)
      let refused: SendReply | null = null
      for (const close_code of CLOSE_CODES) {
        const reply = yield change(ref, { state: RESOLVED, close_code, close_notes: words, work_notes: words })
        if (reply.status === 404) return 'gone'
        if (succeeded(reply) && refOf(objectIn(reply)?.result)) return { outcome: 'delivered' }
        if ((reply.status !== 400 && reply.status !== 403) || !WANTS_MORE.test(reply.body)) return judged(reply, context)
        refused = reply
      }
      return refused ? refusal(refused) : { outcome: 'delivered' }
    }
  }
}

export const channel: Channel<Config> = {
  kind: 'servicenow',
  name: 'ServiceNow',
  hint: 'An instance, and a user of it that may write incidents.',
  family: 'ticketing',
  config: Type.Object(
    {
      instance: field({ title: 'Instance', description: 'acme of acme.service-now.com.', maxLength: 200 }),
      username: field({ title: 'User', maxLength: 100, pattern: '^[^:]+$' }),
      password: secretField({ title: 'Password', maxLength: 300 })
    },
    closed
  ),
  fields: [{ name: 'instance', host: true }, { name: 'username' }, { name: 'password', secret: true }],
  events: ['down', 'up', 'acknowledged'],
  unsent: 'drop',
  max_ambiguous: null,
  verified: false,
  check: ({ instance }) => nameFault('instance', DOMAIN, instance),
  normalise: (config) => ({ ...config, instance: nameUnder(DOMAIN, config.instance) ?? config.instance }),
  target: ({ instance }) => `${instance}.${DOMAIN}`,
  *steps(message, { instance, username, password }, ref, context) {
    const call = callsTo({ kind: 'servicenow', name: instance, domain: DOMAIN, ...basic(username, password) }, context)
    return yield* ticketSteps(message, ref, context, desk(message, call, context))
  }
}

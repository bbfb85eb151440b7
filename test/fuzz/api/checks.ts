/** What no answer of the API may be or contain, whoever sends the request. */
import { scopesOfRole } from '../../../schemas/http/rights.ts'
import type { Answer } from './http.ts'
import type { Asked } from './requests.ts'
import { type Actor, foreignIn, type Victim } from './world.ts'

export interface Fault {
  /** Kind of fault; faults are counted by it. */
  what:
    | 'no answer'
    | '5xx'
    | 'foreign id'
    | 'rights'
    | 'document'
    | 'error shape'
    | 'leak'
    | 'processor time'
    | 'memory'
    | 'process'
    | 'changed'
    | 'socket'
  why: string
}

const fault = (what: Fault['what'], why: string): Fault => ({ what, why })

/**
 * Texts that no answer may contain: stack traces, SQL statements, internal addresses. They count as
 * a fault unless the request itself contained them.
 */
const inside = [
  /\bat (?:async )?[\w.<>]+ \((?:file:|node:|\/)[^)]*\)/,
  /node_modules|dist-test\/|\/services\/(?:api|store)\//,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b [^"]{0,200}\b(?:FROM|INTO|SET|WHERE|VALUES)\b/,
  /\brelation "|\bcolumn "|violates (?:check|unique|foreign|not-null)|invalid input syntax|invalid byte sequence|unterminated/,
  /\bECONN\w+|\bpostgres:\/\/|password_hash|\$argon2|token_sha256/
]

/**
 * Whether the operation accepts the caller's kind of credential, and the credential has a scope
 * that it needs.
 */
export function mayCall(actor: Actor, { security, scopes, own }: Asked['operation']): boolean {
  if (security.length === 0) return true
  if (actor.kind === 'none' || !security.includes(actor.kind)) return false
  if (scopes.length === 0 || actor.role === null || (own && actor.kind === 'session')) return true
  const ofRole: readonly string[] = scopesOfRole[actor.role]
  return scopes.some((scope) => ofRole.includes(scope) && (actor.scopes.includes(scope) || actor.scopes.includes('admin')))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const text = (value: unknown, name: string): string | null => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : null
  return typeof found === 'string' ? found : null
}

/** Everything that the request contained: an answer may repeat it. */
const saidBy = ({ sent }: Asked): string => {
  let path = sent.path
  try {
    path = decodeURIComponent(sent.path)
  } catch {
    // As it stands, then.
  }
  return `${sent.path} ${path} ${sent.body?.toString() ?? ''}`
}

/** Operations that also answer callers without a credential: signing out without a session. */
const forStrangers = new Set(['logout'])

/**
 * Doors of vendors that answer a bad signature with 401 and an empty body.
 * Source: docs/design/api/notifications.md.
 */
const withoutWords = new Set(['slackCommand', 'slackInteraction', 'slackEvent', 'discordInteraction', 'telegramUpdate'])

export function judge(asked: Asked, answer: Answer, victim: Victim): Fault[] {
  const { operation, actor, foreign } = asked
  const { status, headers, body } = answer
  if (status === 0) return [fault('no answer', body)]
  const faults: Fault[] = []
  const said = saidBy(asked)
  const value = parsed(body)

  const wrong = operation.fault(status, String(headers['content-type'] ?? ''), body)
  // A part that this deployment does not have answers 501, where the document says so.
  const isMissing = status === 501 && wrong === null
  if (status >= 500 && !isMissing) faults.push(fault('5xx', `${status} ${body.slice(0, 500)}`))
  // A prober checks for every workspace, so its answers may hold ids of other workspaces.
  const seen =
    actor.kind === 'prober' && operation.security.includes('prober') ? null : foreignIn(victim, `${body} ${JSON.stringify(headers)}`, said)
  if (seen !== null) faults.push(fault('foreign id', `the answer holds ${seen}`))
  if (foreign?.path && status < 400) faults.push(fault('foreign id', `${status} for an id of another workspace`))
  if (foreign?.path && status >= 400 && ![400, 401, 403, 404, 413, 415, 422, 429].includes(status))
    faults.push(fault('foreign id', `${status} for an id of another workspace, expected 404`))
  if (!mayCall(actor, operation) && status < 400 && !forStrangers.has(operation.id))
    faults.push(fault('rights', `${status} though ${actor.name} may not`))

  if (wrong !== null && status < 500) faults.push(fault('document', wrong))
  const isSilent = status === 401 && body === '' && withoutWords.has(operation.id)
  if (status >= 400 && !isSilent) {
    const id = headers['x-request-id']
    if (text(value, 'error') === null || !/^[A-Z_]{3,40}$/.test(text(value, 'code') ?? '') || text(value, 'request_id') !== id)
      faults.push(fault('error shape', body.slice(0, 300)))
    for (const pattern of inside) {
      const found = pattern.exec(body)?.[0]
      if (found !== undefined && !said.includes(found)) faults.push(fault('leak', found.slice(0, 200)))
    }
  }
  return faults
}

const codeOf = ({ status, body }: Answer): string => `${status} ${text(parsed(body), 'code') ?? ''}`

/**
 * An id of another workspace and an id that does not exist must get the same answer: otherwise the
 * answer reveals that the first one exists.
 */
export function judgeTwins(answer: Answer, twin: Answer): Fault[] {
  if (answer.status === 429 || twin.status === 429 || answer.status >= 500 || twin.status >= 500) return []
  // A credential that an earlier request ended may stay cached for a moment: only one of the two
  // requests may come after that.
  if ((answer.status === 401) !== (twin.status === 401)) return []
  // The first request may have made the object that conflicts with the second.
  if (answer.status < 400 && twin.status === 409) return []
  if (codeOf(answer) === codeOf(twin)) return []
  return [fault('foreign id', `${codeOf(answer)} for an id of another workspace, ${codeOf(twin)} for one that is nobody's`)]
}

/**
 * What the kinds that open tickets share. An incident has one ticket per channel. When an earlier
 * attempt may have opened a ticket, the kind looks for it before it opens another one. Later events
 * become notes on that ticket, and the end of the incident closes it.
 * Source: docs/design/outbound-channels.md#s1-2, #s1-6 and #s1-8.
 */
import type { ConfigFault, HttpRequest, Message, RemoteRef, SendContext, SendOutcome, SendReply, SendRequest } from './channel.ts'
import { why } from './judging.ts'
import { bodyOf, factsOf, linkOf, subjectLine, titleOf } from './words.ts'

/** Limit of a description or a note, in characters: far below the limit of each vendor. */
export const MAX_TICKET_TEXT = 4000

export type Steps<Result> = Generator<SendRequest, Result, SendReply>

/** `gone`: the ticket no longer exists. */
export type Noted = SendOutcome | 'gone'

/** `stays_open`: the vendor refuses to close it, and says why. */
export type Ended = Noted | { stays_open: string }

/** `ref` null: there is no ticket. */
export type Found = { ref: RemoteRef | null } | { failed: SendOutcome }

/** What one vendor can do with a ticket. */
export interface Desk {
  /**
   * The account that the ids of tickets are of, if another account may have the same ids. It is
   * kept with the id. Null: no other account has them.
   */
  site: string | null
  /** On success, returns `delivered` with a `remote_ref`. */
  open(): Steps<SendOutcome>
  /**
   * By our key. Of tickets about a certificate it finds those that are open, and those that `note`
   * opens again.
   */
  find(): Steps<Found>
  acknowledge(ref: RemoteRef, text: string): Steps<Noted>
  note(ref: RemoteRef, text: string): Steps<Noted>
  resolve(ref: RemoteRef, text: string): Steps<Ended>
  /**
   * For a search that lags: attempts before `until_attempt` only search, and wait `wait_ms` for the
   * next one.
   */
  behind: { until_attempt: number; wait_ms: number } | null
}

const delivered: SendOutcome = { outcome: 'delivered' }
const skipped = (cause: string): SendOutcome => ({ outcome: 'skipped', why: cause })

/** The description of a ticket: lines of plain text, with the link at the end. */
export function ticketLines(message: Message, { now }: SendContext): { lines: string[]; url: string | null } {
  const facts = factsOf(message).map(([name, value]) => `${name}: ${value}`)
  const lines = [...bodyOf(message, now).split('\n'), ...facts].filter((line) => line.trim() !== '')
  return { lines, url: linkOf(message) }
}

/** The note that is added to an open ticket. */
function noteText(message: Message, { now }: SendContext): string {
  const { event } = message
  const head = event === 'up' ? `${subjectLine(message)}.` : event === 'down' || event === 'ssl_expiry' ? titleOf(message) : null
  return [head, bodyOf(message, now)].filter((part) => part).join('\n')
}

/** Opens a ticket and closes it again: a test leaves nothing open. */
function* tested(desk: Desk): Steps<SendOutcome> {
  const opened = yield* desk.open()
  if (opened.outcome !== 'delivered' || !opened.remote_ref) return opened
  const ended = yield* desk.resolve(opened.remote_ref, 'This was a test.')
  if (ended === 'gone') return delivered
  if ('stays_open' in ended)
    return {
      outcome: 'permanent',
      why: ended.stays_open,
      scope: 'delivery',
      user_text: 'The test was opened, but it cannot be ended, and neither can what opens later. Close it there by hand.'
    }
  return ended
}

function* ended(desk: Desk, ref: RemoteRef, text: string): Steps<Noted> {
  const done = yield* desk.resolve(ref, text)
  if (done === 'gone' || !('stays_open' in done)) return done
  return yield* desk.note(ref, `${text}\nIt could not be ended from here: ${done.stays_open}`)
}

/** Returns the ref with the account of its ids. */
const placed = (ref: RemoteRef, { site }: Desk): RemoteRef => (site === null ? ref : { ...ref, site })

function* opened(desk: Desk): Steps<SendOutcome> {
  const outcome = yield* desk.open()
  return outcome.outcome === 'delivered' && outcome.remote_ref ? { ...outcome, remote_ref: placed(outcome.remote_ref, desk) } : outcome
}

/**
 * The steps of a kind that opens tickets. A ticket of the account that was set before is left
 * alone: in the account of now, its id is somebody else's ticket.
 */
export function* ticketSteps(message: Message, ref: RemoteRef | null, context: SendContext, desk: Desk): Steps<SendOutcome> {
  const { event } = message
  if (event === 'test') return yield* tested(desk)
  const opens = event === 'down' || event === 'ssl_expiry'
  if (!opens && event !== 'acknowledged' && event !== 'assigned' && event !== 'up') return skipped('no_event')
  let known = ref !== null && (desk.site === null || ref.site === desk.site) ? ref : null
  // The ticket of a ref without this account is looked up by our key: refs of before have no
  // account, and an account may get another name.
  const isUnplaced = ref !== null && known === null
  // The id of a ticket about a certificate is not kept, and each threshold is told. So the ticket
  // is looked up, and gets a note.
  const isCertificate = onlyOpen(message)
  const mayExist = context.doubtful || !opens
  if (known === null && (mayExist || isCertificate || isUnplaced)) {
    const found = yield* desk.find()
    if ('failed' in found) return found.failed
    known = found.ref && placed(found.ref, desk)
    const { until_attempt = 0, wait_ms = 0 } = desk.behind ?? {}
    if (known === null && mayExist && (opens || event === 'up') && context.attempt < until_attempt)
      return { outcome: 'retry', why: 'an attempt before may have opened a ticket, which the search does not show yet', after_ms: wait_ms }
    if (known !== null && opens && !isCertificate && !isUnplaced) return { outcome: 'delivered', remote_ref: known }
  }
  if (known === null) return opens ? yield* opened(desk) : skipped('not_opened')
  const text = noteText(message, context)
  const noted =
    event === 'up'
      ? yield* ended(desk, known, text)
      : event === 'acknowledged'
        ? yield* desk.acknowledge(known, text)
        : yield* desk.note(known, text)
  if (noted === 'gone') return opens ? yield* opened(desk) : skipped('ticket_gone')
  return noted.outcome === 'delivered' && known !== ref ? { ...noted, remote_ref: known } : noted
}

/** Whether only tickets that are still open are looked for: an incident's may be done. */
export const onlyOpen = ({ incident }: Message): boolean => incident === null

/**
 * Returns `acme` for `acme`, `acme.example.com` or any address there. Null: the text is something
 * else.
 */
export function nameUnder(domain: string, text: string): string | null {
  const isAddress = /^https?:\/\//i.test(text)
  const host = isAddress ? (URL.canParse(text) ? new URL(text).host : '') : text.replace(/\/.*$/s, '')
  const lower = host.toLowerCase()
  const name = lower.endsWith(`.${domain}`) ? lower.slice(0, -domain.length - 1) : isAddress ? '' : lower
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(name) ? name : null
}

/** Checks a field that names a customer of the vendor. */
export const nameFault = (path: string, domain: string, text: string | undefined): ConfigFault | null =>
  text === undefined || nameUnder(domain, text) !== null ? null : { path, rule: 'format', message: `must look like acme or acme.${domain}` }

export interface Office {
  kind: string
  /** `acme`. */
  name: string
  /** `example.com`. */
  domain: string
  /** The value of the header. */
  authorization: string
  secrets: string[]
}

/**
 * Builds requests to one customer of a vendor. The address guard checks the host that the workspace
 * named.
 */
export function callsTo({ kind, name, domain, authorization, secrets }: Office, { deployment }: SendContext) {
  const base = deployment.base_urls[kind]
  const root = base?.replace(/\/+$/, '') ?? `https://${name}.${domain}`
  return (method: HttpRequest['method'], path: string, body?: object, headers: Record<string, string> = {}): HttpRequest => ({
    via: 'http',
    method,
    url: `${root}${path}`,
    headers: {
      ...(body && { 'content-type': 'application/json; charset=utf-8' }),
      accept: 'application/json',
      'user-agent': deployment.user_agent,
      authorization,
      ...headers
    },
    body: body ? JSON.stringify(body) : null,
    secrets,
    guarded: base === undefined
  })
}

export type Calls = ReturnType<typeof callsTo>

/** `secret`: which of the two is the secret. */
export const basic = (user: string, password: string, secret: string = password): Pick<Office, 'authorization' | 'secrets'> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  secrets: [secret, `${user}:${password}`]
})

/** Why the vendor refuses to close it, in few words. */
export const refusal = (reply: SendReply): { stays_open: string } => ({ stays_open: why(reply) })

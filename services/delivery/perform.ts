/**
 * Makes one attempt: the channel says what to send, this sends it and gives the reply to the
 * channel, until the channel says what the outcome is. What is stored of the last request and its
 * reply contains no secrets, and every store accepts what came back.
 * Source: docs/design/outbound-channels.md#s1-1.
 */
import type { Channel, Deployment, MailRequest, Message, RemoteRef, SendOutcome, SendReply, SendRequest } from '../channels/channel.ts'
import { storableDeep } from '../store/storable.ts'
import { failureOf, SendFailure } from './failure.ts'
import { type HttpLimits, type HttpSender, usualLimits } from './http.ts'
import { cut, redactHeaders, redactor } from './redact.ts'

export interface MailSender {
  /**
   * Rejects with SendFailure when nothing came back within `leftMs`. After that the mail is not
   * sent any more.
   */
  send(mail: MailRequest, tenant_id: string, leftMs: number): Promise<SendReply>
}

export interface Senders {
  http: HttpSender
  /** Null when this deployment sends no mail. */
  mail: MailSender | null
}

export interface Performed {
  /** `unanswered`: nothing came back, or sending is not allowed. */
  result: SendOutcome | { outcome: 'unanswered'; failure: SendFailure }
  latency_ms: number
  status: number | null
  /** At most 2 KiB. */
  reply: string | null
  request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null
  /** Removes the secrets of this attempt from a text, and makes it storable. */
  clean(text: string): string
}

/** Most requests of one attempt. */
const MAX_STEPS = 10
/** Time for all requests of an attempt together. It is shorter than the lease of the delivery. */
export const MAX_ATTEMPT_MS = 40_000
const KEPT_REPLY_BYTES = 2048
const KEPT_REQUEST_BYTES = 32_768

export interface AttemptInput {
  channel: Channel
  message: Message
  config: Record<string, unknown>
  /** The secrets of the configuration. */
  secrets: readonly string[]
  remote_ref: RemoteRef | null
  attempt: number
  /** True when an earlier attempt may have arrived. Default false. */
  doubtful?: boolean
  deployment: Deployment
  limits?: HttpLimits
}

/** Replies that other attempts of this process may reuse: tokens of vendors. */
const reusable = new Map<string, { reply: SendReply; until: number }>()
const MAX_REUSABLE = 1000
/**
 * Requests for reusable replies that are on their way. Attempts that need the same one wait for it.
 */
const asked = new Map<string, Promise<SendReply>>()

async function replyTo(request: SendRequest, senders: Senders, input: AttemptInput, leftMs: number): Promise<SendReply> {
  if (leftMs <= 0) throw new SendFailure('timeout', `The attempt took more than ${MAX_ATTEMPT_MS / 1000} s`, true)
  if (request.via === 'smtp') {
    if (!senders.mail) throw new SendFailure('unsupported', 'This deployment sends no mail')
    return senders.mail.send(request, input.message.workspace.tenant_id, leftMs)
  }
  const { reuse } = request
  const known = reuse && !reuse.again ? reusable.get(reuse.key) : undefined
  if (known && known.until > Date.now()) return known.reply
  const { connectMs, totalMs } = input.limits ?? usualLimits
  const limits = { connectMs, totalMs: Math.min(totalMs, leftMs) }
  if (!reuse) return senders.http.send(request, limits)
  const waiting = asked.get(reuse.key)
  if (waiting) return waiting
  const sent = senders.http
    .send(request, limits)
    .catch((error: unknown) => {
      const { kind, message } = failureOf(error, false)
      throw new SendFailure(kind, message) // Never ambiguous: this request notified nobody.
    })
    .finally(() => asked.delete(reuse.key))
  asked.set(reuse.key, sent)
  const reply = await sent
  if (reply.status === 200) {
    if (reusable.size >= MAX_REUSABLE) reusable.clear()
    reusable.set(reuse.key, { reply, until: Date.now() + reuse.for_ms })
  }
  return reply
}

const kept = (request: SendRequest, clean: (text: string) => string): Performed['request'] =>
  request.via === 'http'
    ? {
        method: request.method,
        url: clean(request.url),
        headers: redactHeaders(request.headers, clean),
        body: request.body === null ? null : cut(clean(request.body), KEPT_REQUEST_BYTES)
      }
    : {
        method: 'MAIL',
        url: `mailto:${clean(request.to)}`,
        headers: redactHeaders({ ...request.headers, subject: request.subject }, clean),
        body: cut(clean(request.text), KEPT_REQUEST_BYTES)
      }

/** Never rejects because of the other side. A rejection is an error in our own code. */
export async function performAttempt(senders: Senders, input: AttemptInput): Promise<Performed> {
  const { channel, message, config, remote_ref, attempt, doubtful = false, deployment } = input
  const began = performance.now()
  const secrets = new Set(input.secrets)
  let status: number | null = null
  let reply: string | null = null
  let request: SendRequest | null = null
  const finish = (result: Performed['result']): Performed => {
    const redact = redactor([...secrets])
    const clean = (text: string): string => storableDeep(redact(text))
    return {
      // The ids that the other side gives are stored too.
      result: result.outcome === 'unanswered' ? result : storableDeep(result),
      latency_ms: Math.round(performance.now() - began),
      status,
      reply: reply === null ? null : cut(clean(reply), KEPT_REPLY_BYTES),
      request: request && kept(request, clean),
      clean
    }
  }
  const steps = channel.steps(message, config, remote_ref, { now: Date.now(), attempt, doubtful, deployment })
  let next = steps.next()
  for (let sent = 0; !next.done; sent++) {
    if (sent === MAX_STEPS) throw new Error(`the channel ${channel.kind} sends more than ${MAX_STEPS} requests for one attempt`)
    request = next.value
    for (const secret of request.secrets) secrets.add(secret)
    let answer: SendReply
    try {
      answer = await replyTo(request, senders, input, MAX_ATTEMPT_MS - (performance.now() - began))
    } catch (error) {
      status = null
      reply = null
      return finish({ outcome: 'unanswered', failure: failureOf(error, true) })
    }
    status = answer.status
    reply = answer.body
    next = steps.next(answer)
  }
  return finish(next.value)
}

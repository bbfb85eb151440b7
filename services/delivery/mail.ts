/**
 * Sends mail through the mail server of this deployment, over connections that are kept. A mail
 * waits for a free connection, and stops waiting when the time of its attempt is over: what still
 * waits when its lease has ended would be sent beside its repeat. A local run without a mail server
 * stores each mail as it would have been sent, for the owner to read.
 * Source: docs/design/outbound-channels.md#s3-4.
 */
import { createTransport } from 'nodemailer'
import type { MailRequest, SendReply } from '../channels/channel.ts'
import { isThisMachine } from '../process/this-machine.ts'
import { type FailureKind, SendFailure } from './failure.ts'
import type { MailSender } from './perform.ts'

interface MailFault {
  code?: string
  responseCode?: number
  response?: string
  command?: string
  message?: string
  syscall?: string
  timeoutType?: string
}

const CONNECT_MS = 5000
const SOCKET_MS = 20_000
const MAX_CONNECTIONS = 5

const mailOf = (from: string, { to, subject, text, html, headers }: MailRequest) => ({
  from,
  to: { name: '', address: to },
  subject,
  text,
  html,
  headers,
  // Texts of users and templates must not be able to read files or addresses.
  disableFileAccess: true,
  disableUrlAccess: true
})

/** Recognizes certificate errors by the words of OpenSSL, because nodemailer drops their codes. */
const isUntrusted = ({ code, message = '' }: MailFault): boolean =>
  code === 'ESOCKET' && /certificate|altnames|unable to (?:get|verify)/i.test(message)

/**
 * True if the connection never became ready, so that the server cannot have got the mail. The code
 * does not say so: a refused connection is an ESOCKET, and a connection that the server closes at
 * any time is an ECONNECTION.
 */
const isUnsent = ({ code, syscall, timeoutType = 'SOCKET_TIMEOUT' }: MailFault): boolean =>
  code === 'EDNS' || syscall === 'connect' || timeoutType !== 'SOCKET_TIMEOUT'

/** The mail server is the operator's, so its faults say nothing about a workspace's channel. */
const failed = (kind: FailureKind, message: string, ambiguous = false): SendFailure => new SendFailure(kind, message, ambiguous, true)

/**
 * Returns what the server said. Throws SendFailure when it said nothing. `begun`: a connection had
 * begun to send the mail.
 */
function replyOf(fault: MailFault, begun: boolean): SendReply {
  if (fault.code === 'EABORT')
    throw failed('timeout', begun ? 'The mail server did not answer in time' : 'No connection to the mail server was free', begun)
  if (fault.responseCode !== undefined)
    return { status: fault.responseCode, headers: fault.command ? { command: fault.command } : {}, body: fault.response ?? '' }
  if (fault.code === 'ETIMEDOUT') throw failed('timeout', 'The mail server did not answer in time', !isUnsent(fault))
  // A certificate error arrives as a socket error.
  if (fault.code === 'ETLS' || isUntrusted(fault)) throw failed('tls_untrusted', 'The mail server offers no TLS that is trusted')
  throw failed('network', `The mail server cannot be reached (${fault.code ?? 'ERR_UNKNOWN'})`, !isUnsent(fault))
}

/**
 * `url` is in the form of SERVICE_SMTP_URL. `ca`: a certificate to trust in addition to the usual
 * ones, for tests.
 */
export function createSmtpSender(url: string, from: string, ca?: string): MailSender & { close(): void } {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SOCKET_MS,
    ...(ca !== undefined && { tls: { ca } }),
    ...(url.startsWith('smtp:') && !isThisMachine(new URL(url).hostname) && { requireTLS: true })
  })
  /** The mails, by their signals, that a connection has begun to send. */
  const begun = new WeakSet<AbortSignal>()
  transport.use('stream', ({ data: { signal }, message }, next) => {
    message.processFunc((stream) => {
      if (signal) begun.add(signal)
      return stream
    })
    next()
  })
  return {
    async send(mail, _tenant, leftMs) {
      const signal = AbortSignal.timeout(Math.ceil(leftMs))
      try {
        const { response } = await transport.sendMail({ ...mailOf(from, mail), signal })
        return { status: Number(response.slice(0, 3)) || 250, headers: {}, body: response }
      } catch (error) {
        return replyOf(error as MailFault, begun.has(signal))
      }
    },
    close: () => transport.close()
  }
}

const NOT_SENT = '250 kept here and not sent: this run has no mail server'

/** `keep` gets each mail as a server would get it. */
export function createMailbox(
  from: string,
  keep: (tenant_id: string, mail: { recipient: string; subject: string; mime: string }) => Promise<void>
): MailSender {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(mail, tenant_id) {
      const marked = { ...mail, headers: { ...mail.headers, 'X-Service-Not-Sent': 'kept in the mailbox of a local run' } }
      const { message } = await transport.sendMail(mailOf(from, marked))
      await keep(tenant_id, { recipient: mail.to, subject: mail.subject, mime: message.toString() })
      return { status: 250, headers: {}, body: NOT_SENT }
    }
  }
}

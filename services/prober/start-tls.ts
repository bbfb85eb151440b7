/** Leads a plain connection to the point where the TLS handshake begins. */
import type { Socket } from 'node:net'
import type { Running } from './attempt.ts'
import { CheckFailure } from './failure.ts'
import { Lines } from './lines.ts'
import { dialogues, type MailProtocol, tlsWords } from './mail-dialogue.ts'

/** The name that a client gives itself if none is set. */
export const HELO = 'monitoring.invalid'

/** Performs STARTTLS of a mail protocol. After that, the socket is ready for the handshake. */
export async function startMailTls(socket: Socket, protocol: MailProtocol, helo: string, { signal }: Running): Promise<void> {
  const dialogue = dialogues[protocol]
  const lines = new Lines(socket, signal)
  try {
    await dialogue.greet(lines)
    const offered = await dialogue.capabilities(lines, helo)
    if (!offered.some((word) => word === tlsWords[protocol])) throw new CheckFailure('tls', 'The server does not offer STARTTLS')
    await dialogue.startTls(lines)
    // Bytes sent before TLS must not count as sent within it (CVE-2011-0411).
    if (lines.hasMore) throw new CheckFailure('protocol', 'The server says more before TLS than was asked')
  } finally {
    lines.release()
  }
}

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** Asks Postgres for TLS, which it answers with one letter. */
export function startPostgresTls(socket: Socket, { signal }: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (tell: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      socket.off('data', onData).off('close', onClose).off('error', onError)
      tell()
    }
    const onAbort = (): void => settle(() => reject(signal.reason))
    const onError = (error: unknown): void => settle(() => reject(error))
    const onClose = (): void => onError(new CheckFailure('protocol', 'The server closed the connection'))
    const onData = (data: Buffer): void => {
      const isOffered = data.length === 1 && data[0] === 0x53
      if (isOffered) settle(resolve)
      else onError(new CheckFailure('tls', 'The server does not offer TLS'))
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    socket.on('data', onData).on('close', onClose).on('error', onError)
    socket.write(SSL_REQUEST)
  })
}

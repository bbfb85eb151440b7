/** The shapes of one request and its answer, for every version of HTTP. */
import type { IncomingHttpHeaders } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { TlsReport } from './certificate.ts'
import type { Body } from './http-body.ts'

/** The policy headers of some sites alone take 20 kB. */
export const MAX_HEADER_BYTES = 65_536

export interface Hop {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | null
  http2: boolean
  verifyTls: boolean
  secureContext: SecureContext | null
  family: 0 | 4 | 6
  maxBodyBytes: number
  /** By performance.now(). */
  deadlineAt: number
  /**
   * These are called as soon as each fact is known, so that an answer that fails later still has
   * it.
   */
  onTls(report: TlsReport): void
  onConnected(address: string): void
  onHead(head: Head): void
  /** Gets the pieces of the decoded body, also of one that is then too large. */
  onPiece?: (piece: Buffer) => void
  /** False for an answer that redirects. */
  isBodyWanted(head: Head): boolean
}

/** A status as the service takes it. Node's parser also accepts 000 to 099. */
export const isStatus = (status: number): boolean => status >= 100 && status <= 999

export interface Head {
  status: number
  /** The text after the status in the status line; '' if this version of HTTP has none. */
  text: string
  version: string
  headers: IncomingHttpHeaders
}

export interface Answer {
  head: Head
  /** Empty if the body was not wanted. */
  body: Body
}

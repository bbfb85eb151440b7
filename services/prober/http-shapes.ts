/** One request and its answer, whatever the version of HTTP. */
import type { IncomingHttpHeaders } from 'node:http'
import type { SecureContext } from 'node:tls'
import type { TlsReport } from './certificate.ts'
import type { Body } from './http-body.ts'

/** Policies of some sites alone have 20 kB. */
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
  /** Told as soon as it is known, so that an answer that fails later has it. */
  onTls(report: TlsReport): void
  onConnected(address: string): void
  onHead(head: Head): void
  /** Of the body as it unpacks, also of one that is then too large. */
  onPiece?: (piece: Buffer) => void
  /** Not of an answer that leads elsewhere. */
  isBodyWanted(head: Head): boolean
}

export interface Head {
  status: number
  /** What stands behind the status in its line; '' where HTTP has none. */
  text: string
  version: string
  headers: IncomingHttpHeaders
}

export interface Answer {
  head: Head
  /** Empty where it was not wanted. */
  body: Body
}

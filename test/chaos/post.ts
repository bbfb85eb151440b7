/**
 * Sends one POST to a door over kept connections, and decides what its answer means for the ledger.
 */
import { Agent, request } from 'node:http'
import type { Verdict } from './ledger.ts'

export interface Reply {
  /** HTTP status. 0: no answer, because the connection was refused or cut, or the time was over. */
  status: number
  /** Seconds, from Retry-After; null when there is none. */
  retryAfter: number | null
  /** Milliseconds. */
  took: number
  body: string
}

/** A door answers within 5 s, unless it waits for Postgres, too, or the machine is busy. */
export const PATIENCE_MS = 30_000

export function createPoster(): { post(url: string, headers: Record<string, string>, body: string): Promise<Reply>; close(): void } {
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 })
  return {
    post: (url, headers, body) =>
      new Promise((resolve) => {
        const started = performance.now()
        const end = (status: number, retryAfter: number | null, text: string) =>
          resolve({ status, retryAfter, took: Math.round(performance.now() - started), body: text })
        const sent = request(
          url,
          {
            agent,
            method: 'POST',
            headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
            signal: AbortSignal.timeout(PATIENCE_MS)
          },
          (answer) => {
            let text = ''
            answer.setEncoding('utf8')
            answer.on('data', (chunk: string) => {
              text += chunk
            })
            const after = Number(answer.headers['retry-after'])
            answer.once('end', () => end(answer.statusCode ?? 0, Number.isInteger(after) ? after : null, text))
            // The connection was cut in the middle of the answer, which counts as no answer.
            answer.on('error', () => end(0, null, ''))
          }
        )
        sent.on('error', () => end(0, null, ''))
        sent.end(body)
      }),
    close: () => agent.destroy()
  }
}

export const verdictOf = ({ status }: Reply): Verdict =>
  status >= 200 && status < 300 ? 'accepted' : status >= 400 && status < 500 ? 'refused' : 'unknown'

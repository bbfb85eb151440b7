/**
 * HTTP client that sends one request at a time over one keep-alive connection, unchanged: any path,
 * header and body that Node allows.
 */
import { Agent, request } from 'node:http'

export interface Sent {
  method: string
  /** With the query. */
  path: string
  headers: Readonly<Record<string, string>>
  body: Buffer | null
  /** Whether the body is sent in chunks, without a length. */
  chunked?: boolean
}

export interface Answer {
  /** 0: there was no answer, and `body` says why. */
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
  ms: number
}

const PATIENCE_MS = 60_000

export interface Client {
  send(sent: Sent): Promise<Answer>
  close(): void
}

export function createClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })

  const once = (sent: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const from = performance.now()
      const asked = request({
        agent,
        host: '127.0.0.1',
        port,
        method: sent.method,
        path: sent.path,
        headers: { ...sent.headers, ...(sent.body && !sent.chunked && { 'content-length': String(sent.body.length) }) }
      })
      asked.setTimeout(PATIENCE_MS, () => asked.destroy(new Error(`no answer within ${PATIENCE_MS / 1000} s`)))
      let answered = false
      asked.on('error', (error: NodeJS.ErrnoException) => {
        // An error after an early answer does no harm: after a 413 the rest of the body is not
        // read.
        if (!answered) reject(error)
      })
      asked.on('response', (response) => {
        answered = true
        const parts: Buffer[] = []
        const end = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
            ms: performance.now() - from
          })
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', end)
        response.on('error', end)
      })
      asked.end(sent.body ?? undefined)
    })

  return {
    async send(sent) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(sent)
        } catch (error) {
          const { code = '', message } = error as NodeJS.ErrnoException
          // The server may close a keep-alive connection just as it is used again, and may close it
          // while a refused body is still being sent, before its answer is read.
          if (!['ECONNRESET', 'EPIPE'].includes(code) || attempt === 3) return { status: 0, headers: {}, body: `${code} ${message}`, ms: 0 }
        }
      }
    },
    close: () => agent.destroy()
  }
}

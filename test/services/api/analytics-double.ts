/**
 * Replaces the analytics role in tests of what the api asks of it and does with its answers. It
 * speaks the same protocol.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { QueryRequest } from '../../../schemas/analytics.ts'
import type { Teardown } from '../../harness/engines.ts'

export type Answering = (question: QueryRequest, request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Starts a server that speaks the protocol of analytics. It gives the answers that the test sets
 * and records every query. `path`: listen on this socket file instead of a port.
 */
export async function analyticsDouble(t: Teardown, path?: string) {
  const asked: QueryRequest[] = []
  const seen: { authorization: string | undefined; url: string | undefined }[] = []
  const double = {
    asked,
    seen,
    url: '',
    /** Returns the rows; or writes the response itself and returns undefined. */
    answer: (() => []) as Answering,
    /** Returns the queries since the last call. */
    taken: () => asked.splice(0)
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const question: QueryRequest = JSON.parse(Buffer.concat(parts).toString())
      asked.push(question)
      seen.push({ authorization: request.headers.authorization, url: `${request.method} ${request.url}` })
      const rows = await double.answer(question, request, response)
      if (rows !== undefined)
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ rows, complete_until: Date.UTC(2026, 10, 21) }))
    })
  })
  await new Promise<void>((resolve) => (path ? server.listen(path, resolve) : server.listen(0, '127.0.0.1', resolve)))
  double.url = path ? `unix:${path}` : `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return double
}

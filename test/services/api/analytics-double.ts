/**
 * Stands in for the role analytics where a test is about what the api asks and makes of answers; it
 * speaks the same protocol.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { QueryRequest } from '../../../schemas/analytics.ts'
import type { Teardown } from '../../harness/engines.ts'

export type Answering = (question: QueryRequest, request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Speaks the protocol of analytics and answers what a test says; notes every question. `path`: a
 * socket file instead of a port.
 */
export async function analyticsDouble(t: Teardown, path?: string) {
  const asked: QueryRequest[] = []
  const seen: { authorization: string | undefined; url: string | undefined }[] = []
  const double = {
    asked,
    seen,
    url: '',
    /** Gives the rows, or answers itself and gives undefined. */
    answer: (() => []) as Answering,
    /** Questions since the last look. */
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

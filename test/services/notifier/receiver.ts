/** Starts an HTTP server that records every request and answers as told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Teardown } from '../../harness/engines.ts'

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Answers one request; by default 204. */
export type Answer = (response: ServerResponse, request: Received, nth: number) => void

export interface Receiver {
  url: string
  port: number
  received: Received[]
  /** By path. */
  answers: Map<string, Answer>
  close(): Promise<void>
}

export async function receiver(t: Teardown): Promise<Receiver> {
  const received: Received[] = []
  const answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body }
      const nth = received.filter(({ path }) => path === one.path).length
      received.push(one)
      const answer = answers.get(one.path)
      if (answer) answer(response, one, nth)
      else response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  t.teardown(close)
  return { url: `http://127.0.0.1:${port}`, port, received, answers, close }
}

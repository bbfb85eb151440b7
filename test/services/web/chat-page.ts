/**
 * A chat service for the dashboard's stories. Its page that adds an app agrees at once, or refuses
 * if `says` is 'no'. Its API is that of the contract server.
 */
import { createServer } from 'node:http'
import type { Vendor } from '../channels/contract.ts'

export interface ChatPage {
  /** What the person answers on that page from now on. */
  says: 'yes' | 'no'
  close(): Promise<void>
}

interface ChatService {
  /** The port where the product expects the chat service. */
  port: number
  vendor: Vendor
  /** Path of the page that asks the person. */
  authorize: string
  /**
   * Called when the page is opened, with the code that it issues: tells the vendor what the code is
   * worth.
   */
  chosen(code: string, redirect_uri: string): void
}

export async function openChatPage({ port, vendor, authorize, chosen }: ChatService): Promise<ChatPage> {
  let codes = 0
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://chat.test')
      if (pathname === authorize) {
        const redirect_uri = searchParams.get('redirect_uri') ?? ''
        const code = `code-${++codes}`
        chosen(code, redirect_uri)
        const answer = page.says === 'yes' ? { code } : { error: 'access_denied' }
        const back = new URLSearchParams({ ...answer, state: searchParams.get('state') ?? '' })
        return response.writeHead(302, { location: `${redirect_uri}?${back}` }).end()
      }
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const answer = vendor({ method: request.method ?? '', path: `${pathname}${search}`, headers, body })
      const text = answer.status === 204 ? undefined : JSON.stringify(answer.body)
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const page: ChatPage = {
    says: 'yes',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
  return page
}

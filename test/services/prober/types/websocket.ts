import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, networkOf, tcp } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'

/**
 * Starts a server that greets by its path and echoes messages. It answers 401 without the required
 * header.
 */
async function server(stage: Stage, pair: { key: string; cert: string } | null): Promise<number> {
  const web = pair ? createTlsServer(pair) : createServer()
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => [...offered][0] ?? false })
  web.on('upgrade', (request, socket, head) => {
    socket.on('error', () => undefined)
    if (request.url === '/locked' && request.headers.authorization !== 'Bearer opens') {
      socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n')
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      if (request.url === '/hello') client.send('hello')
      if (request.url === '/host') client.send(`for ${request.headers.host}`)
      if (request.url === '/late') setTimeout(() => client.send('late'), 30)
      if (request.url === '/bye') client.close()
      client.on('message', (data) => {
        client.send('first another thing')
        client.send(`echo ${String(data)}`)
      })
    })
  })
  web.on('request', (_request, response) => response.writeHead(404).end())
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  stage.teardown(() => {
    for (const client of sockets.clients) client.terminate()
    web.closeAllConnections()
    web.close()
  })
  return (web.address() as AddressInfo).port
}

export const cases: TypeCases = {
  against: 'ws',
  async cases(stage): Promise<Case[]> {
    const port = await server(stage, null)
    const secured = await server(stage, certificate(stage))
    const other = createServer((_request, response) => response.end('a page'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    stage.teardown(() => other.close())
    const page = (other.address() as AddressInfo).port
    const silent = await tcp(stage, () => undefined)
    const noise = await tcp(stage, (socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    const numberless = await tcp(stage, (socket) => socket.end('HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n'))
    const of = (target: string, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(target, { type: 'websocket', timeout_seconds: 2, config, ...changes })
    const at = (path: string) => `ws://127.0.0.1:${port}${path}`
    const header = (value: string) => ({ headers: [{ name: 'Authorization', value, secret: true }] })
    return [
      { what: 'the upgrade', gives: 'success', monitor: of(at('/')), shows: { status: 101, remoteIp: '127.0.0.1', bytes: null } },
      {
        what: 'the host that a header names',
        gives: 'success',
        monitor: of(at('/host'), { headers: [{ name: 'Host', value: 'shop.example' }], expect: '^for shop.example$' })
      },
      {
        what: 'the message that is expected, behind another',
        gives: 'success',
        monitor: of(at('/'), { send: 'ping', expect: '^echo ping$' })
      },
      { what: 'a message at once', gives: 'success', monitor: of(at('/hello'), { expect: 'hello' }) },
      { what: 'a subprotocol', gives: 'success', monitor: of(at('/'), { subprotocols: ['chat'] }) },
      { what: 'credentials that open', gives: 'success', monitor: of(at('/locked'), header('Bearer opens')) },
      { what: 'credentials that do not', gives: 'auth', monitor: of(at('/locked'), header('Bearer hunter2')) },
      { what: 'no credentials', gives: 'http_status', monitor: of(at('/locked')), shows: { status: 401 } },
      { what: 'slow', gives: 'degraded', monitor: of(at('/late'), { expect: 'late' }, { degraded_after_ms: 5 }) },
      {
        what: 'an assertion on the message',
        gives: 'assertion',
        monitor: of(at('/hello'), {}, { assertions: [{ source: 'text', op: 'eq', value: 'goodbye' }] })
      },
      {
        what: 'another message than expected',
        gives: 'assertion',
        monitor: of(at('/hello'), { expect: 'goodbye' }, { timeout_seconds: 1 })
      },
      { what: 'no message', gives: 'timeout', monitor: of(at('/'), { expect: 'x' }, { timeout_seconds: 1 }) },
      { what: 'closed before the message', gives: 'protocol', monitor: of(at('/bye'), { expect: 'x' }) },
      { what: 'a page instead', gives: 'http_status', monitor: of(`ws://127.0.0.1:${page}/`), shows: { status: 200 } },
      { what: 'another protocol', gives: 'protocol', monitor: of(`ws://127.0.0.1:${noise}/`) },
      { what: 'a status that is none', gives: 'protocol', monitor: of(`ws://127.0.0.1:${numberless}/`), shows: { status: null } },
      { what: 'silence', gives: 'timeout', monitor: of(`ws://127.0.0.1:${silent}/`, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of('ws://127.0.0.1:1/') },
      { what: 'a name that does not exist', gives: 'dns', monitor: of('ws://nowhere.test/') },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(at('/')),
        network: networkOf({ open: [], closed: [], own: [] })
      },
      { what: 'a certificate that nobody trusts', gives: 'tls', monitor: of(`wss://127.0.0.1:${secured}/`) },
      {
        what: 'one that is not verified',
        gives: 'success',
        monitor: of(`wss://127.0.0.1:${secured}/hello`, { verify_tls: false, expect: 'hello' })
      }
    ]
  }
}

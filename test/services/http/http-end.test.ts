/**
 * Ending an HTTP server: it does not wait for idle connections, it answers every request under way,
 * and it ends in any case.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { endable } from '../../../services/http/http-end.ts'
import { until } from '../../harness/until.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** Starts a server. The test itself answers the requests. */
async function stand(t: Test) {
  const asked: ServerResponse[] = []
  const connected: Socket[] = []
  const server = createServer((_request, response) => void asked.push(response))
  server.on('connection', (socket: Socket) => connected.push(socket))
  const end = endable(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  const { port } = server.address() as AddressInfo
  return {
    asked,
    async dial(text: string) {
      const before = connected.length
      const socket = connect(port, '127.0.0.1')
      t.teardown(() => socket.destroy())
      const said = { text: '', closed: false }
      socket.on('data', (chunk) => {
        said.text += chunk
      })
      socket.on('error', () => undefined) // It may be cut off.
      socket.once('close', () => {
        said.closed = true
      })
      socket.write(text)
      await until('the connection', () => connected.length > before)
      return said
    },
    end(ms: number) {
      end(ms)
      return new Promise((resolve) => server.close(resolve))
    }
  }
}

t.test('a server that ends does not wait for idle connections', async (t) => {
  const { asked, dial, end } = await stand(t)
  const silent = await dial('')
  const half = await dial('GET / HTTP/1.1\r\nHos')
  const kept = await dial(GET)
  await until('the question', () => asked.length === 1)
  asked[0]?.end('yes')
  await until('the answer', () => kept.text.includes('yes'))
  await end(60_000)
  await until('all to be cut off', () => [silent, half, kept].every(({ closed }) => closed))
  t.equal(silent.text + half.text, '')
})

t.test('a server that ends answers every request under way, then closes its connection', async (t) => {
  const { asked, dial, end } = await stand(t)
  const one = await dial(GET)
  const piped = await dial(GET + GET)
  await until('the questions', () => asked.length === 3)
  const ended = end(60_000)
  for (const response of asked) response.end('yes')
  await ended
  await until('the end of both', () => one.closed && piped.closed)
  t.equal(one.text.split('yes').length, 2)
  t.equal(piped.text.split('yes').length, 3, 'each of its questions')
})

t.test('a server that ends cuts off a request that never finishes', async (t) => {
  const { asked, dial, end } = await stand(t)
  const body = await dial('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf')
  await until('the question', () => asked.length === 1)
  await end(100)
  await until('it to be cut off', () => body.closed)
  t.equal(body.text, '')
})

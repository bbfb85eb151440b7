/** Tests how names are resolved when a name server answers only some questions. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Answer, decode, encode, RECURSION_DESIRED } from 'dns-packet'
import t from 'tap'
import { createResolver } from '../../../services/http/resolve.ts'

type Kind = 'A' | 'AAAA'

/**
 * Starts a name server. `answers`: by the type of the question; a missing one is never answered.
 */
async function startServer(answers: Partial<Record<Kind, string[]>>) {
  const socket = createSocket('udp4')
  const asked: Record<Kind, number> = { A: 0, AAAA: 0 }
  let tellThird = (): void => undefined
  const third = new Promise<void>((resolve) => {
    tellThird = resolve
  })
  socket.on('message', (bytes, { port, address }) => {
    const query = decode(bytes)
    const [question] = query.questions ?? []
    if (!question || (question.type !== 'A' && question.type !== 'AAAA')) return
    const { name, type } = question
    asked[type] += 1
    if (asked[type] === 3) tellThird()
    const found = answers[type]
    if (!found) return
    const records = found.map((data): Answer => ({ name, type, ttl: 1, data }))
    socket.send(
      encode({ type: 'response', id: query.id ?? 0, flags: RECURSION_DESIRED, questions: [question], answers: records }),
      port,
      address
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { server: `127.0.0.1:${(socket.address() as AddressInfo).port}`, third, close: () => socket.close() }
}

const HOSTS = '/nonexistent/hosts'

t.test('a name server that answers no IPv6 question does not hold up the IPv4 addresses', async (t) => {
  const { server, third, close } = await startServer({ A: ['192.0.2.1'] })
  t.teardown(close)
  const found = createResolver(HOSTS, [server])('a.example', 0)
  // c-ares repeats the question after seconds.
  t.strictSame(await Promise.race([found, third.then(() => 'the question was given up')]), ['192.0.2.1'])
})

t.test('both families are found, IPv4 first', async (t) => {
  const { server, close } = await startServer({ A: ['192.0.2.1'], AAAA: ['2001:db8::1'] })
  t.teardown(close)
  t.strictSame(await createResolver(HOSTS, [server])('a.example', 0), ['192.0.2.1', '2001:db8::1'])
})

t.test('a name with only IPv6 addresses has these, and one without any has the error of the IPv4 question', async (t) => {
  const six = await startServer({ A: [], AAAA: ['2001:db8::1'] })
  const none = await startServer({ A: [], AAAA: [] })
  t.teardown(six.close)
  t.teardown(none.close)
  t.strictSame(await createResolver(HOSTS, [six.server])('a.example', 0), ['2001:db8::1'])
  await t.rejects(async () => createResolver(HOSTS, [none.server])('a.example', 0), { code: 'ENODATA', syscall: 'queryA' })
})

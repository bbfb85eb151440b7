/**
 * Tests that an incident gets one ticket even if an answer is lost. Each ticket system opens the
 * ticket and then does not answer, closes the connection, or reports a failure. Then it is called
 * again until the message has arrived.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { RemoteRef } from '../../../services/channels/channel.ts'
import { channels } from '../../../services/channels/kinds/index.ts'
import { type AttemptInput, performAttempt } from '../../../services/delivery/perform.ts'
import { localSenders } from '../notifier/channels.ts'
import { type Asked, contracts } from './contract.ts'
import { deployment, message, up } from './messages.ts'

/** Kind → the contract server's word for the opening of a ticket. */
const OPENS: Readonly<Record<string, string>> = {
  servicenow: 'record',
  freshservice: 'ticket',
  linear: 'issue',
  jira: 'issue',
  zendesk: 'ticket'
}
const MAX_ATTEMPTS = 6
const LIMITS = { connectMs: 2000, totalMs: 500 }
const written = await contracts()

/** What a ticket system does with its answer to the first request that opens a ticket. */
const losses: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'it says nothing': () => undefined,
  'it breaks off': (response) => void response.socket?.destroy(),
  'it sends half of a body': (response) => {
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': '500' }).write('{"id"')
    response.socket?.end()
  },
  'it says that it failed': (response) => void response.writeHead(502).end('bad gateway'),
  'it says what nobody understands': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
}

async function askedBy(request: IncomingMessage): Promise<Asked> {
  let body = ''
  for await (const piece of request) body += String(piece)
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  return { method: request.method ?? '', path: request.url ?? '', headers, body }
}

/** Starts a ticket system that opens tickets and loses its first answer. */
async function desk(t: Test, kind: string, lose: (response: ServerResponse) => void) {
  const contract = written.get(kind)
  if (!contract) throw new Error(`${kind}: has no contract`)
  const did: string[] = []
  const vendor = contract.vendor(contract.config(''), '')
  const server = createServer(async (request, response) => {
    const answer = vendor(await askedBy(request))
    did.push(answer.refused ? `refused: ${answer.did}` : answer.did)
    if (answer.did === OPENS[kind] && did.filter((one) => one === OPENS[kind]).length === 1) return lose(response)
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { did, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, config: contract.config('') }
}

for (const kind of Object.keys(OPENS))
  t.test(`${kind}: an incident gets one ticket even if an answer is lost`, async (t) => {
    const channel = channels[kind as keyof typeof channels]
    if (!channel) throw new Error(`${kind} is not built`)
    const senders = localSenders()
    t.teardown(() => senders.http.close())
    for (const [what, lose] of Object.entries(losses)) {
      const { did, url, config } = await desk(t, kind, lose)
      const input = (over: Partial<AttemptInput>): AttemptInput => ({
        channel,
        message: message(),
        config,
        secrets: [],
        remote_ref: null,
        attempt: 1,
        deployment: { ...deployment, base_urls: { [kind]: url } },
        limits: LIMITS,
        ...over
      })
      let ref: RemoteRef | undefined
      let doubtful = false
      for (let attempt = 1; attempt <= MAX_ATTEMPTS && !ref; attempt++) {
        const { result } = await performAttempt(senders, input({ attempt, doubtful }))
        if (result.outcome === 'delivered') ref = result.remote_ref
        doubtful ||= result.outcome === 'unanswered' ? result.failure.ambiguous : result.outcome === 'retry' && result.ambiguous === true
        if (attempt === 1) t.ok(doubtful, `${what}: it may have been opened`)
      }
      t.equal(did.filter((one) => one === OPENS[kind]).length, 1, `${what}: ${did.join(', ')}`)
      t.ok(ref, 'and it is known')
      const ended = await performAttempt(senders, input({ message: up(), remote_ref: ref ?? null }))
      t.equal(ended.result.outcome, 'delivered', 'and ended')
      const fresh = await desk(t, kind, lose)
      await performAttempt(senders, input({ deployment: { ...deployment, base_urls: { [kind]: fresh.url } } }))
      const found = await performAttempt(senders, input({ message: up(), deployment: { ...deployment, base_urls: { [kind]: fresh.url } } }))
      t.equal(found.result.outcome, 'delivered', 'an incident that ended first finds it, and ends it')
      t.same(
        [...did, ...fresh.did].filter((one) => one.startsWith('refused')),
        []
      )
    }
  })

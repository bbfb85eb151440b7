/**
 * Uses Synapse, a Matrix homeserver, as the receiver: people can read what we send, and our
 * contract server must refuse the same requests as Synapse. Needs `python3` with `pip`.
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { projectRoot } from '../../../schemas/files.ts'
import type { Message, RemoteRef } from '../../../services/channels/channel.ts'
import { channel as matrix } from '../../../services/channels/kinds/matrix.ts'
import { performAttempt } from '../../../services/delivery/perform.ts'
import { freePorts } from '../../harness/free-ports.ts'
import { pythonWith } from '../../harness/python.ts'
import { until } from '../../harness/until.ts'
import { localSenders } from '../notifier/channels.ts'
import { contract } from './contracts/matrix.ts'
import { acknowledged, DELIVERY, deployment, message, short, test, up } from './messages.ts'

const SCRIPT = join(projectRoot, 'test/services/channels/homeserver.py')
const SECRET = 'registers-users-of-this-test'
const START_MS = 60_000
t.setTimeout(420_000)

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: JSON of the server, read by the test field by field
  body: any
}

interface Homeserver {
  url: string
  ask(token: string, method: string, path: string, body?: object | string): Promise<Answer>
  /** Returns the token. */
  user(name: string): Promise<string>
}

async function homeserver(t: Test): Promise<Homeserver> {
  const python = await pythonWith(['matrix-synapse==1.163.2'])
  const folder = mkdtempSync(join(tmpdir(), 'service-synapse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [port = 0] = await freePorts(1)
  const child = python.start(SCRIPT, { FOLDER: folder, PORT: String(port), SECRET })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      said = (said + piece.toString()).slice(-4000)
    })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(async () => {
    child.stdin.end()
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await until(
    'Synapse to answer',
    async () => {
      if (child.exitCode !== null) throw new Error(`Synapse ended:\n${said}`)
      return fetch(`${url}/_matrix/client/versions`).then(
        ({ ok }) => ok,
        () => false
      )
    },
    START_MS
  )
  const ask: Homeserver['ask'] = async (token, method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
    })
    return { status: answer.status, body: await answer.json() }
  }
  return {
    url,
    ask,
    async user(username) {
      const { nonce } = (await ask('', 'GET', '/_synapse/admin/v1/register')).body
      const password = `password-of-${username}`
      const mac = createHmac('sha1', SECRET).update([nonce, username, password, 'notadmin'].join('\0')).digest('hex')
      const made = await ask('', 'POST', '/_synapse/admin/v1/register', { nonce, username, password, admin: false, mac })
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      return made.body.access_token
    }
  }
}

t.test('a Synapse homeserver accepts our messages and shows them', async (t) => {
  const server = await homeserver(t)
  const [bot, reader] = [await server.user('alerts'), await server.user('reader')]
  const room = await server.ask(reader, 'POST', '/_matrix/client/v3/createRoom', {
    room_alias_name: 'ops',
    invite: ['@alerts:example.org']
  })
  const room_id: string = room.body.room_id
  const senders = localSenders()
  t.teardown(() => senders.http.close())
  const config = { homeserver_url: server.url, access_token: bot, room_id }
  const attempt = async (what: Message, over: Partial<typeof config> = {}, remote_ref: RemoteRef | null = null) => {
    const { result } = await performAttempt(senders, {
      channel: matrix,
      message: what,
      config: { ...config, ...over },
      secrets: [],
      remote_ref,
      attempt: 1,
      deployment
    })
    if (result.outcome === 'unanswered') throw result.failure
    return result
  }
  const first = await attempt(message())
  t.match(first, { outcome: 'delivered', remote_ref: { room_id } }, 'invited, it joins')
  const ref = first.outcome === 'delivered' ? (first.remote_ref ?? null) : null
  t.same(await attempt(message()), first, 'the same delivery is the same event')
  t.match(await attempt(acknowledged({ delivery_id: `${DELIVERY}-2` }), {}, ref), { outcome: 'delivered' })
  t.match(await attempt(up({ delivery_id: `${DELIVERY}-3` }), {}, ref), { outcome: 'delivered' })
  t.match(await attempt(test({ delivery_id: `${DELIVERY}-4` }), { room_id: '#ops:example.org' }), { outcome: 'delivered' })

  const shown = await server.ask(reader, 'GET', `/_matrix/client/v3/rooms/${encodeURIComponent(room_id)}/messages?dir=f&limit=50`)
  const events = shown.body.chunk.filter(
    ({ type, sender }: { type: string; sender: string }) => type === 'm.room.message' && sender === '@alerts:example.org'
  )
  t.equal(events.length, 5, 'message, two edits, an answer, a notice')
  t.match(events[0].content, { body: /^\[CRITICAL\] api\.example\.com is down/, formatted_body: /^<b>/ })
  const edited = await server.ask(
    reader,
    'GET',
    `/_matrix/client/v3/rooms/${encodeURIComponent(room_id)}/event/${encodeURIComponent(ref?.event_id ?? '')}`
  )
  t.match(
    edited.body.unsigned['m.relations']['m.replace'].content['m.new_content'].body,
    /^\[RESOLVED\]/,
    'the first message is shown as it is now'
  )
  t.equal(events[3].content['m.relates_to']['m.in_reply_to'].event_id, ref?.event_id)
  t.equal(events[4].content.msgtype, 'm.notice')

  t.equal(short(await attempt(message(), { access_token: 'syt_nobody' })), 'permanent channel')
  const closed = await server.ask(reader, 'POST', '/_matrix/client/v3/createRoom', {})
  t.equal(short(await attempt(message({ delivery_id: 'x' }), { room_id: closed.body.room_id })), 'permanent channel', 'nobody invited it')
  t.equal(short(await attempt(message({ delivery_id: 'y' }), { room_id: '#nothing:example.org' })), 'permanent channel')

  const path = `/_matrix/client/v3/rooms/${encodeURIComponent('!room:example.org')}/send/m.room.message`
  const good = {
    method: 'PUT',
    path: `${path}/wrong`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer valid' },
    body: JSON.stringify({ msgtype: 'm.text', body: 'a' })
  }
  for (const [what, change] of Object.entries(contract.wrong)) {
    const valid = { homeserver_url: server.url, access_token: 'valid', room_id: '!room:example.org' }
    const ours = contract.vendor(valid, server.url)(change(good))
    const asked = change(good)
    const token = asked.headers.authorization?.replace('Bearer ', '').replace('valid', bot) ?? ''
    const theirs = await server.ask(
      token,
      'PUT',
      asked.path.replace(encodeURIComponent('!room:example.org'), encodeURIComponent(room_id)),
      asked.body
    )
    t.same([theirs.status, theirs.body.errcode], [ours.status, (ours.body as { errcode: string }).errcode], `refused alike: ${what}`)
  }
})

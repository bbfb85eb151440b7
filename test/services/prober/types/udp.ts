import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, networkOf } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'

async function server(stage: Stage, answer: (text: string) => string | null, lateMs = 0): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (data, { port, address }) => {
    const said = answer(data.toString('latin1'))
    if (said !== null) setTimeout(() => socket.send(said, port, address), lateMs)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  stage.teardown(() => socket.close())
  return socket.address().port
}

export const cases: TypeCases = {
  against: 'sockets of Node',
  async cases(stage): Promise<Case[]> {
    const echo = await server(stage, (text) => `you said ${text}`)
    const late = await server(stage, () => 'late', 30)
    const silent = await server(stage, () => null)
    const of = (port: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${port}`, { type: 'udp', timeout_seconds: 1, config, ...changes })
    return [
      { what: 'a reply', gives: 'success', monitor: of(echo, { send: 'ping' }), shows: { bytes: 13, remoteIp: '127.0.0.1' } },
      { what: 'the reply that is expected', gives: 'success', monitor: of(echo, { send_base64: 'aGk=', expect: '^you said hi$' }) },
      {
        what: 'another reply than expected',
        gives: 'assertion',
        monitor: of(echo, { send: 'ping', expect: 'pong' }),
        shows: { message: 'The reply is not what is expected' }
      },
      {
        what: 'an assertion on the reply',
        gives: 'assertion',
        monitor: of(echo, { send: 'ping' }, { assertions: [{ source: 'text', op: 'not_contains', value: 'said' }] })
      },
      { what: 'no reply where none is expected', gives: 'success', monitor: of(silent, { expect_reply: false }), shows: { bytes: null } },
      { what: 'slow', gives: 'degraded', monitor: of(late, {}, { degraded_after_ms: 5 }) },
      { what: 'silence', gives: 'timeout', monitor: of(silent) },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1), shows: { message: 'The port is closed' } },
      { what: 'a port that is closed, where no reply is expected', gives: 'connect', monitor: of(1, { expect_reply: false }) },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test:53', { type: 'udp' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(echo),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}

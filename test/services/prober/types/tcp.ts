import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, networkOf, tcp, tls } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'

const PING = { send: 'PING\\r\\n', expect: '^\\+PONG' }
const err: Assignment['assertions'] = [{ source: 'text', op: 'contains', value: 'ERR' }]

export const cases: TypeCases = {
  against: 'sockets of Node',
  async cases(stage): Promise<Case[]> {
    const open = await tcp(stage, () => undefined)
    const open6 = await tcp(stage, () => undefined, '::1')
    const late = await tcp(stage, (socket) => void setTimeout(() => socket.write('late'), 30))
    const cutting = await tcp(stage, (socket) => socket.once('data', () => socket.resetAndDestroy()))
    const secured = await tls(stage, certificate(stage), (socket) => socket.write('220 ready\r\n'))
    const talking = await tcp(stage, (socket) =>
      socket.on('data', (data: Buffer) => {
        const text = data.toString('latin1')
        if (text === 'PING\r\n') {
          socket.write('+PO')
          setTimeout(() => socket.write('NG\r\n'), 20)
        } else if (text === '\0\u00ff') socket.end('binary')
        else if (text === 'long') for (let n = 0; n < 40; n++) socket.write('x'.repeat(4096))
        else if (text === 'bye') socket.end()
        else socket.write('-ERR hunter2\r\n')
      })
    )
    const of = (port: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${port}`, { type: 'tcp', timeout_seconds: 2, config, ...changes })
    return [
      {
        what: 'a port that is open',
        gives: 'success',
        monitor: of(open),
        shows: { remoteIp: '127.0.0.1', status: null, bytes: null, tls: null },
        holds: ({ timings }) => (timings.connect !== null && timings.tls === null && timings.ttfb === null ? null : 'its phases')
      },
      { what: 'over IPv6', gives: 'success', monitor: assignment(`[::1]:${open6}`, { type: 'tcp' }), shows: { remoteIp: '::1' } },
      { what: 'something is sent, nothing is expected', gives: 'success', monitor: of(open, { send: 'hello' }) },
      {
        what: 'a reply in pieces',
        gives: 'success',
        monitor: of(talking, PING),
        shows: { assertions: [] },
        holds: ({ timings: { connect, request, ttfb, download } }) =>
          [connect, request, ttfb, download].includes(null) ? 'every phase has its time' : null
      },
      { what: 'bytes that are no text', gives: 'success', monitor: of(talking, { send_base64: 'AP8=', expect: 'binary' }) },
      {
        what: 'a long reply',
        gives: 'success',
        monitor: of(talking, { send: 'long' }, { assertions: [{ source: 'text', op: 'len_gt', value: 60_000 }] })
      },
      {
        what: 'another reply than expected',
        gives: 'assertion',
        monitor: of(talking, { ...PING, send: 'nonsense' }, { timeout_seconds: 1 }),
        shows: { message: 'The reply is not what is expected', assertions: [] }
      },
      {
        what: 'an assertion on the reply holds',
        gives: 'success',
        monitor: of(talking, { send: 'nonsense' }, { assertions: err }),
        shows: { assertions: [{ index: 0, ok: true, actual: null }] },
        holds: ({ timings: { download } }) => (download === 0 ? null : `the wait for more counts: ${download} ms`)
      },
      {
        what: 'an assertion on the reply does not',
        gives: 'assertion',
        monitor: of(talking, { send: 'PING\\r\\n' }, { assertions: err }),
        shows: { message: /^Assertion 1 does not hold/ }
      },
      {
        what: 'one that means degraded',
        gives: 'degraded',
        monitor: of(talking, { send: 'PING\\r\\n' }, { assertions: err.map((one) => ({ ...one, on_fail: 'degraded' })) })
      },
      { what: 'slow', gives: 'degraded', monitor: of(late, { expect: 'late' }, { degraded_after_ms: 5 }) },
      { what: 'closed without a reply', gives: 'protocol', monitor: of(talking, { send: 'bye', expect: 'x' }) },
      { what: 'broken off', gives: 'protocol', monitor: of(cutting, { send: 'a', expect: 'b' }) },
      {
        what: 'silence',
        gives: 'timeout',
        monitor: of(open, { expect: 'x' }, { timeout_seconds: 1 }),
        shows: { message: 'The time was over before the answer began' }
      },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1), shows: { message: 'The connection was refused' } },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test:80', { type: 'tcp' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(open),
        network: networkOf({ open: [], closed: [], own: [] })
      },
      { what: 'TLS where there is none', gives: 'tls', monitor: of(cutting, { tls: true }) },
      {
        what: 'a handshake without an end',
        gives: 'timeout',
        monitor: of(open, { tls: true }, { timeout_seconds: 1 }),
        shows: { message: /handshake/ }
      },
      {
        what: 'a certificate that nobody trusts',
        gives: 'tls',
        monitor: of(secured, { tls: true }),
        shows: { message: 'The certificate is self-signed', tls: { chain_ok: false } }
      },
      {
        what: 'one that is not verified',
        gives: 'success',
        monitor: of(secured, { tls: true, verify_tls: false, expect: '^220 ' }),
        shows: { tls: { subject: /test target/ } }
      },
      {
        what: 'one with too few days left',
        gives: 'assertion',
        monitor: of(secured, { tls: true, verify_tls: false }, { assertions: [{ source: 'tls_days', op: 'gt', value: 60 }] })
      }
    ]
  }
}

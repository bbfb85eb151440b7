import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, networkOf, tcp } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'
import { dovecot, PASSWORD, scripted, USER } from './mail-servers.ts'

export const cases: TypeCases = {
  against: 'Dovecot',
  async cases(stage): Promise<Case[]> {
    const { pop3: port, pop3s: secure } = await dovecot(stage, certificate(stage))
    const silent = await tcp(stage, () => undefined)
    const other = await scripted(stage, '220 hunter2 ready\r\n', [])
    const busy = await scripted(stage, '-ERR hunter2\r\n', [])
    const bare = await scripted(stage, '+OK ready\r\n', [[/CAPA/, '+OK\r\nUSER\r\n.\r\n']])
    const refusing = await scripted(stage, '+OK ready\r\n', [
      [/CAPA/, '+OK\r\nSTLS\r\n.\r\n'],
      [/STLS/, '-ERR hunter2\r\n']
    ])
    const of = (at: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${at}`, { type: 'pop3', timeout_seconds: 20, config: { verify_tls: false, ...config }, ...changes })
    const login = (password: string) => ({ username: USER, password })
    return [
      { what: 'STARTTLS', gives: 'success', monitor: of(port), shows: { tls: { subject: /test target/ }, remoteIp: '127.0.0.1' } },
      { what: 'TLS from the start', gives: 'success', monitor: of(secure, { security: 'tls' }) },
      { what: 'without TLS', gives: 'success', monitor: of(port, { security: 'none' }), shows: { tls: null } },
      { what: 'a log-in', gives: 'success', monitor: of(port, login(PASSWORD)) },
      { what: 'a wrong password', gives: 'auth', monitor: of(port, login('hunter2')) },
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of(port, {}, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      },
      { what: 'a certificate that nobody trusts', gives: 'tls', monitor: of(port, { verify_tls: true }) },
      { what: 'no STARTTLS', gives: 'tls', monitor: of(bare), shows: { message: 'The server does not offer STARTTLS' } },
      { what: 'STARTTLS that is refused', gives: 'protocol', monitor: of(refusing) },
      { what: 'a greeting that ends it', gives: 'protocol', monitor: of(busy) },
      { what: 'another protocol', gives: 'protocol', monitor: of(other), shows: { message: 'The server does not speak POP3' } },
      { what: 'silence', gives: 'timeout', monitor: of(silent, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1) },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test:1', { type: 'pop3' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(port),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}

import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, networkOf, tcp } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'
import { PASSWORD, scripted, smtpServer, USER } from './mail-servers.ts'

export const cases: TypeCases = {
  against: 'smtp-server',
  async cases(stage): Promise<Case[]> {
    const pair = certificate(stage)
    const port = await smtpServer(stage, pair)
    const secure = await smtpServer(stage, pair, { secure: true })
    const bare = await smtpServer(stage, pair, { hidesTls: true })
    const silent = await tcp(stage, () => undefined)
    const busy = await scripted(stage, '421 hunter2 busy\r\n', [])
    const other = await scripted(stage, 'SSH-2.0-OpenSSH\r\n', [])
    const helloless = await scripted(stage, '220 ready\r\n', [[/^EHLO/, '502 hunter2\r\n']])
    const injecting = await scripted(stage, '220 ready\r\n', [
      [/^EHLO/, '250-here\r\n250 STARTTLS\r\n'],
      [/^STARTTLS/, '220 go\r\n250 injected\r\n']
    ])
    const hanging = await scripted(stage, '220 ready\r\n', [
      [/^EHLO/, '250-here\r\n250 STARTTLS\r\n'],
      [/^STARTTLS/, null]
    ])
    const endless = await tcp(stage, (socket) => void socket.write(`220-${'x'.repeat(70_000)}`))
    const of = (at: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${at}`, { type: 'smtp', timeout_seconds: 20, config: { verify_tls: false, ...config }, ...changes })
    const login = (password: string) => ({ username: USER, password })
    return [
      { what: 'STARTTLS', gives: 'success', monitor: of(port), shows: { tls: { subject: /test target/ }, remoteIp: '127.0.0.1' } },
      { what: 'TLS from the start', gives: 'success', monitor: of(secure, { security: 'tls' }) },
      { what: 'without TLS', gives: 'success', monitor: of(bare, { security: 'none' }), shows: { tls: null } },
      { what: 'a log-in', gives: 'success', monitor: of(port, { ...login(PASSWORD), helo: 'prober.test' }) },
      { what: 'a wrong password', gives: 'auth', monitor: of(port, login('hunter2')) },
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of(port, {}, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      },
      {
        what: 'too few days left',
        gives: 'assertion',
        monitor: of(port, {}, { assertions: [{ source: 'tls_days', op: 'gt', value: 60 }] })
      },
      { what: 'a certificate that nobody trusts', gives: 'tls', monitor: of(port, { verify_tls: true }) },
      { what: 'no STARTTLS', gives: 'tls', monitor: of(bare), shows: { message: 'The server does not offer STARTTLS' } },
      { what: 'STARTTLS that ends the connection', gives: 'protocol', monitor: of(hanging) },
      { what: 'words before TLS that nobody asked for', gives: 'protocol', monitor: of(injecting), shows: { message: /more before TLS/ } },
      { what: 'a server that is busy', gives: 'protocol', monitor: of(busy), shows: { message: 'The server greets with 421' } },
      { what: 'another protocol', gives: 'protocol', monitor: of(other), shows: { message: 'The server does not speak SMTP' } },
      { what: 'a server that knows no EHLO', gives: 'protocol', monitor: of(helloless) },
      { what: 'a line without an end', gives: 'protocol', monitor: of(endless) },
      { what: 'silence', gives: 'timeout', monitor: of(silent, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1) },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test:25', { type: 'smtp' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(port),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}

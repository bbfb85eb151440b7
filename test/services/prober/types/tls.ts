import type { AddressInfo } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { assignment, certificate, networkOf, tcp } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'
import { scripted, smtpServer } from './mail-servers.ts'

async function server(stage: Stage, options: TlsOptions): Promise<number> {
  const one = createServer(options, (socket) => socket.end())
  one.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  stage.teardown(() => one.close())
  return (one.address() as AddressInfo).port
}

export const cases: TypeCases = {
  against: 'TLS of Node, smtp-server',
  async cases(stage): Promise<Case[]> {
    const pair = certificate(stage, { days: 60 })
    const port = await server(stage, pair)
    const old = await server(stage, { ...pair, maxVersion: 'TLSv1.2' })
    const expiredPair = certificate(stage, { days: -1 })
    const expired = await server(stage, expiredPair)
    const otherPair = certificate(stage, { names: 'DNS:other.test' })
    const other = await server(stage, otherPair)
    const mail = await smtpServer(stage, pair)
    const bare = await smtpServer(stage, pair, { hidesTls: true })
    const postgres = await tcp(stage, (socket) => socket.once('data', () => socket.end('N')))
    const pop3 = await scripted(
      stage,
      '+OK\r\n',
      [
        [/CAPA/, '+OK\r\nSTLS\r\n.\r\n'],
        [/STLS/, '+OK\r\n']
      ],
      pair
    )
    const imap = await scripted(
      stage,
      '* OK\r\n',
      [
        [/CAPABILITY/, '* CAPABILITY IMAP4rev1 STARTTLS\r\nm1 OK\r\n'],
        [/STARTTLS/, 'm2 OK\r\n']
      ],
      pair
    )
    const silent = await tcp(stage, () => undefined)
    const of = (at: number, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(`127.0.0.1:${at}`, { type: 'tls', timeout_seconds: 2, config: { ca_pem: pair.cert, ...config }, ...changes })
    return [
      {
        what: 'a good certificate',
        gives: 'success',
        monitor: of(port, {}, { expiry_days: 30 }),
        shows: { tls: { chain_ok: true, subject: /test target/ } }
      },
      { what: 'for the name that is set', gives: 'success', monitor: of(port, { server_name: 'localhost' }) },
      { what: 'TLS 1.3', gives: 'success', monitor: of(port, { min_version: '1.3' }), shows: { tls: { version: 'TLSv1.3' } } },
      { what: 'after STARTTLS of SMTP', gives: 'success', monitor: of(mail, { starttls: 'smtp' }) },
      { what: 'after STARTTLS of IMAP', gives: 'success', monitor: of(imap, { starttls: 'imap' }) },
      { what: 'after STLS of POP3', gives: 'success', monitor: of(pop3, { starttls: 'pop3' }) },
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of(port, {}, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      },
      {
        what: 'days left, by an assertion',
        gives: 'assertion',
        monitor: of(port, {}, { assertions: [{ source: 'tls_days', op: 'gt', value: 90 }] })
      },
      {
        what: 'as few days left as the smallest warning',
        gives: 'tls',
        monitor: of(port, {}, { expiry_days: 60 }),
        shows: { message: 'The certificate ends in 59 days', tls: { chain_ok: true } }
      },
      {
        what: 'a certificate that has expired',
        gives: 'tls',
        monitor: of(expired, { ca_pem: expiredPair.cert }),
        shows: { message: 'The certificate has expired' }
      },
      {
        what: 'a certificate for another name',
        gives: 'tls',
        monitor: of(other, { ca_pem: otherPair.cert }),
        shows: { message: 'The certificate is for another name', tls: { chain_ok: true } }
      },
      {
        what: 'a certificate that nobody trusts',
        gives: 'tls',
        monitor: of(port, { ca_pem: null }),
        shows: { message: 'The certificate is self-signed', tls: { chain_ok: false } }
      },
      { what: 'a version of TLS that is too old', gives: 'tls', monitor: of(old, { min_version: '1.3' }) },
      { what: 'no STARTTLS', gives: 'tls', monitor: of(bare, { starttls: 'smtp' }) },
      {
        what: 'Postgres without TLS',
        gives: 'tls',
        monitor: of(postgres, { starttls: 'postgres' }),
        shows: { message: 'The server does not offer TLS' }
      },
      { what: 'another protocol before the handshake', gives: 'protocol', monitor: of(imap, { starttls: 'smtp' }) },
      { what: 'silence', gives: 'timeout', monitor: of(silent, {}, { timeout_seconds: 1 }) },
      { what: 'a port that is closed', gives: 'connect', monitor: of(1) },
      { what: 'a name that does not exist', gives: 'dns', monitor: assignment('nowhere.test', { type: 'tls' }) },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of(port),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}

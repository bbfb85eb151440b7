import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Assignment } from '../../../../schemas/http/prober.ts'
import { program } from '../../../harness/debian.ts'
import { freePort } from '../../../harness/free-ports.ts'
import { assignment, networkOf, tcp } from '../stand.ts'
import type { Case, Stage, TypeCases } from './cases.ts'

/** A key for signing mail, in pieces as DNS takes them. */
const key = ['v=DKIM1; k=rsa; p='.padEnd(255, 'A'), 'B'.repeat(255), `${'C'.repeat(100)}end`]

const zone = [
  `--txt-record=key.test,${key.join(',')}`,
  '--host-record=shop.test,192.0.2.10,2001:db8::10',
  '--host-record=two.test,192.0.2.1',
  '--host-record=two.test,192.0.2.2',
  '--cname=www.test,shop.test',
  '--mx-host=shop.test,mail.shop.test,10',
  '--txt-record=shop.test,v=spf1 -all',
  '--srv-host=_sip._tcp.shop.test,sip.shop.test,5060,1,2',
  '--caa-record=shop.test,0,issue,authority.test',
  '--ptr-record=10.2.0.192.in-addr.arpa,shop.test',
  '--auth-zone=zone.test,127.0.0.0/8',
  '--auth-server=ns.zone.test',
  '--auth-soa=2026010100,hostmaster.zone.test'
]

/** Starts dnsmasq with its own zone and no upstream server. */
async function dnsmasq(stage: Stage): Promise<number> {
  const path = await program('dnsmasq', 'dnsmasq-base')
  const port = await freePort()
  const args = [
    '--keep-in-foreground',
    '--no-daemon',
    '--conf-file=/dev/null',
    '--no-resolv',
    '--no-hosts',
    '--bind-interfaces',
    '--pid-file=',
    '--local=/test/',
    '--log-facility=-',
    '--local-ttl=60'
  ]
  const child = spawn(path, [...args, `--port=${port}`, '--listen-address=127.0.0.1', ...zone], { stdio: ['ignore', 'ignore', 'pipe'] })
  stage.teardown(async () => {
    const gone = once(child, 'exit')
    child.kill()
    await gone
  })
  await new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr.on('data', (text) => {
      said += String(text)
      if (said.includes('started')) resolve()
    })
    child.once('exit', () => reject(new Error(`dnsmasq ended: ${said}`)))
  })
  return port
}

/** Starts a UDP server that answers each datagram with the result of `answer`. */
async function udpServer(stage: Stage, answer: (data: Buffer) => Buffer | null): Promise<number> {
  const socket = createSocket('udp4')
  socket.on('message', (data, { port, address }) => {
    const said = answer(data)
    if (said) socket.send(said, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  stage.teardown(() => socket.close())
  return socket.address().port
}

export const cases: TypeCases = {
  against: 'dnsmasq',
  async cases(stage): Promise<Case[]> {
    const port = await dnsmasq(stage)
    const own = { resolvers: [`127.0.0.1:${port}`] }
    const silent = await udpServer(stage, () => null)
    const broken = await udpServer(stage, () => Buffer.from('no answer of the DNS'))
    /** Returns the same question with another id, or as refused. */
    const strange = await udpServer(stage, (data) => {
      const copy = Buffer.from(data)
      copy[0] = ~(copy[0] ?? 0) & 255
      copy[2] = (copy[2] ?? 0) | 0x80
      return copy
    })
    const answering = (code: number) => (data: Buffer) => {
      const copy = Buffer.from(data)
      copy[2] = (copy[2] ?? 0) | 0x80
      copy[3] = code
      return copy
    }
    const failing = await udpServer(stage, answering(2))
    const refusing = await udpServer(stage, answering(5))
    const ours = (what: string, gives: Case['gives'], ...ports: number[]): Case => ({
      what,
      gives,
      monitor: of('shop.test'),
      facts: { resolvers: ports.map((at) => `127.0.0.1:${at}`) }
    })
    const cutting = await tcp(stage, (socket) => socket.once('data', () => socket.end()))
    const of = (name: string, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(name, { type: 'dns', timeout_seconds: 2, config, ...changes })
    const record = (name: string, record_type: string, records: string[]): Case => ({
      what: `records of the kind ${record_type}`,
      gives: 'success',
      monitor: of(name, { record_type }),
      facts: own,
      shows: { dns: { rcode: 'NOERROR', records } }
    })
    const asserted = (what: string, gives: Case['gives'], name: string, ...assertions: Assignment['assertions']): Case => ({
      what,
      gives,
      monitor: of(name, {}, { assertions }),
      facts: own
    })
    const theirs = (what: string, gives: Case['gives'], at: number, config: Assignment['config'] = {}): Case => ({
      what,
      gives,
      monitor: of('shop.test', { resolver: `127.0.0.1:${at}`, ...config }, { timeout_seconds: 1 })
    })
    return [
      record('shop.test', 'A', ['192.0.2.10']),
      record('shop.test', 'AAAA', ['2001:db8::10']),
      record('www.test', 'CNAME', ['shop.test']),
      record('shop.test', 'MX', ['10 mail.shop.test']),
      record('shop.test', 'TXT', ['v=spf1 -all']),
      record('_sip._tcp.shop.test', 'SRV', ['1 2 5060 sip.shop.test']),
      record('shop.test', 'CAA', ['0 issue "authority.test"']),
      record('192.0.2.10', 'PTR', ['shop.test']),
      { ...record('www.test', 'A', ['192.0.2.10']), what: 'behind an alias' },
      { ...record('two.test', 'A', ['192.0.2.1', '192.0.2.2']), what: 'several records' },
      { what: 'by TCP', gives: 'success', monitor: of('shop.test', { transport: 'tcp' }), facts: own },
      { what: 'a resolver of the workspace', gives: 'success', monitor: of('shop.test', { resolver: `127.0.0.1:${port}` }) },
      {
        what: 'the second resolver, where the first keeps silent',
        gives: 'success',
        monitor: of('shop.test'),
        facts: { resolvers: [`127.0.0.1:${silent}`, ...own.resolvers] }
      },
      asserted('the record that is expected', 'success', 'shop.test', { source: 'dns_records', op: 'eq', value: '192.0.2.10' }),
      {
        ...asserted('another record than expected', 'assertion', 'shop.test', { source: 'dns_records', op: 'eq', value: '192.0.2.99' }),
        shows: { assertions: [{ ok: false, actual: '192.0.2.10' }] }
      },
      {
        what: 'the end of a long record is judged, its beginning shown',
        gives: 'success',
        monitor: of('key.test', { record_type: 'TXT' }, { assertions: [{ source: 'dns_records', op: 'matches', value: 'Cend$' }] }),
        facts: own,
        shows: { dns: { records: [key.join('').slice(0, 512)] } }
      },
      asserted('one record too many', 'assertion', 'two.test', { source: 'dns_records', op: 'len_eq', value: 1 }),
      asserted('a name that must not exist', 'success', 'nowhere.test', { source: 'dns_records', op: 'not_exists' }),
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of('shop.test', { transport: 'tcp' }, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] }),
        facts: own
      },
      {
        what: 'a name that does not exist',
        gives: 'dns',
        monitor: of('nowhere.test'),
        facts: own,
        shows: { message: 'The name does not exist', dns: { rcode: 'NXDOMAIN' } }
      },
      {
        what: 'no record of the kind',
        gives: 'dns',
        monitor: of('two.test', { record_type: 'MX' }),
        facts: own,
        shows: { message: /no MX record/ }
      },
      {
        what: 'an answer that is not validated',
        gives: 'dns',
        monitor: of('shop.test', { require_dnssec: true }),
        facts: own,
        shows: { message: /DNSSEC/ }
      },
      { ...theirs('name servers that fail', 'dns', failing), shows: { dns: { rcode: 'SERVFAIL' } } },
      { ...theirs('a resolver that refuses', 'dns', refusing), shows: { dns: { rcode: 'REFUSED' } } },
      ours('a resolver of the prober that refuses', 'prober_error', refusing),
      ours('one that refuses, and name servers that fail', 'dns', failing, refusing),
      theirs('a resolver that keeps silent', 'timeout', silent),
      theirs('an answer to another question', 'timeout', strange),
      theirs('an answer that cannot be read', 'protocol', broken),
      theirs('a resolver that does not listen', 'connect', 1),
      theirs('a resolver that does not listen, by TCP', 'connect', 1, { transport: 'tcp' }),
      theirs('a connection that ends', 'protocol', cutting, { transport: 'tcp' }),
      theirs('a resolver without TLS', 'tls', cutting, { transport: 'dot' }),
      {
        what: 'a resolver at an address that is refused',
        gives: 'blocked_target',
        monitor: of('shop.test', { resolver: `127.0.0.1:${port}` }),
        network: networkOf({ open: [], closed: [], own: [] })
      },
      {
        what: 'no resolver of the service answers',
        gives: 'prober_error',
        monitor: of('shop.test', {}, { timeout_seconds: 1 }),
        facts: { resolvers: [`127.0.0.1:${silent}`] }
      }
    ]
  }
}

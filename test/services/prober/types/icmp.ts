import type { Assignment } from '../../../../schemas/http/prober.ts'
import { program } from '../../../harness/debian.ts'
import { assignment, networkOf } from '../stand.ts'
import type { Case, TypeCases } from './cases.ts'

export const cases: TypeCases = {
  against: 'the kernel of this machine',
  async cases(): Promise<Case[]> {
    await program('ping', 'iputils-ping')
    const of = (host: string, config: Assignment['config'] = {}, changes: Partial<Assignment> = {}): Assignment =>
      assignment(host, { type: 'icmp', timeout_seconds: 2, config, ...changes })
    return [
      { what: 'every request is answered', gives: 'success', monitor: of('127.0.0.1'), shows: { remoteIp: '127.0.0.1' } },
      { what: 'one large request', gives: 'success', monitor: of('127.0.0.1', { count: 1, packet_bytes: 1400 }) },
      { what: 'a small request', gives: 'success', monitor: of('127.0.0.1', { count: 1, packet_bytes: 8 }) },
      { what: 'a name', gives: 'success', monitor: of('localhost', { count: 1, ip_family: '4' }) },
      {
        what: 'slow',
        gives: 'degraded',
        monitor: of('127.0.0.1', { count: 1 }, { assertions: [{ source: 'latency_ms', op: 'lt', value: 0, on_fail: 'degraded' }] })
      },
      {
        what: 'too few replies',
        gives: 'icmp_loss',
        monitor: of('127.0.0.1', { count: 1, min_replies: 2 }),
        shows: { message: /^1 of 1/ }
      },
      { what: 'a name that does not exist', gives: 'dns', monitor: of('nowhere.test') },
      {
        what: 'an address that is refused',
        gives: 'blocked_target',
        monitor: of('127.0.0.1'),
        network: networkOf({ open: [], closed: [], own: [] })
      }
    ]
  }
}

/** A DNS query to a resolver, and its answer. */
import { type Static, Type } from 'typebox'
import { lengthOps, numberOps, presenceOps, textOps } from '../check-config.ts'
import { type CheckType, setting } from '../check-type.ts'
import { oneOf } from '../common.ts'

export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'SRV', 'CAA', 'PTR'] as const
export const transports = ['udp', 'tcp', 'dot', 'doh'] as const

const config = Type.Object(
  {
    record_type: setting(Type.Unsafe<(typeof recordTypes)[number]>({ ...oneOf(recordTypes, { default: 'A' }), title: 'Record' })),
    resolver: setting(
      Type.String({
        minLength: 1,
        maxLength: 60,
        title: 'Resolver',
        description: 'An IP address, with a port if it is not the usual one; when empty, a resolver of the service is used'
      })
    ),
    transport: setting(
      Type.Unsafe<(typeof transports)[number]>({
        ...oneOf(transports, { default: 'udp' }),
        title: 'Transport',
        description: 'dot: DNS over TLS; doh: DNS over HTTPS'
      })
    ),
    require_dnssec: setting(
      Type.Boolean({ default: false, title: 'Require DNSSEC', description: 'The resolver must say that it has validated the answer' })
    )
  },
  { additionalProperties: false }
)
export type DnsConfig = Static<typeof config>

const isAddress = (target: string): boolean => /^[\d.]+$|:/.test(target)

export const checkType: CheckType = {
  label: 'DNS record',
  aliases: [],
  target: { form: 'name', words: 'A name, such as shop.example.com; of PTR an IP address, too' },
  config,
  assertions: {
    dns_records: { ops: [...textOps, ...presenceOps, ...lengthOps], values: 'string' },
    latency_ms: { ops: numberOps, values: 'number' }
  },
  success: 'A record of the kind that is asked for',
  reaches: [{ setting: 'resolver', port: 53 }],
  faults: ({ record_type }, target) =>
    isAddress(target) && record_type !== 'PTR'
      ? [{ path: 'record_type', rule: 'pattern', message: 'must be PTR where the target is an address' }]
      : []
}

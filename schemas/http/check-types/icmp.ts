/** Echo requests: ping. */
import { type Static, Type } from 'typebox'
import { numberOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'

const config = Type.Object(
  {
    count: setting(Type.Integer({ minimum: 1, maximum: 10, default: 3, title: 'Requests' })),
    min_replies: setting(Type.Integer({ minimum: 1, maximum: 10, default: 1, title: 'Least replies' })),
    packet_bytes: setting(Type.Integer({ minimum: 8, maximum: 1400, default: 56, title: 'Bytes of a request' })),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type IcmpConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'Ping',
  aliases: ['ping'],
  target: { form: 'host', words: 'A host or an IP address, such as router.example.com' },
  config,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'As many replies as are needed',
  faults: ({ count, min_replies }) =>
    Number(min_replies ?? 1) > Number(count ?? 3)
      ? [{ path: 'min_replies', rule: 'max', message: `must be at most ${Number(count ?? 3)}, the number of requests` }]
      : []
}

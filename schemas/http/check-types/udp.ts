/** A datagram that is sent, and the one that comes back. */
import { type Static, Type } from 'typebox'
import { numberOps, replyOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'
import { expectSetting, sendBase64Setting, sendFaults, sendSetting } from '../exchange-settings.ts'

const config = Type.Object(
  {
    send: sendSetting(),
    send_base64: sendBase64Setting(),
    expect_reply: setting(
      Type.Boolean({
        default: true,
        title: 'Expect a reply',
        description: 'When off, the check fails only when the target machine reports that the port is closed'
      })
    ),
    expect: expectSetting(),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type UdpConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'UDP port',
  aliases: [],
  target: { form: 'host_port', words: 'host:port, such as ntp.example.com:123' },
  config,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    text: { ops: replyOps, values: 'string' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'A reply, or where none is expected no refusal',
  expressions: ['expect'],
  faults: (settings) => [
    ...sendFaults(settings),
    ...(settings.expect && settings.expect_reply === false
      ? [{ path: 'expect', rule: 'unknown_field' as const, message: 'needs a reply: expect_reply is false' }]
      : [])
  ]
}

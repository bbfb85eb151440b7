/** A connection to a port, optionally with TLS, and the exchange over it. */
import { type Static, Type } from 'typebox'
import { numberOps, replyOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'
import { expectSetting, sendBase64Setting, sendFaults, sendSetting } from '../exchange-settings.ts'

const config = Type.Object(
  {
    tls: setting(Type.Boolean({ default: false, title: 'TLS', description: 'A TLS handshake follows the connection' })),
    verify_tls: setting(Type.Boolean({ default: true, title: 'Verify the certificate', description: 'Applies when TLS is used' })),
    send: sendSetting(),
    send_base64: sendBase64Setting(),
    expect: expectSetting(),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type TcpConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'TCP port',
  aliases: ['port'],
  target: { form: 'host_port', words: 'host:port, such as db.example.com:5432' },
  config,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    tls_days: { ops: numberOps, values: 'number' },
    text: { ops: replyOps, values: 'string' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'A connection',
  expressions: ['expect'],
  faults: sendFaults
}

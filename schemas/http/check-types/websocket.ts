/** The upgrade to a WebSocket, and the exchange over it. */
import { type Static, Type } from 'typebox'
import { Header, numberOps, replyOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'
import { expectSetting, sendSetting } from '../exchange-settings.ts'

const config = Type.Object(
  {
    headers: Type.Optional(Type.Array(Header, { maxItems: 50, title: 'Headers' })),
    subprotocols: Type.Optional(
      Type.Array(Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$" }), { maxItems: 10, title: 'Subprotocols' })
    ),
    send: sendSetting(),
    expect: expectSetting(),
    verify_tls: setting(Type.Boolean({ default: true, title: 'Verify the certificate' })),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type WebSocketConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'WebSocket',
  aliases: ['ws'],
  target: { form: 'websocket', words: 'An address that begins with ws:// or wss://' },
  config,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    tls_days: { ops: numberOps, values: 'number' },
    text: { ops: replyOps, values: 'string' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'The upgrade',
  expressions: ['expect']
}

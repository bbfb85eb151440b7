/** A TLS certificate: its chain, its name, and the days until it expires. */
import { type Static, Type } from 'typebox'
import { numberOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'
import { oneOf } from '../common.ts'

export const startTlsWords = ['none', 'smtp', 'imap', 'pop3', 'postgres'] as const

const config = Type.Object(
  {
    server_name: setting(
      Type.String({
        maxLength: 253,
        pattern: '^(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)*[A-Za-z0-9_-]{1,63}$',
        title: 'Name',
        description: 'Host name that the certificate must be for; when empty, the host of the target'
      })
    ),
    starttls: setting(
      Type.Unsafe<(typeof startTlsWords)[number]>({
        ...oneOf(startTlsWords, { default: 'none' }),
        title: 'STARTTLS',
        description: 'Protocol that is spoken before the handshake'
      })
    ),
    min_version: setting(Type.Unsafe<'1.2' | '1.3'>({ ...oneOf(['1.2', '1.3'], { default: '1.2' }), title: 'Least version of TLS' })),
    ca_pem: setting(
      Type.String({
        maxLength: 65_536,
        title: 'Certificate of your own authority',
        description: 'In PEM; when empty, the authorities that browsers trust'
      })
    ),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type TlsConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'TLS certificate',
  aliases: ['ssl'],
  target: { form: 'host_port', words: 'host:port, such as shop.example.com; without a port 443', port: 443 },
  config,
  assertions: {
    tls_days: { ops: numberOps, values: 'number' },
    latency_ms: { ops: numberOps, values: 'number' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'A certificate that is trusted, for this name, with more days left than the smallest warning'
}

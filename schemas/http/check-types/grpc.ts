/** A gRPC server, checked through its health service grpc.health.v1. */
import { type Static, Type } from 'typebox'
import { Header, numberOps, textOps } from '../check-config.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'

const config = Type.Object(
  {
    tls: setting(Type.Boolean({ default: true, title: 'TLS' })),
    verify_tls: setting(Type.Boolean({ default: true, title: 'Verify the certificate', description: 'Applies with TLS only' })),
    service: setting(
      Type.String({
        maxLength: 256,
        pattern: '^[A-Za-z0-9_./-]*$',
        title: 'Service',
        description: 'Name of the service whose health is asked for; when empty, that of the whole server'
      })
    ),
    metadata: Type.Optional(Type.Array(Header, { maxItems: 50, title: 'Metadata' })),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
export type GrpcConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'gRPC health',
  aliases: [],
  target: { form: 'host_port', words: 'host:port, such as api.example.com:443' },
  config,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    tls_days: { ops: numberOps, values: 'number' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'The status SERVING'
}

/** HTTP requests in sequence. Later requests can use values from earlier answers. */
import { type Static, Type } from 'typebox'
import { MAX_STEPS, Step, stepFaults, Variable } from '../api-steps.ts'
import { type CheckType, ipFamily, setting } from '../check-type.ts'
import { oneOf } from '../common.ts'
import { checkType as http, httpVersions } from './http.ts'

const config = Type.Object(
  {
    steps: Type.Optional(Type.Array(Step, { minItems: 1, maxItems: MAX_STEPS })),
    variables: Type.Optional(Type.Array(Variable, { maxItems: 20 })),
    follow_redirects: setting(Type.Boolean({ default: true, title: 'Follow redirects' })),
    verify_tls: setting(Type.Boolean({ default: true, title: 'Verify the certificate' })),
    ca_pem: setting(Type.String({ maxLength: 65_536, title: 'Certificate of your own authority', description: 'Certificate in PEM' })),
    ip_family: ipFamily(),
    http_version: setting(
      Type.Unsafe<(typeof httpVersions)[number]>({
        ...oneOf(httpVersions, { default: 'auto' }),
        title: 'Version of HTTP',
        description: 'auto means HTTP/1.1'
      })
    )
  },
  { additionalProperties: false }
)
export type ApiConfig = Static<typeof config>

export const checkType: CheckType = {
  label: 'API in steps',
  aliases: ['multistep'],
  target: http.target,
  config,
  assertions: http.assertions,
  success: 'Every step as it is expected: without anything asserted a status of 200 to 299',
  faults: (settings) => stepFaults(settings as ApiConfig)
}

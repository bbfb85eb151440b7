/** HTTP requests over HTTP/1.1, or over HTTP/2 when the settings ask for it. */
import { type Static, Type } from 'typebox'
import { Auth, Header, lengthOps, numberOps, presenceOps, replyOps, textOps } from '../check-config.ts'
import type { CheckType, SettingFault } from '../check-type.ts'
import { oneOf } from '../common.ts'

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
export const bodyTypes = ['json', 'form', 'text', 'xml', 'graphql'] as const

export const httpVersions = ['auto', '1.1', '2'] as const

const config = Type.Object(
  {
    method: Type.Optional(oneOf(methods, { default: 'GET' })),
    headers: Type.Optional(Type.Array(Header, { maxItems: 50 })),
    body: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 65_536 })),
    body_type: Type.Optional(oneOf(bodyTypes, { default: 'text', description: 'Sets Content-Type when no header does.' })),
    auth: Type.Optional(Auth),
    follow_redirects: Type.Optional(Type.Boolean({ default: true })),
    max_redirects: Type.Optional(Type.Integer({ minimum: 0, maximum: 10, default: 5 })),
    verify_tls: Type.Optional(Type.Boolean({ default: true })),
    ca_pem: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 65_536 })),
    ip_family: Type.Optional(oneOf(['auto', '4', '6'], { default: 'auto' })),
    http_version: Type.Optional(
      oneOf(httpVersions, {
        default: 'auto',
        description: 'auto means HTTP/1.1. With 2, the check fails when the server does not speak HTTP/2.'
      })
    ),
    user_agent: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 256, pattern: '^[\\u0020-\\u007e]*$' })),
    cache_bust: Type.Optional(Type.Boolean({ default: false })),
    max_body_bytes: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_485_760, default: 1_048_576 })),
    capture_on_failure: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Keeps the answer of a failed check for 3 days, for admins: its headers and the first 16 KiB of its body, redacted.'
      })
    )
  },
  { additionalProperties: false }
)
export type HttpConfig = Static<typeof config>

const withoutTls: SettingFault = {
  path: 'auth.type',
  rule: 'pattern',
  message: 'may be mtls only where the target begins with https://: a client certificate is shown over TLS'
}

export const checkType: CheckType = {
  label: 'HTTP',
  aliases: ['https', 'status', 'keyword', 'json'],
  target: { form: 'http', words: 'An address that begins with http:// or https://' },
  config,
  assertions: {
    status: { ops: numberOps, values: 'number' },
    latency_ms: { ops: numberOps, values: 'number' },
    tls_days: { ops: numberOps, values: 'number' },
    header: { ops: [...textOps, ...presenceOps, ...lengthOps], values: 'string', property: true },
    json: { ops: [...new Set([...numberOps, ...textOps]), ...presenceOps, ...lengthOps], values: 'any', property: true },
    body: { ops: replyOps, values: 'string' },
    redirect_url: { ops: [...textOps, ...presenceOps, ...lengthOps], values: 'string' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'A status of 200 to 299',
  faults: ({ auth }, target) => (auth?.type === 'mtls' && !/^https:/i.test(target) ? [withoutTls] : [])
}

/** Settings that the check types of mail servers share. */
import { type Static, Type } from 'typebox'
import { numberOps, textOps } from './check-config.ts'
import { type CheckType, ipFamily, type SettingFault, setting } from './check-type.ts'
import { oneOf } from './common.ts'

const config = Type.Object(
  {
    security: setting(
      Type.Unsafe<'none' | 'starttls' | 'tls'>({
        ...oneOf(['none', 'starttls', 'tls'], { default: 'starttls' }),
        title: 'Encryption',
        description: 'starttls: encryption is requested after the banner; tls: encrypted from the start'
      })
    ),
    verify_tls: setting(Type.Boolean({ default: true, title: 'Verify the certificate' })),
    username: setting(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        title: 'User',
        description: 'Leave empty to send without logging in'
      })
    ),
    password: setting(
      Type.String({
        minLength: 1,
        maxLength: 8192,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        title: 'Password',
        description: 'Answers show ********; sending that or nothing keeps the current password, null removes it',
        writeOnly: true
      })
    ),
    ip_family: ipFamily()
  },
  { additionalProperties: false }
)
/** Only in smtp: the name that the client gives of itself. */
const withHelo = Type.Object(
  {
    ...config.properties,
    helo: setting(Type.String({ minLength: 1, maxLength: 253, pattern: '^[A-Za-z0-9.\\[\\]:_-]*$', title: 'Name in EHLO' }))
  },
  { additionalProperties: false }
)
export type MailConfig = Static<typeof withHelo>

function faults({ security, username, password }: Parameters<NonNullable<CheckType['faults']>>[0]): SettingFault[] {
  if (username && !password) return [{ path: 'password', rule: 'required', message: 'is required with a user' }]
  if (password && !username) return [{ path: 'username', rule: 'required', message: 'is required with a password' }]
  if (password && security === 'none') {
    return [{ path: 'security', rule: 'pattern', message: 'must be starttls or tls where a password is sent' }]
  }
  return []
}

const mailType = (label: string, words: string, settings: CheckType['config']): CheckType => ({
  label,
  aliases: [],
  target: { form: 'host_port', words },
  config: settings,
  assertions: {
    latency_ms: { ops: numberOps, values: 'number' },
    tls_days: { ops: numberOps, values: 'number' },
    ip: { ops: textOps, values: 'string' }
  },
  success: 'Banner and capabilities, TLS as it is set, and a log-in where a user is set',
  faults
})

export const smtpType = mailType('SMTP', 'host:port, such as mail.example.com:587', withHelo)
export const imapType = mailType('IMAP', 'host:port, such as mail.example.com:143', config)
export const pop3Type = mailType('POP3', 'host:port, such as mail.example.com:110', config)

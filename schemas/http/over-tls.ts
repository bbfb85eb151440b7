/**
 * Whether the settings of a check lead to a connection over TLS, whose certificate it then sees. A
 * redirect may lead there whatever the settings say. Pure.
 */
import type { CheckConfig } from './check-config.ts'
import { checkTypes, type MonitorType } from './check-types/index.ts'

export interface CheckAim {
  type: MonitorType
  target: string
  config: CheckConfig
}

/** A step begins with a path, or says its whole address; one may begin with a value. */
const mayBeSecure = (url: string): boolean => !/^(?:\/|http:)/i.test(url)

const stepsOf = ({ steps }: { readonly [setting: string]: unknown }): readonly { url?: unknown }[] => (Array.isArray(steps) ? steps : [])

export function overTls({ type, target, config }: CheckAim): boolean {
  const settings: { readonly [setting: string]: unknown } = config
  switch (type) {
    case 'http':
      return /^https:/i.test(target)
    case 'api':
      return /^https:/i.test(target) || stepsOf(settings).some(({ url }) => typeof url === 'string' && mayBeSecure(url))
    case 'websocket':
      return /^wss:/i.test(target)
    case 'tcp':
      return settings.tls === true
    case 'grpc':
      return settings.tls !== false
    case 'smtp':
    case 'imap':
    case 'pop3':
      return settings.security !== 'none'
    default:
      return checkTypes[type].assertions.tls_days !== undefined
  }
}

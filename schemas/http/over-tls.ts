/**
 * Decides whether a check with these settings connects over TLS, so that it sees a certificate. A
 * redirect can still lead to TLS, whatever the settings say. Pure.
 */
import type { CheckConfig } from './check-config.ts'
import { checkTypes, type MonitorType } from './check-types/index.ts'

export interface CheckAim {
  type: MonitorType
  target: string
  config: CheckConfig
}

/**
 * The URL of a step is a path, a whole address, or begins with a placeholder. Only a path or an
 * http address is surely not TLS by itself.
 */
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

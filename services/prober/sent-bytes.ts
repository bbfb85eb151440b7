/** The bytes that a monitor sends over a connection whose protocol only its owner knows. */
import type { TcpConfig } from '../../schemas/http/check-types/tcp.ts'
import { sentText } from '../../schemas/http/exchange-settings.ts'

/** Null: nothing. */
export function sentBytes({ send, send_base64 }: Pick<TcpConfig, 'send' | 'send_base64'>): Buffer | null {
  const text = sentText(send)
  if (text !== null) return Buffer.from(text)
  return send_base64 ? Buffer.from(send_base64, 'base64') : null
}

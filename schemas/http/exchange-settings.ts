/**
 * Settings that several check types share: what is sent over a connection, and what the reply must
 * be.
 */
import { Type } from 'typebox'
import { MAX_EXPRESSION } from '../limits.ts'
import type { CheckConfig } from './check-config.ts'
import { type SettingFault, setting } from './check-type.ts'

/** Bytes that are sent. */
export const MAX_SENT_BYTES = 4096
const BASE64 = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'

export const sendSetting = () =>
  setting(
    Type.String({
      maxLength: MAX_SENT_BYTES,
      title: 'Send',
      description: 'Text to send; \\r, \\n, \\t, \\0 and \\\\ have their usual meanings'
    })
  )

export const sendBase64Setting = () =>
  setting(
    Type.String({ maxLength: 5464, pattern: BASE64, title: 'Send bytes', description: 'Bytes to send, in base64, in place of a text' })
  )

export const expectSetting = () =>
  setting(
    Type.String({
      minLength: 1,
      maxLength: MAX_EXPRESSION,
      title: 'Expect',
      description: 'A regular expression (RE2) that the reply must match; when empty, any reply will do'
    })
  )

const escapes: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\' }

/**
 * Returns the text to send over the connection, with its escapes resolved; null: nothing is sent.
 */
export function sentText(text: string | null | undefined): string | null {
  return text ? text.replace(/\\([rnt0\\])/g, (_, letter: string) => escapes[letter] ?? letter) : null
}

export function sendFaults({ send, send_base64 }: CheckConfig): SettingFault[] {
  const faults: SettingFault[] = []
  if (send && send_base64) faults.push({ path: 'send_base64', rule: 'unknown_field', message: 'is another way to say send' })
  if (typeof send === 'string' && new TextEncoder().encode(send).length > MAX_SENT_BYTES) {
    faults.push({ path: 'send', rule: 'max', message: `must be at most ${MAX_SENT_BYTES} bytes` })
  }
  return faults
}

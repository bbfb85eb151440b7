/** Keys that mail providers show to whoever must verify what they call. */
import { createPublicKey } from 'node:crypto'

/** DER in Base64, as SendGrid shows it. */
export function isPublicKey(text: string): boolean {
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType === 'ec'
  } catch {
    // Whatever OpenSSL says of it: it is no key.
    return false
  }
}

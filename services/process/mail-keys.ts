/** Checks the public keys that mail providers give out to verify their calls. */
import { createPublicKey } from 'node:crypto'

/** DER in Base64, as SendGrid shows it. */
export function isPublicKey(text: string): boolean {
  try {
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType === 'ec'
  } catch {
    // Whatever error OpenSSL gives, the text is no key.
    return false
  }
}

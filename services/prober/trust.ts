/** Certificates of a workspace's own authority, and those that a check shows of itself. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'
import { PlanFault } from './prober-type.ts'

/**
 * OpenSSL takes what is no certificate without a word, and then trusts nobody: so each is read
 * first.
 */
export function trust(pem: string, minVersion: SecureVersion = 'TLSv1.2', client: ClientPair | null = null): SecureContext {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
  } catch {
    throw new PlanFault('ca_pem holds something that is no certificate')
  }
  if (certificates.length === 0) throw new PlanFault('ca_pem holds no certificate in PEM form')
  return createSecureContext({ ca: certificates, minVersion, ...client })
}

/** What a client shows of itself, in PEM. */
export interface ClientPair {
  cert: string
  key: string
}

/** `ca` null: with the default roots. Throws PlanFault where the pair is none. */
export function contextOf(client: ClientPair, ca: string | null, minVersion: SecureVersion): SecureContext {
  try {
    const isPair = new X509Certificate(client.cert).checkPrivateKey(createPrivateKey(client.key))
    if (!isPair) throw new PlanFault('The key is not that of the client certificate')
    return ca === null ? createSecureContext({ minVersion, ...client }) : trust(ca, minVersion, client)
  } catch (error) {
    if (error instanceof PlanFault) throw error
    throw new PlanFault('The client certificate or its key cannot be read')
  }
}

/** Certificates of a workspace's own authority, and client certificates that a check shows. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'
import { PlanFault } from './prober-type.ts'

/**
 * Makes a context that trusts the given certificates. Each one is read first, because OpenSSL
 * silently accepts text that is not a certificate, and then trusts nobody.
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

/** A client certificate and its key, in PEM. */
export interface ClientPair {
  cert: string
  key: string
}

/**
 * Makes a context with a client certificate. `ca` null: the default roots. Throws PlanFault if the
 * certificate and the key are not a pair.
 */
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

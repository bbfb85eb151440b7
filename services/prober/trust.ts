/** Certificates of a workspace's own authority. */
import { X509Certificate } from 'node:crypto'
import { createSecureContext, type SecureContext, type SecureVersion } from 'node:tls'
import { PlanFault } from './prober-type.ts'

/**
 * OpenSSL takes what is no certificate without a word, and then trusts nobody: so each is read
 * first.
 */
export function trust(pem: string, minVersion: SecureVersion = 'TLSv1.2'): SecureContext {
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    for (const certificate of certificates) new X509Certificate(certificate)
  } catch {
    throw new PlanFault('ca_pem holds something that is no certificate')
  }
  if (certificates.length === 0) throw new PlanFault('ca_pem holds no certificate in PEM form')
  return createSecureContext({ ca: certificates, minVersion })
}

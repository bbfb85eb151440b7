/** The operator's accounts at Google and Apple, read from the files that these give out. Pure. */
import { createPrivateKey } from 'node:crypto'

/** The needed fields of a service account's file. */
export interface ServiceAccount {
  project_id: string
  client_email: string
  /** PEM. */
  private_key: string
}

/** Whether `text` is a private key in PEM of that kind. `ec` means the curve P-256. */
export function isSigningKey(text: string, kind: 'ec' | 'rsa'): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(text)
    return asymmetricKeyType === kind && (kind === 'rsa' || asymmetricKeyDetails?.namedCurve === 'prime256v1')
  } catch {
    return false // No details: it may be the key of something else.
  }
}

/** Null: it is none. */
export function serviceAccountOf(text: string): ServiceAccount | null {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
  if (file === null || typeof file !== 'object') return null
  const { project_id, client_email, private_key } = file as Record<string, unknown>
  if (typeof project_id !== 'string' || !/^[a-z0-9][a-z0-9.:-]{3,80}$/.test(project_id)) return null
  if (typeof client_email !== 'string' || !/^[^@\s]+@[^@\s]+$/.test(client_email)) return null
  if (typeof private_key !== 'string' || !isSigningKey(private_key, 'rsa')) return null
  return { project_id, client_email, private_key }
}

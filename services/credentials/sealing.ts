/**
 * Seals secrets that must not be readable where they are stored or sent: the stored secrets of a
 * workspace, and an assignment on its way to one prober.
 *
 * - `sealForTenant`, `openForTenant`: AES-256-GCM with a key of the workspace, derived by
 *   HKDF-SHA256 from the service's key; the place (workspace, resource, field) is associated data,
 *   so a value that was copied elsewhere does not open there.
 * - `sealTo`, `openSealed`: anybody can seal to an X25519 public key, only its private key opens: a
 *   fresh key pair for each value, ECDH, HKDF-SHA256 with both public keys in it, AES-256-GCM.
 *
 * The text form of both is `sealed:` and base64 of one byte that names the method (1 at rest, 2 to
 * a key), then its parts. Opening a value that is broken, forged or meant for another place throws
 * Unsealable, which reveals nothing about the value.
 * Source: docs/design/architecture.md#s7; RFC 5869, RFC 7748.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes
} from 'node:crypto'
import { SEALED_PREFIX } from '../../schemas/http/check-config.ts'

const AT_REST = 1
const TO_A_KEY = 2
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** The value cannot be opened: it is broken, forged, or of another key or another place. */
export class Unsealable extends Error {
  override readonly name = 'Unsealable'
}

export interface Place {
  tenant_id: string
  /** Kind and id, for example `monitor:<id>`. */
  resource: string
  /** The field of the resource, for example `auth.password`. */
  field: string
}

export const isSealed = (text: string): boolean => text.startsWith(SEALED_PREFIX)

const text = (way: number, ...parts: Buffer[]): string => SEALED_PREFIX + Buffer.concat([Buffer.of(way), ...parts]).toString('base64')

function bytesOf(sealed: string, way: number, least: number): Buffer {
  if (!isSealed(sealed)) throw new Unsealable('The value is not sealed')
  const bytes = Buffer.from(sealed.slice(SEALED_PREFIX.length), 'base64')
  if (bytes[0] !== way || bytes.length < 1 + least) throw new Unsealable('The value is not sealed in this way')
  return bytes.subarray(1)
}

const derive = (key: Buffer, salt: string | Buffer, info: string): Buffer => Buffer.from(hkdfSync('sha256', key, salt, info, KEY_BYTES))

/** Returns nonce, tag, ciphertext. */
function encrypt(key: Buffer, plain: string, associated: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(associated)
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

function decrypt(key: Buffer, bytes: Buffer, associated: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(associated)
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
  } catch {
    throw new Unsealable('The value does not open with this key in this place')
  }
}

/** Derived keys are kept, because deriving one takes longer than opening a value. */
const keys = new Map<string, Buffer>()
const MAX_KEYS = 1000

function tenantKey(secretsKey: string, tenant_id: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(secretsKey)) throw new RangeError('The key of secrets must be 64 hex characters')
  const name = `${secretsKey} ${tenant_id}`.toLowerCase()
  const kept = keys.get(name)
  if (kept) return kept
  const key = derive(Buffer.from(secretsKey, 'hex'), 'service.secrets.v1', tenant_id.toLowerCase())
  if (keys.size >= MAX_KEYS) keys.clear()
  keys.set(name, key)
  return key
}

// Ids hold no line feed. The lengths are included all the same, so that no two places give the same
// text.
const associatedOf = ({ tenant_id, resource, field }: Place): Buffer =>
  Buffer.from([tenant_id.toLowerCase(), resource, field].map((part) => `${Buffer.byteLength(part)}:${part}`).join('\n'))

/** `secretsKey`: 64 hex characters. Sealing the same text twice gives two different values. */
export function sealForTenant(secretsKey: string, place: Place, plain: string): string {
  return text(AT_REST, encrypt(tenantKey(secretsKey, place.tenant_id), plain, associatedOf(place)))
}

/** Throws Unsealable. */
export function openForTenant(secretsKey: string, place: Place, sealed: string): string {
  const bytes = bytesOf(sealed, AT_REST, NONCE_BYTES + TAG_BYTES)
  return decrypt(tenantKey(secretsKey, place.tenant_id), bytes, associatedOf(place))
}

// The wrappers of X25519 keys that node:crypto expects: fixed bytes, then the 32 raw bytes (RFC
// 8410).
const SPKI = Buffer.from('302a300506032b656e032100', 'hex')
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex')

function rawPublic(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(SPKI.length)
}

function publicOf(raw: Buffer): KeyObject {
  if (raw.length !== KEY_BYTES) throw new RangeError('A public key must be 32 bytes')
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' })
}

function privateOf(raw: Buffer): KeyObject {
  if (raw.length !== KEY_BYTES) throw new RangeError('A private key must be 32 bytes')
  return createPrivateKey({ key: Buffer.concat([PKCS8, raw]), format: 'der', type: 'pkcs8' })
}

/** Makes a new key pair, raw: 32 bytes each. */
export function makeSealingKeys(): { publicKey: Buffer; privateKey: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  return { publicKey: rawPublic(publicKey), privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(PKCS8.length) }
}

const sharedKey = (shared: Buffer, ephemeral: Buffer, recipient: Buffer): Buffer =>
  derive(shared, Buffer.concat([ephemeral, recipient]), 'service.sealed.x25519.v1')

/**
 * Throws RangeError when the key is not 32 bytes, and Unsealable when the key yields no shared
 * secret (all zero and similar).
 */
export function sealTo(publicKey: Buffer, plain: string): string {
  const pair = generateKeyPairSync('x25519')
  const ephemeral = rawPublic(pair.publicKey)
  const recipient = publicOf(publicKey)
  const key = sharedKey(agree(pair.privateKey, recipient), ephemeral, publicKey)
  return text(TO_A_KEY, ephemeral, encrypt(key, plain, ephemeral))
}

/** `privateKey`: 32 bytes, raw. Throws Unsealable. */
export function openSealed(privateKey: Buffer, sealed: string): string {
  const bytes = bytesOf(sealed, TO_A_KEY, KEY_BYTES + NONCE_BYTES + TAG_BYTES)
  const ephemeral = bytes.subarray(0, KEY_BYTES)
  const own = privateOf(privateKey)
  const key = sharedKey(agree(own, publicOf(ephemeral)), ephemeral, rawPublic(createPublicKey(own)))
  return decrypt(key, bytes.subarray(KEY_BYTES), ephemeral)
}

function agree(privateKey: KeyObject, publicKey: KeyObject): Buffer {
  try {
    return diffieHellman({ privateKey, publicKey })
  } catch {
    throw new Unsealable('The key of the other side shares no secret')
  }
}

/**
 * Tokens of the links that set a new password. A token says whose password and until when, with a
 * MAC under a key of its own. The MAC also covers the hash of the present password, so a token is
 * of no use once the password has changed: it works once. Nothing is stored.
 *
 *   pwd_ base64url( workspace 16 | person 16 | until 4 | MAC 32 )
 *
 * Source: docs/design/api/authentication.md#au-6.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { uuidBytes, uuidOfBytes } from '../../schemas/uuid.ts'

/** How long a link works, in seconds. */
export const RESET_SECONDS = 3600

export interface Reset {
  /** A workspace of the person: in it the change is audited. */
  tenant_id: string
  user_id: string
  /** Epoch seconds. */
  until: number
}

const PREFIX = 'pwd_'
const UUID_BYTES = 16
const LENGTH = 2 * UUID_BYTES + 4
const MAC_BYTES = 32

function macOf(secretsKey: string, body: Buffer, passwordHash: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretsKey, 'hex'), 'service.password.v1', '', 32))
  return createHmac('sha256', key).update(body).update(passwordHash, 'utf8').digest()
}

/** `secretsKey`: 64 hex characters. `passwordHash`: the hash of the password that is forgotten. */
export function mintReset(secretsKey: string, { tenant_id, user_id, until }: Reset, passwordHash: string): string {
  const body = Buffer.alloc(LENGTH)
  uuidBytes(tenant_id).copy(body, 0)
  uuidBytes(user_id).copy(body, UUID_BYTES)
  body.writeUInt32BE(until, 2 * UUID_BYTES)
  return PREFIX + Buffer.concat([body, macOf(secretsKey, body, passwordHash)]).toString('base64url')
}

/** Reads a token without verifying it. Null: it has another form. */
export function readReset(token: string): Reset | null {
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  const isWhole = bytes.length === LENGTH + MAC_BYTES && PREFIX + bytes.toString('base64url') === token
  if (!isWhole) return null
  return {
    tenant_id: uuidOfBytes(bytes.subarray(0, UUID_BYTES)),
    user_id: uuidOfBytes(bytes.subarray(UUID_BYTES, 2 * UUID_BYTES)),
    until: bytes.readUInt32BE(2 * UUID_BYTES)
  }
}

/** Returns whether the token is valid and has not expired. `now` in epoch ms. */
export function verifyReset(secretsKey: string, token: string, now: number, passwordHash: string): boolean {
  const reset = readReset(token)
  if (!reset || secretsKey === '' || reset.until * 1000 <= now) return false
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  return timingSafeEqual(bytes.subarray(LENGTH), macOf(secretsKey, bytes.subarray(0, LENGTH), passwordHash))
}

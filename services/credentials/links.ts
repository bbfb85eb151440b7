/**
 * Tokens of links in mails. A token says what the link does, to which object, for whom and until
 * when, with a MAC under a key of the workspace. A retry makes the same bytes again; nothing is
 * stored, and a token holds only ids.
 *
 *   lnk_ base64url( act 1 | workspace 16 | object 16 | person 16 | until 4 | MAC 16 )
 *
 * A MAC also covers a value that must not have changed since, such as the address that a channel
 * sends to.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { uuidBytes, uuidOfBytes } from '../../schemas/uuid.ts'

export const linkActs = ['acknowledge', 'resolve', 'stop'] as const
export type LinkAct = (typeof linkActs)[number]

export interface Link {
  act: LinkAct
  tenant_id: string
  /** The id of the incident or the channel. */
  object_id: string
  /** The person to whom the link belongs. Null: anybody who reads the mails of a channel. */
  user_id: string | null
  /** Epoch seconds. */
  until: number
}

const PREFIX = 'lnk_'
const MAC_BYTES = 16
const UUID_BYTES = 16
const LENGTH = 1 + 3 * UUID_BYTES + 4
const NOBODY = '00000000-0000-0000-0000-000000000000'

function macOf(secretsKey: string, tenant_id: string, body: Buffer, bound: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', Buffer.from(secretsKey, 'hex'), 'service.links.v1', tenant_id.toLowerCase(), 32))
  return createHmac('sha256', key).update(body).update(bound, 'utf8').digest().subarray(0, MAC_BYTES)
}

function bodyOf({ act, tenant_id, object_id, user_id, until }: Link): Buffer {
  const body = Buffer.alloc(LENGTH)
  body[0] = linkActs.indexOf(act)
  for (const [nth, id] of [tenant_id, object_id, user_id ?? NOBODY].entries()) uuidBytes(id).copy(body, 1 + nth * UUID_BYTES)
  body.writeUInt32BE(until, 1 + 3 * UUID_BYTES)
  return body
}

/**
 * `secretsKey`: 64 hex characters. `bound`: a value that must be the same when the link is used.
 */
export function mintLink(secretsKey: string, link: Link, bound = ''): string {
  const body = bodyOf(link)
  return PREFIX + Buffer.concat([body, macOf(secretsKey, link.tenant_id, body, bound)]).toString('base64url')
}

/** Reads a token without verifying it. Null: it is not a link token. */
export function readLink(token: string): Link | null {
  if (!token.startsWith(PREFIX) || !/^[A-Za-z0-9_-]+$/.test(token)) return null
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  const act = linkActs[bytes[0] ?? linkActs.length]
  const isWhole = bytes.length === LENGTH + MAC_BYTES && PREFIX + bytes.toString('base64url') === token
  if (!isWhole || act === undefined) return null
  const id = (nth: number): string => uuidOfBytes(bytes.subarray(1 + nth * UUID_BYTES, 1 + (nth + 1) * UUID_BYTES))
  const user_id = id(2)
  return {
    act,
    tenant_id: id(0),
    object_id: id(1),
    user_id: user_id === NOBODY ? null : user_id,
    until: bytes.readUInt32BE(1 + 3 * UUID_BYTES)
  }
}

/** Returns whether the token is valid and has not expired. `now` in epoch ms. */
export function verifyLink(secretsKey: string, token: string, now: number, bound = ''): boolean {
  const link = readLink(token)
  if (!link || secretsKey === '' || link.until * 1000 <= now) return false
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  return timingSafeEqual(bytes.subarray(LENGTH), macOf(secretsKey, link.tenant_id, bytes.subarray(0, LENGTH), bound))
}

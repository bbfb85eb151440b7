/**
 * The code by which a person answers about an incident from a phone: the same in every message
 * about it, and no row of its own. It names an incident only among those that the number was told
 * of.
 */
import { createHash } from 'node:crypto'

/** Without 0, 1, I and O, which look alike. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LENGTH = 4

export const replyCodeOf = (incident_id: string): string =>
  [...createHash('sha256').update(`reply:${incident_id.toLowerCase()}`).digest().subarray(0, LENGTH)]
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')

/**
 * The code with which a person answers about an incident from a phone. It is the same in every
 * message about the incident, and is not stored. It is only compared with incidents whose messages
 * went to that number.
 */
import { createHash } from 'node:crypto'

/** Without 0, 1, I and O, which are easily confused. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const LENGTH = 4

export const replyCodeOf = (incident_id: string): string =>
  [...createHash('sha256').update(`reply:${incident_id.toLowerCase()}`).digest().subarray(0, LENGTH)]
    .map((byte) => ALPHABET.charAt(byte % ALPHABET.length))
    .join('')

/** The part of a ping's body that leaves the door. */
import { MAX_EXCERPT_CHARS } from '../../../schemas/http/heartbeats.ts'
import { printable, redact } from '../../credentials/redact.ts'
import { cut } from '../readers.ts'

/** Characters of a body that are looked at, and of its excerpt. */
const LOOKED_AT = 1024
export const EXCERPT = MAX_EXCERPT_CHARS
/** Bytes of a body that are worth keeping for it. */
export const KEPT_BYTES = LOOKED_AT * 3

/**
 * First `most` characters of a body that begins with `text`, redacted; without control characters.
 * A longer beginning makes what is cut off recognisable.
 */
export const excerptOf = (text: string, most = EXCERPT): string => cut(redact(printable(cut(text, LOOKED_AT))), most)

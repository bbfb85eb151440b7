/** The part of a ping's body that is stored. */
import { MAX_EXCERPT_CHARS } from '../../../schemas/http/heartbeats.ts'
import { printable, redact } from '../../credentials/redact.ts'
import { cut } from '../readers.ts'

/** How many characters of a body are examined; the excerpt has at most `EXCERPT`. */
const LOOKED_AT = 1024
export const EXCERPT = MAX_EXCERPT_CHARS
/** How many bytes of a body are held for the excerpt. */
export const KEPT_BYTES = LOOKED_AT * 3

/**
 * Returns the first `most` characters of a body that begins with `text`, redacted and without
 * control characters. It redacts a longer part, so that a secret is recognised although the cut
 * divides it.
 */
export const excerptOf = (text: string, most = EXCERPT): string => cut(redact(printable(cut(text, LOOKED_AT))), most)

/** imap: see check-mail.ts. */
import { checkType } from '../../../schemas/http/check-types/imap.ts'
import { mailProber } from '../check-mail.ts'

export const type = mailProber('imap', checkType)

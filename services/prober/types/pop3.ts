/** pop3: see check-mail.ts. */
import { checkType } from '../../../schemas/http/check-types/pop3.ts'
import { mailProber } from '../check-mail.ts'

export const type = mailProber('pop3', checkType)

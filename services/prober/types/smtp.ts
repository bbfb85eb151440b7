/** smtp: see check-mail.ts. */
import { checkType } from '../../../schemas/http/check-types/smtp.ts'
import { mailProber } from '../check-mail.ts'

export const type = mailProber('smtp', checkType)

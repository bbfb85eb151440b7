/** A check of a mail server by SMTP: see mail-settings.ts. */
export { smtpType as checkType } from '../mail-settings.ts'

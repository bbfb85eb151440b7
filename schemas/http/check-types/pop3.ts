/** A check of a mail server by POP3: see mail-settings.ts. */
export { pop3Type as checkType } from '../mail-settings.ts'

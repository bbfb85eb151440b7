/** A check of a mail server by IMAP: see mail-settings.ts. */
export { imapType as checkType } from '../mail-settings.ts'

/** E-mail addresses: one account is one address, however it is written. */

/**
 * An address as it is kept and shown: its letters as one code point each, where there is one; case
 * as the person wrote it.
 */
export const writtenEmail = (text: string): string => text.trim().normalize('NFC')

/**
 * What two spellings of an address have in common: the key of accounts, members, invites and of the
 * counts of guesses.
 */
export const canonicalEmail = (text: string): string => writtenEmail(text).toLowerCase().normalize('NFC')

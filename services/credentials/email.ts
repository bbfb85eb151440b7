/** E-mail addresses: all spellings of an address belong to one account. */

/**
 * The address as it is stored and shown. Letters become one code point each where one exists (NFC);
 * upper and lower case stay as the person wrote them.
 */
export const writtenEmail = (text: string): string => text.trim().normalize('NFC')

/**
 * The form that all spellings of an address share: the key of accounts, members, invites and the
 * counters of guesses.
 */
export const canonicalEmail = (text: string): string => writtenEmail(text).toLowerCase().normalize('NFC')

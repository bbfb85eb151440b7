/** Language tags (BCP 47). Pure. */

export const languageOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? ''

/**
 * Returns the tag with a region. If the account names only a language, the region comes from the
 * browser's languages.
 */
export const regionalOf = (locale: string, browser: readonly string[]): string =>
  locale.includes('-') ? locale : (browser.find((one) => languageOf(one) === languageOf(locale)) ?? locale)

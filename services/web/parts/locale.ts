/** Language tags (BCP 47). Pure. */

export const languageOf = (locale: string): string => locale.toLowerCase().split('-')[0] ?? ''

/** Where the account names a language alone, the browser knows its region. */
export const regionalOf = (locale: string, browser: readonly string[]): string =>
  locale.includes('-') ? locale : (browser.find((one) => languageOf(one) === languageOf(locale)) ?? locale)

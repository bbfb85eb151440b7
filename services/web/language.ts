/**
 * Applies the account's settings of the logged-in person: the time zone, and the language of texts,
 * dates and figures. Languages other than English load when needed.
 */
import { setClock } from './parts/clock.ts'
import { languageOf, regionalOf } from './parts/locale.ts'
import { speak, type Words } from './texts/text.ts'

/** Languages besides English for which texts exist. */
const others: Readonly<Record<string, () => Promise<Words>>> = {
  de: async () => (await import('./texts/de/german.ts')).german
}

let spoken = 'en'

/**
 * Never throws. If the texts do not load, the language of the pages stays the same, and the next
 * reading of the session tries again.
 */
export async function follow({ time_zone, locale }: { time_zone: string | null; locale: string }): Promise<void> {
  const language = languageOf(locale)
  const wanted = language in others ? language : 'en'
  if (wanted !== spoken) {
    try {
      speak((await others[wanted]?.()) ?? {})
      spoken = wanted
      document.documentElement.lang = wanted
    } catch {
      // If there is no network, the pages themselves say so.
    }
  }
  const isSpoken = language === spoken
  setClock({ zone: time_zone, locale: isSpoken ? regionalOf(locale, navigator.languages) : null })
}

/**
 * What the account of who is logged in decides about how pages are written: the zone of times, the
 * language of texts, dates and figures. Other languages than English load when they are needed.
 */
import { setClock } from './parts/clock.ts'
import { languageOf, regionalOf } from './parts/locale.ts'
import { speak, type Words } from './texts/text.ts'

/** Languages that there are texts in beside English. */
const others: Readonly<Record<string, () => Promise<Words>>> = {
  de: async () => (await import('./texts/de/german.ts')).german
}

let spoken = 'en'

/**
 * Never throws: words that do not load now are asked for when the session is read again, and until
 * then pages are in the language that they were in.
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
      // Without a network the pages themselves say so.
    }
  }
  const isSpoken = language === spoken
  setClock({ zone: time_zone, locale: isSpoken ? regionalOf(locale, navigator.languages) : null })
}

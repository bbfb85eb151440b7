/** German translation of the texts in strip.ts. */
import type { strip } from '../strip.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof strip> = {
  'strip.up': 'Letzte 24 Stunden: kein Ausfall',
  'strip.down': 'Letzte 24 Stunden: {time} ausgefallen',
  'strip.unknown': 'Letzte 24 Stunden: keine Daten',
  'spark.range': 'Antwortzeit der letzten 24 Stunden: {least} bis {most}'
}

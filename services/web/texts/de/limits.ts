/** German of limits.ts. */
import type { limits } from '../limits.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof limits> = {
  'limits.planned': 'Noch nicht verfügbar',
  'refused.title': 'Wegen ihres Inhalts abgelehnt',
  'refused.none': 'Keine Integration hat in 24 h eine Sendung abgelehnt.',
  'refused.one': '1 Sendung in 24 h',
  'refused.some': '{count} Sendungen in 24 h',
  'refused.hint': 'Mit der Grenze für Alarme je Minute hat das nichts zu tun: Nachweis oder Inhalt der Sendung wurde abgelehnt.'
}

/** German translation of the texts in bulk.ts. */

import type { bulk } from '../bulk.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof bulk> = {
  'bulk.select': 'Auswählen',
  'bulk.select_done': 'Fertig',
  'bulk.one': '{name} auswählen',
  'bulk.all': 'Alle auf dieser Seite auswählen',
  'bulk.none': 'Nichts ausgewählt',
  'bulk.count': '{count} ausgewählt',
  'bulk.clear': 'Auswahl aufheben',
  'bulk.changed': '{count} geändert',
  'bulk.partly': '{count} geändert, {failed} nicht: {reasons}',
  'bulk.failed': 'Nichts geändert: {reasons}',
  'bulk.dismiss': 'Ausblenden'
}

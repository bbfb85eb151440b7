/** German translation of the texts in undo.ts. */

import type { Translation } from '../text.ts'
import type { undo } from '../undo.ts'

export const de: Translation<typeof undo> = {
  'done.acknowledge': '{what} bestätigt',
  'done.silence': '{what} stummgeschaltet',
  'done.assign': '{what} zugewiesen',
  'done.take': '{what} bestätigt und zugewiesen',
  'done.edit': '{what} geändert',
  'done.some': '{count} Vorfälle',
  'undo.verb': 'Rückgängig',
  'undo.done': 'Zurückgenommen',
  'undo.partly': 'Nicht alles wurde zurückgenommen: {reasons}',
  'undo.refused': 'Das Zurücknehmen'
}

/** German translation of the texts in plots.ts. */
import type { plots } from '../plots.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof plots> = {
  'plot.incident': 'Vorfall',
  'plot.as_plot': 'Als Diagramm zeigen',
  'plot.as_table': 'Als Tabelle zeigen',
  'plot.empty': 'In diesem Zeitraum gibt es keine Messungen.',
  'plot.table': 'die Tabelle',
  'plot.time': 'Zeit',
  'state.up': 'läuft',
  'state.degraded': 'beeinträchtigt',
  'state.down': 'ausgefallen',
  'state.maintenance': 'in Wartung',
  'state.paused': 'pausiert',
  'state.unknown': 'keine Daten',
  'slot.span': '{from} bis {to}: {states}',
  'budget.whole': 'Noch alles übrig',
  'budget.left': '{percent} übrig ({time})',
  'budget.spent': 'Aufgebraucht, {time} darüber'
}

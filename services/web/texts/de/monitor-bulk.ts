/** German translation of the texts in monitor-bulk.ts. */

import type { monitorBulk } from '../monitor-bulk.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof monitorBulk> = {
  'many.label': 'Was mit den ausgewählten Monitoren geschehen soll',
  'many.pause': 'Pausieren…',
  'many.resume': 'Fortsetzen',
  'many.tags': 'Tags…',
  'many.team': 'In ein Team verschieben…',
  'many.group': 'In eine Gruppe verschieben…',
  'many.interval': 'Intervall…',
  'many.delete': 'Löschen…',
  'many.refused': 'Die ausgewählten Monitore zu ändern',
  'pause.title': '{monitors} pausieren',
  'pause.verb': 'Pausieren',
  'pause.hint': 'Solange prüft sie niemand. Ihre offenen Vorfälle werden gelöst.',
  'pause.minutes': 'Wie lange',
  'pause.reason': 'Grund',
  'pause.reason_hint': 'Für andere. Freiwillig.',
  'tags.title': 'Tags von {monitors} ändern',
  'tags.verb': 'Tags ändern',
  'tags.add': 'Tags hinzufügen',
  'tags.remove': 'Tags entfernen',
  'tags.hint': 'Durch Kommas getrennt',
  'team.title': '{monitors} in ein Team verschieben',
  'team.verb': 'Verschieben',
  'team.hint': 'Ihre Vorfälle gehören ab dann dem Team. Offene bleiben, wo sie sind.',
  'team.none': 'Es gibt noch kein Team. Teams werden in den Einstellungen angelegt.',
  'group.title': '{monitors} in eine Gruppe verschieben',
  'group.verb': 'Verschieben',
  'group.hint': 'Jeder Monitor ist in einer Gruppe. Er verlässt die, in der er jetzt ist.',
  'group.none': 'Es gibt noch keine Gruppe.',
  'group.first': 'Die erste Gruppe anlegen',
  'interval.title': 'Intervall von {monitors} ändern',
  'interval.verb': 'Intervall ändern',
  'interval.label': 'Prüfen alle',
  'delete.title': '{monitors} löschen?',
  'delete.verb': 'Löschen',
  'delete.hint': 'Ihre offenen Vorfälle werden gelöst. Ihr Verlauf bleibt, solange der Tarif ihn aufbewahrt.'
}

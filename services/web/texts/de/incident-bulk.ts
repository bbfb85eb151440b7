/** German translation of the texts in incident-bulk.ts. */
import type { incidentBulk } from '../incident-bulk.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof incidentBulk> = {
  'bulk.label': 'Was mit den ausgewählten Vorfällen geschehen soll',
  'bulk.acknowledge': 'Bestätigen',
  'bulk.resolve': 'Lösen…',
  'bulk.assign': 'Zuweisen…',
  'bulk.hand_back': 'Zurückgeben…',
  'bulk.silence': 'Stummschalten…',
  'bulk.close': 'Schließen…',
  'bulk.silence_title': '{incidents} stummschalten',
  'bulk.silence_verb': 'Stummschalten',
  'bulk.silence_hint': 'Solange wird niemand darüber benachrichtigt. Sie bleiben in der Liste und können sich von selbst erholen.',
  'bulk.silence_for': 'Wie lange',
  'bulk.close_title': '{incidents} schließen',
  'bulk.close_verb': 'Schließen',
  'bulk.close_hint':
    'Sie werden gelöst und als von Ihnen geschlossen markiert. Bis sie sich erholen oder schlimmer werden, öffnen sich keine neuen Vorfälle.',
  'bulk.acknowledges': 'Auch bestätigen',
  'bulk.resolve_title': '{incidents} lösen',
  'bulk.assign_title': '{incidents} zuweisen',
  'bulk.hand_back_title': '{incidents} zurückgeben',
  'bulk.resolve_verb': 'Lösen',
  'bulk.assign_verb': 'Zuweisen',
  'bulk.hand_back_verb': 'Zurückgeben',
  'bulk.hand_back_hint': 'Die Vorfälle gelten nicht mehr als bestätigt und brauchen wieder jemanden.',
  'bulk.reason': 'Grund',
  'bulk.reason_hint': 'Erscheint in jedem Verlauf. Optional.',
  'bulk.member': 'Mitglied',
  'bulk.nobody': 'Niemand',
  'bulk.refused': 'Die ausgewählten Vorfälle zu ändern',
  'bulk.incident': '1 Vorfall',
  'bulk.incidents': '{count} Vorfälle'
}

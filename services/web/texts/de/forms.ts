/** German translation of the texts in forms.ts. */
import type { forms } from '../forms.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof forms> = {
  'button.cancel': 'Abbrechen',
  'faults.one': 'Ein Feld stimmt noch nicht',
  'faults.some': 'Einige Felder stimmen noch nicht',
  'duration.number': '{label}, Anzahl',
  'duration.unit': '{label}, Einheit',
  'unit.seconds': 'Sekunden',
  'unit.minutes': 'Minuten',
  'unit.hours': 'Stunden',
  'unit.days': 'Tage',
  'pairs.value': 'Wert zu {name} {at}',
  'pairs.remove': '{name} entfernen',
  'pairs.row': 'Zeile {at}',
  'zone.label': 'Zeitzone',
  'zone.none': 'Diese Zeitzone gibt es nicht',
  'limit.reached':
    'Sie nutzen {used} von {limit} {things}. Löschen Sie etwas davon oder wählen Sie einen größeren Tarif, bevor Sie mehr erstellen.',
  'limit.monitors': 'Monitoren',
  'limit.heartbeats': 'Heartbeats',
  'limit.inbound_integrations': 'Integrationen',
  'limit.channels': 'Benachrichtigungskanälen'
}

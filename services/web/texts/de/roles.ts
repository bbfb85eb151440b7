/** German translation of the texts in roles.ts. */
import type { roles } from '../roles.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof roles> = {
  'role.owner': 'Owner',
  'role.admin': 'Admin',
  'role.responder': 'Responder',
  'role.editor': 'Editor',
  'role.viewer': 'Viewer',
  'role.billing': 'Billing',
  'does.owner': 'Darf alles. Nur Owner können weitere Owner ernennen.',
  'does.admin': 'Verwaltet Mitglieder, API-Tokens und Einstellungen und darf alles, was Editoren und Responder dürfen.',
  'does.responder': 'Meldet, bestätigt, löst und kommentiert Vorfälle, schaltet sie stumm und übernimmt Schichten. Sieht alles andere.',
  'does.editor':
    'Richtet Monitore, Heartbeats, Integrationen, Kanäle, Routing, Bereitschaft und Wartung ein. Kann Vorfälle nicht bearbeiten. Sieht alles andere.',
  'does.viewer': 'Sieht alles und ändert nichts.',
  'does.billing': 'Verwaltet den Tarif und seine Kosten. Sieht keine Monitore und Vorfälle.',
  'scope.read': 'Lesen',
  'scope.write': 'Schreiben',
  'scope.act': 'Vorfälle bearbeiten',
  'scope.ingest': 'Senden',
  'scope.data': 'Daten-Topics lesen',
  'scope.billing': 'Abrechnung',
  'scope.admin': 'Verwaltung',
  'allows.read': 'Monitore, Heartbeats, Vorfälle, Integrationen und Auswertungen.',
  'allows.write':
    'Alles erstellen und ändern, was eingerichtet wird: Monitore, Heartbeats, Integrationen, Kanäle, Routing, Dienstpläne, Eskalationspläne, Wartung und Teams.',
  'allows.act': 'Vorfälle melden, bestätigen, stummschalten, lösen und kommentieren, Personen benachrichtigen und Schichten übernehmen.',
  'allows.ingest': 'Alarme und Zustände externer Monitore senden. Zusammen mit Lesen auch die Ping-URLs von Heartbeats sehen.',
  'allows.data': 'Für Datenteams, die die Topics des Arbeitsbereichs lesen.',
  'allows.billing': 'Der Tarif und seine Kosten.',
  'allows.admin': 'Alles, was die Person selbst darf, auch Mitglieder und Tokens.'
}

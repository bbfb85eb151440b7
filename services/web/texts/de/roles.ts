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
  'does.responder': 'Bestätigt, löst und kommentiert Vorfälle und schaltet sie stumm. Sieht alles andere.',
  'does.editor': 'Erstellt und ändert Monitore, Heartbeats und Integrationen. Sieht alles andere.',
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
  'allows.write': 'Monitore, Heartbeats und Integrationen erstellen und ändern.',
  'allows.act': 'Bestätigen, stummschalten, lösen und kommentieren.',
  'allows.ingest': 'Zusammen mit Lesen: die Ping-URLs von Heartbeats.',
  'allows.data': 'Für Datenteams, die die Topics des Arbeitsbereichs lesen.',
  'allows.billing': 'Der Tarif und seine Kosten.',
  'allows.admin': 'Alles, was die Person selbst darf, auch Mitglieder und Tokens.'
}

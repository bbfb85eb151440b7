/** German translation of the texts in held.ts. */
import type { held } from '../held.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof held> = {
  'held.ends': '{what}, endet',
  'held.pause_hint': 'Der Monitor oder Heartbeat ist pausiert. Niemand wird benachrichtigt.',
  'held.silence_hint': 'Niemand wird benachrichtigt, bevor die Stummschaltung endet.',
  'held.maintenance_hint': 'Ein Wartungsfenster ist aktiv. Niemand wird benachrichtigt, bis das Fenster und seine Nachfrist vorbei sind.',
  'held.matcher_silence_hint': 'Eine Stummschaltung des Arbeitsbereichs passt auf diesen Vorfall. Niemand wird benachrichtigt.',
  'held.dependency_hint': 'Ein Monitor, von dem dieser abhängt, ist ausgefallen. Solange wird über diesen niemand benachrichtigt.',
  'held.mass_outage_hint':
    'Er fiel zusammen mit anderen aus. Benachrichtigt wird über den Massenausfall, und noch einmal, wenn alle wieder laufen.',
  'held.storm_hint':
    'Viele Vorfälle haben sich auf einmal geöffnet. Endet der Sturm, wird über diesen benachrichtigt, falls er noch offen ist.',
  'held.flap_hint': 'Der Monitor wechselt zu oft zwischen läuft und ausgefallen. Der Vorfall bleibt offen, bis das vorbei ist.',
  'held.rule_hint': 'Nach einer Regel wird niemand benachrichtigt.'
}

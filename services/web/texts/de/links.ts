/** German translation of the texts in links.ts. */
import type { links } from '../links.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof links> = {
  'page.title': 'Link aus einer E-Mail',
  'confirm.question': 'Alarme an {subject} senden?',
  'confirm.hint': 'Der Arbeitsbereich {workspace} möchte seine Alarme an diese Adresse senden. Vor Ihrer Bestätigung wird nichts gesendet.',
  'confirm.verb': 'Bestätigen',
  'confirm.done': '{subject} ist bestätigt',
  'confirm.done_hint': 'Alarme von {workspace} werden ab jetzt an diese Adresse gesendet.',
  'stop.question': 'E-Mails an {subject} beenden?',
  'stop.hint': 'Der Kanal von {workspace}, der sie sendet, wird für alle ausgeschaltet, die diese Adresse lesen.',
  'stop.verb': 'Diese E-Mails beenden',
  'stop.done': 'Keine E-Mails mehr an {subject}',
  'stop.done_hint':
    'Die Personen in {workspace} sehen, dass Sie die E-Mails beendet haben. Schalten sie den Kanal wieder ein, muss diese Adresse zuerst bestätigen.',
  'acknowledge.question': '{subject} bestätigen?',
  'acknowledge.hint': 'Sie handeln als {person} in {workspace}. Niemand sonst wird gefragt, solange Sie daran arbeiten.',
  'acknowledge.verb': 'Bestätigen',
  'acknowledge.done': '{subject} ist bestätigt',
  'acknowledge.done_hint': 'Jemand arbeitet daran, oder es ist vorbei.',
  'resolve.question': '{subject} lösen?',
  'resolve.hint':
    'Sie handeln als {person} in {workspace}. Wer über den Ausfall benachrichtigt wurde, wird auch über das Ende benachrichtigt.',
  'resolve.verb': 'Lösen',
  'resolve.done': '{subject} ist gelöst',
  'resolve.done_hint': 'Der Vorfall ist vorbei.',
  'gone.title': 'Dieser Link gilt nicht mehr',
  'gone.hint': 'Er wurde schon benutzt, ist zu alt, oder das, worum es ging, gibt es nicht mehr.',
  'page.dashboard': 'Zum Dashboard'
}

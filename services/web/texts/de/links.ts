/** German of links.ts. */
import type { links } from '../links.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof links> = {
  'page.title': 'Link aus einer Mail',
  'confirm.question': 'Alarme an {subject} senden?',
  'confirm.hint': 'Der Arbeitsbereich {workspace} möchte seine Alarme an diese Adresse senden. Das beginnt, wenn Sie zustimmen.',
  'confirm.verb': 'Zustimmen',
  'confirm.done': '{subject} ist bestätigt',
  'confirm.done_hint': 'Alarme von {workspace} kommen ab jetzt an diese Adresse.',
  'stop.question': 'Mails an {subject} beenden?',
  'stop.hint': 'Der Kanal von {workspace}, der sie sendet, wird ausgeschaltet, für alle, die diese Adresse lesen.',
  'stop.verb': 'Diese Mails beenden',
  'stop.done': 'Keine Mails mehr an {subject}',
  'stop.done_hint':
    'Menschen in {workspace} sehen, dass es beendet wurde. Schalten sie den Kanal wieder ein, wird diese Adresse zuerst gefragt.',
  'acknowledge.question': '{subject} bestätigen?',
  'acknowledge.hint': 'Sie handeln als {person} in {workspace}. Niemand sonst wird gefragt, solange Sie sich kümmern.',
  'acknowledge.verb': 'Bestätigen',
  'acknowledge.done': '{subject} ist bestätigt',
  'acknowledge.done_hint': 'Jemand kümmert sich, oder es ist vorbei.',
  'resolve.question': '{subject} lösen?',
  'resolve.hint': 'Sie handeln als {person} in {workspace}. Wer vom Ausfall erfuhr, erfährt, dass er vorbei ist.',
  'resolve.verb': 'Lösen',
  'resolve.done': '{subject} ist gelöst',
  'resolve.done_hint': 'Es ist vorbei.',
  'gone.title': 'Dieser Link gilt nicht mehr',
  'gone.hint': 'Er wurde schon benutzt, ist zu alt, oder worum es ging, gibt es nicht mehr.',
  'page.dashboard': 'Zum Dashboard'
}

/** German translation of the texts in setup.ts. */
import type { setup } from '../setup.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof setup> = {
  'arrival.waiting': 'Warten auf den ersten Alarm…',
  'arrival.arrived': 'Ein Alarm ist angekommen',
  'arrival.rejected': 'Eine Sendung ist angekommen und wurde abgelehnt',
  'arrival.no_incident': '{at}, aber es öffnete sich kein Vorfall.',
  'arrival.turns': 'Diese Zeile wird von selbst grün.',
  'page.works': 'Funktioniert es?',
  'page.address': 'URL und Token',
  'page.how': 'So wird gesendet',
  'page.how_of': 'In {tool}',
  'page.resolves': 'Wann sich ein Vorfall löst',
  'fact.address': 'URL',
  'fact.token': 'Token',
  'fact.with_token': 'URL mit dem Token',
  'copy.address': 'die URL',
  'copy.token': 'das Token',
  'token.hint':
    'Das Token wurde gezeigt, als es erstellt wurde. Unten steht dafür `<token>`. Ist es verloren, erstellen Sie ein neues. Das alte kann noch eine Weile gelten.',
  'token.editor': 'Ein Editor des Arbeitsbereichs kann ein neues Token erstellen.',
  'minted.label': 'Das Token, nur jetzt zu sehen',
  'minted.title': 'Nur jetzt zu sehen: Kopieren Sie das Token',
  'minted.hint':
    'Nur eine Prüfsumme des Tokens wird gespeichert. Nach dem Neuladen dieser Seite kann niemand es mehr anzeigen. Sie können jederzeit ein neues Token erstellen.',
  'minted.done': 'Ich habe es gespeichert',
  'rotate.verb': 'Neues Token',
  'rotate.title': 'Ein neues Token erstellen?',
  'rotate.hint': 'Das neue Token wird einmal gezeigt, mit allem, was beim Absender einzusetzen ist.',
  'rotate.keep': 'Das alte Token gilt noch',
  'rotate.hour': '1 Stunde',
  'rotate.day': '1 Tag',
  'rotate.week': '7 Tage',
  'rotate.none': 'Gar nicht: Es gilt sofort nicht mehr',
  'rotate.create': 'Neues Token erstellen'
}

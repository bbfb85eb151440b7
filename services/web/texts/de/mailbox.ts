/** German of mailbox.ts. */
import type { mailbox } from '../mailbox.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof mailbox> = {
  'page.title': 'Postfach',
  'page.back': 'Postfach',
  'answer.none': 'Noch keine Mail',
  'answer.one': '1 Mail, nicht gesendet',
  'answer.many': '{count} Mails, nicht gesendet',
  'page.how':
    'Diese Installation hat keinen Mailserver: Mails bleiben hier, statt gesendet zu werden. Höchstens 200, für 30 Tage. SERVICE_SMTP_URL nennt einen Server, der sie sendet.',
  'empty.title': 'Hier werden Mails liegen',
  'empty.hint':
    'Was per Mail hinausginge, kommt hierher: Rufe an Menschen in Bereitschaft, Links zum Bestätigen einer Adresse, Tests eines Kanals.',
  'page.empty': 'Alle löschen',
  'delete.question': 'Alle Mails löschen?',
  'delete.hint': 'Links und Codes darin sind dann nicht mehr lesbar.',
  'delete.done': 'Das Postfach ist leer',
  'mail.not_sent': 'Nicht gesendet',
  'mail.to': 'An {recipient}',
  'mail.how': 'Hier aufbewahrt, statt gesendet zu werden.',
  'mail.show': 'Anzeigen als',
  'mail.html': 'HTML',
  'mail.text': 'Text',
  'mail.source': 'Quelltext',
  'mail.frame': 'Die Mail, wie ihr Leser sie sieht',
  'mail.mime': 'Die ganze Mail, wie ein Server sie bekäme',
  'mail.no_text': 'Die Mail hat keinen Text.',
  'fact.from': 'Von',
  'fact.to': 'An',
  'fact.at': 'Geschrieben',
  'fact.thread': 'Antwortet auf',
  'fact.unsubscribe': 'List-Unsubscribe'
}

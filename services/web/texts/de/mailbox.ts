/** German translation of the texts in mailbox.ts. */
import type { mailbox } from '../mailbox.ts'
import type { Translation } from '../text.ts'

export const de: Translation<typeof mailbox> = {
  'page.title': 'Postfach',
  'page.back': 'Postfach',
  'answer.none': 'Noch keine E-Mail',
  'answer.one': '1 E-Mail, nicht gesendet',
  'answer.many': '{count} E-Mails, nicht gesendet',
  'page.how':
    'Diese Installation hat keinen Mailserver. E-Mails bleiben hier, statt gesendet zu werden: höchstens 200, für 30 Tage. Zum Senden setzen Sie SERVICE_SMTP_URL.',
  'empty.title': 'E-Mails erscheinen hier',
  'empty.hint':
    'Sie sehen, was per E-Mail gesendet würde: Nachrichten an Personen in Bereitschaft, Links zum Bestätigen einer Adresse und Tests eines Kanals.',
  'page.empty': 'Alle löschen',
  'delete.question': 'Alle E-Mails löschen?',
  'delete.hint': 'Links und Codes darin sind danach nicht mehr lesbar.',
  'delete.done': 'Das Postfach ist leer',
  'mail.not_sent': 'Nicht gesendet',
  'mail.to': 'An {recipient}',
  'mail.how': 'Hier aufbewahrt statt gesendet.',
  'mail.show': 'Anzeigen als',
  'mail.html': 'HTML',
  'mail.text': 'Text',
  'mail.source': 'Quelltext',
  'mail.frame': 'Die E-Mail, wie der Empfänger sie sieht',
  'mail.mime': 'Die ganze E-Mail, wie ein Server sie bekäme',
  'mail.no_text': 'Die E-Mail hat keinen Text.',
  'fact.from': 'Von',
  'fact.to': 'An',
  'fact.at': 'Geschrieben',
  'fact.thread': 'Antwortet auf',
  'fact.unsubscribe': 'List-Unsubscribe'
}

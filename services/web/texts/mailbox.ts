/** Texts of the mailbox, which keeps the e-mails of an installation without a mail server. */
import { textsOf } from './text.ts'

export const mailbox = {
  'page.title': 'Mailbox',
  'page.back': 'Mailbox',
  'answer.none': 'No e-mail yet',
  'answer.one': '1 e-mail, not sent',
  'answer.many': '{count} e-mails, not sent',
  'page.how':
    'This installation has no mail server. E-mails are kept here instead of being sent: at most 200, for 30 days. To send them, set SERVICE_SMTP_URL.',
  'empty.title': 'E-mails appear here',
  'empty.hint': 'You see what would be sent by e-mail: messages to people on call, links that confirm an address, and tests of a channel.',
  'page.empty': 'Delete all',
  'delete.question': 'Delete all e-mails?',
  'delete.hint': 'Links and codes in them can no longer be read.',
  'delete.done': 'The mailbox is empty',
  'mail.not_sent': 'Not sent',
  'mail.to': 'To {recipient}',
  'mail.how': 'Kept here instead of being sent.',
  'mail.show': 'Show as',
  'mail.html': 'HTML',
  'mail.text': 'Text',
  'mail.source': 'Source',
  'mail.frame': 'The e-mail as its reader sees it',
  'mail.mime': 'The complete e-mail as a server would get it',
  'mail.no_text': 'The e-mail has no text.',
  'fact.from': 'From',
  'fact.to': 'To',
  'fact.at': 'Written',
  'fact.thread': 'Reply to',
  'fact.unsubscribe': 'List-Unsubscribe'
} as const

export const mailboxText = textsOf(mailbox, 'mailbox')

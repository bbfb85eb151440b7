/** Texts about the mailbox of a run without a mail server. */
import { textsOf } from './text.ts'

export const mailbox = {
  'page.title': 'Mailbox',
  'page.back': 'Mailbox',
  'answer.none': 'No mail yet',
  'answer.one': '1 mail, not sent',
  'answer.many': '{count} mails, not sent',
  'page.how':
    'This run has no mail server: mails are kept here in place of being sent. At most 200, for 30 days. SERVICE_SMTP_URL names a server that sends them.',
  'empty.title': 'Mails will be kept here',
  'empty.hint': 'What would go out by mail comes here: pages of an on-call person, links that confirm an address, tests of a channel.',
  'page.empty': 'Delete all',
  'delete.question': 'Delete all kept mails?',
  'delete.hint': 'Links and codes in them can no longer be read.',
  'delete.done': 'The mailbox is empty',
  'mail.not_sent': 'Not sent',
  'mail.to': 'To {recipient}',
  'mail.how': 'Kept here in place of being sent.',
  'mail.show': 'Show as',
  'mail.html': 'HTML',
  'mail.text': 'Text',
  'mail.source': 'Source',
  'mail.frame': 'The mail as its reader sees it',
  'mail.mime': 'The whole mail, as a server would get it',
  'mail.no_text': 'The mail has no text.',
  'fact.from': 'From',
  'fact.to': 'To',
  'fact.at': 'Written',
  'fact.thread': 'Answers',
  'fact.unsubscribe': 'List-Unsubscribe'
} as const

export const mailboxText = textsOf(mailbox)

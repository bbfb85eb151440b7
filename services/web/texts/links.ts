/** Texts of the page behind a link of a mail. */
import { textsOf } from './text.ts'

export const links = {
  'page.title': 'Link of a mail',
  'confirm.question': 'Send alerts to {subject}?',
  'confirm.hint': 'The workspace {workspace} wants to send its alerts to this address. They begin when you confirm.',
  'confirm.verb': 'Confirm',
  'confirm.done': '{subject} is confirmed',
  'confirm.done_hint': 'Alerts of {workspace} come to this address from now on.',
  'stop.question': 'Stop mails to {subject}?',
  'stop.hint': 'The notification channel of {workspace} that sends them is turned off, for everybody who reads this address.',
  'stop.verb': 'Stop these mails',
  'stop.done': 'No more mails to {subject}',
  'stop.done_hint': 'People of {workspace} see that it was stopped. When they turn it on again, this address is asked first.',
  'acknowledge.question': 'Acknowledge {subject}?',
  'acknowledge.hint': 'You act as {person} in {workspace}. Nobody else is asked while you have it.',
  'acknowledge.verb': 'Acknowledge',
  'acknowledge.done': '{subject} is acknowledged',
  'acknowledge.done_hint': 'Somebody has it, or it is over.',
  'resolve.question': 'Resolve {subject}?',
  'resolve.hint': 'You act as {person} in {workspace}. Whoever heard of the failure hears that it is over.',
  'resolve.verb': 'Resolve',
  'resolve.done': '{subject} is resolved',
  'resolve.done_hint': 'It is over.',
  'gone.title': 'This link can no longer be used',
  'gone.hint': 'It was used already, is too old, or what it is about has gone.',
  'page.dashboard': 'To the dashboard'
} as const

export const linksText = textsOf(links)

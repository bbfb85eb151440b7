/** Texts of the page that a link in an e-mail opens. */
import { textsOf } from './text.ts'

export const links = {
  'page.title': 'Link from an e-mail',
  'confirm.question': 'Send alerts to {subject}?',
  'confirm.hint': 'The workspace {workspace} wants to send its alerts to this address. Nothing is sent before you confirm.',
  'confirm.verb': 'Confirm',
  'confirm.done': '{subject} is confirmed',
  'confirm.done_hint': 'Alerts of {workspace} are sent to this address from now on.',
  'stop.question': 'Stop e-mails to {subject}?',
  'stop.hint': 'The channel of {workspace} that sends them is turned off for everybody who reads this address.',
  'stop.verb': 'Stop these e-mails',
  'stop.done': 'No more e-mails to {subject}',
  'stop.done_hint':
    'The people of {workspace} see that you stopped the e-mails. If they turn the channel on again, this address must confirm first.',
  'acknowledge.question': 'Acknowledge {subject}?',
  'acknowledge.hint': 'You act as {person} in {workspace}. Nobody else is asked while you work on it.',
  'acknowledge.verb': 'Acknowledge',
  'acknowledge.done': '{subject} is acknowledged',
  'acknowledge.done_hint': 'Somebody is working on it, or it is over.',
  'resolve.question': 'Resolve {subject}?',
  'resolve.hint': 'You act as {person} in {workspace}. Everybody who was notified of the failure is notified that it is over.',
  'resolve.verb': 'Resolve',
  'resolve.done': '{subject} is resolved',
  'resolve.done_hint': 'The incident is over.',
  'gone.title': 'This link is no longer valid',
  'gone.hint': 'It was already used, it is too old, or its subject no longer exists.',
  'page.dashboard': 'To the dashboard'
} as const

export const linksText = textsOf(links, 'links')

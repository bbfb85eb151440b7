/** Texts about who a person is in chat apps. */
import { textsOf } from './text.ts'

export const chat = {
  'page.title': 'Link a chat account',
  'vendor.slack': 'Slack',
  'vendor.discord': 'Discord',
  'vendor.telegram': 'Telegram',
  'list.title': 'In chat apps',
  'list.none': 'You act in no chat app. Send a command there: who is not linked is given a link.',
  'bot.link': 'Link Telegram by @{bot}',
  'bot.open': 'Open @{bot} in Telegram',
  'bot.hint': 'and press Start there within 15 minutes. Give the link to nobody: who opens it acts as you.',
  'bot.what': 'The link',
  'list.how': '{account}, as {sender}',
  'list.since': 'Linked',
  'list.unlink': 'Unlink',
  'list.question': 'Unlink {name}?',
  'list.hint': 'Commands and buttons of this account do nothing any more.',
  'list.done': '{name} is unlinked',
  'all.title': 'In chat apps',
  'all.hint': 'Whoever uses one of these accounts acts in the workspace as the member, with their rights.',
  'all.as': 'acts as {member}',
  'all.more': 'and {count} more; the API lists them all',
  'all.question': 'Unlink {name} from {member}?',
  'all.hint.unlink': 'Commands and buttons of this account do nothing any more. {member} can link it again.',
  'all.done': '{name} no longer acts as {member}',
  'ask.question': 'Is {name} on {vendor} you?',
  'ask.hint': 'Whoever uses this account acts as {person} in {workspace}: they see and do there what you may.',
  'ask.warn': 'Link it only if you asked for this link yourself, a moment ago.',
  'ask.account': 'Workspace at {vendor}',
  'ask.sender': 'Account',
  'ask.verb': 'Yes, link it',
  'ask.no': 'No',
  'done.title': '{name} on {vendor} is you',
  'done.hint': 'Send your command again. You can unlink it under Your notifications.',
  'done.verb': 'To your notifications',
  'gone.title': 'This link can no longer be used',
  'gone.hint': 'It was used already, or is older than 15 minutes. Send your command again to get another one.'
} as const

export const chatText = textsOf(chat)

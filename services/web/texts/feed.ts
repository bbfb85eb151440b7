/** Texts of the feed, which lists what the app has told the person. */
import { textsOf } from './text.ts'

export const feed = {
  'page.title': 'Feed',
  'answer.none': 'You have read everything',
  'answer.unread': '{count} unread',
  'filter.which': 'Unread or all',
  'filter.unread': 'Unread',
  'filter.category': 'Category',
  'category.incident': 'Incidents',
  'category.admin': 'Announcements',
  'category.billing': 'Plan and usage',
  'list.mark_all': 'Mark all as read',
  'list.older': 'Show older',
  'empty.unread': 'No unread messages',
  'empty.category': 'No messages of this kind',
  'empty.clear': 'Show all messages',
  'empty.none': 'No messages yet',
  'empty.hint':
    'You get a message when you reach a limit, when your plan changes, and when there is an announcement. Messages are kept for 90 days.',
  'row.unread': 'Unread:',
  'row.read_verb': 'Mark as read',
  'row.unread_verb': 'Mark as unread',
  'row.verb_of': '{verb}: {title}',
  'react.with': 'React with {emoji}: {title}',
  'react.label': 'React: {title}',
  'refused.read': 'Marking the message as read',
  'refused.unread': 'Marking the message as unread',
  'refused.reaction': 'Your reaction',
  'refused.all': 'Marking the messages as read'
} as const

export const feedText = textsOf(feed, 'feed')

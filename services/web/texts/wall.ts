/** Texts of the wall board. */
import { textsOf } from './text.ts'

export const wall = {
  'page.title': 'Wall board',
  'page.leave': 'To the dashboard',
  'answer.calm': 'Nothing is wrong',
  'answer.calm_then': 'Nothing was wrong',
  'answer.taken': 'All incidents are acknowledged or silenced',
  'answer.unwell': 'Not everything is well, and no incident is open',
  'answer.one': '1 incident needs someone',
  'answer.some': '{count} incidents need someone',
  'count.monitors': 'monitors up',
  'count.heartbeats': 'heartbeats on time',
  'count.incidents': 'incidents ongoing',
  'count.of': '{count} of {all}',
  'list.label': 'Ongoing incidents',
  'list.more': 'and {count} more',
  'list.taken': 'Acknowledged by {name}',
  'list.silenced': 'Silenced until {time}',
  'on_call.title': 'On call',
  'on_call.nobody': 'Nobody',
  'live.stale': 'This may be out of date: no connection since {time}.',
  'live.unread': 'This may be out of date: not read since {time}.'
} as const

export const wallText = textsOf(wall, 'wall')

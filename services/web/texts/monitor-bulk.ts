/** Texts of bulk actions on monitors. */
import { textsOf } from './text.ts'

export const monitorBulk = {
  'many.label': 'What to do with the selected monitors',
  'many.pause': 'Pause…',
  'many.resume': 'Resume',
  'many.tags': 'Tags…',
  'many.team': 'Move to a team…',
  'many.group': 'Move to a group…',
  'many.interval': 'Interval…',
  'many.delete': 'Delete…',
  'many.refused': 'Changing the selected monitors',
  'pause.title': 'Pause {monitors}',
  'pause.verb': 'Pause',
  'pause.hint': 'They are not checked while they are paused. Their open incidents are resolved.',
  'pause.minutes': 'How long',
  'pause.reason': 'Reason',
  'pause.reason_hint': 'For people who wonder why they are paused. Optional.',
  'tags.title': 'Change the tags of {monitors}',
  'tags.verb': 'Change the tags',
  'tags.add': 'Add tags',
  'tags.remove': 'Remove tags',
  'tags.hint': 'Separate tags with commas',
  'team.title': 'Move {monitors} to a team',
  'team.verb': 'Move',
  'team.hint': 'New incidents belong to the team. Open incidents do not move.',
  'team.none': 'There is no team yet. Create one in the settings.',
  'group.title': 'Move {monitors} to a group',
  'group.verb': 'Move',
  'group.hint': 'Each monitor is in one group. It leaves the group that it is in now.',
  'group.none': 'There is no group yet.',
  'group.first': 'Create the first group',
  'interval.title': 'Change the interval of {monitors}',
  'interval.verb': 'Change the interval',
  'interval.label': 'Check every',
  'delete.title': 'Delete {monitors}?',
  'delete.verb': 'Delete',
  'delete.hint': 'Their open incidents are resolved. Their history stays for as long as the plan keeps it.'
} as const

export const monitorBulkText = textsOf(monitorBulk, 'monitor-bulk')

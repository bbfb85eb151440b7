/** Texts of groups of monitors. */
import { textsOf } from './text.ts'

export const monitorGroups = {
  'groups.title': 'Groups of monitors',
  'groups.verb': 'Groups',
  'groups.back': 'Monitors',
  'groups.answer_one': '1 group',
  'groups.answer': '{count} groups',
  'groups.answer_bad': '{bad} of {count} groups need a look',
  'groups.none': 'Keep together what belongs together',
  'groups.none_hint':
    'The list of monitors can be sorted by group. Each group shows the status of its worst monitor. Create a group, then select monitors in the list and move them to it.',
  'groups.create': 'New group',
  'groups.read_only': 'Your role can only view groups. Editors, admins and owners can change them.',
  'groups.edit': 'Edit',
  'groups.delete': 'Delete',
  'groups.delete_question': 'Delete the group {name}?',
  'groups.delete_hint': 'Its monitors are kept. They are in no group afterwards.',
  'groups.delete_verb': 'Delete the group',
  'groups.deleted': 'The group {name} was deleted',
  'groups.saved': 'The group {name} was saved',
  'group.name': 'Name',
  'group.description': 'Description',
  'group.order': 'Place in the list',
  'group.order_hint': 'Groups with a lower number come first. Groups with the same number are sorted by name.',
  'group.create_title': 'New group',
  'group.edit_title': 'Edit {name}',
  'group.delete_title': 'Delete {name}',
  'group.create_verb': 'Create the group',
  'group.save_verb': 'Save',
  'group.label': 'Group',
  'group.any': 'Any group',
  'group.no_group': 'No group',
  'group.empty': 'No monitor is in this group',
  'group.empty_hint': 'Select monitors in the list and choose “Move to a group”, or choose the group when you edit a monitor.',
  'group.all': 'Show all monitors',
  'group.answer': '{name}: {words}',
  'group.paused': 'all paused',
  'group.nothing': 'no monitors',
  'sort.group': 'By group',
  'state.empty': 'Empty',
  'count.none': 'No monitors',
  'count.down': '{count} down',
  'count.degraded': '{count} degraded',
  'count.paused': '{count} paused'
} as const

export const monitorGroupsText = textsOf(monitorGroups, 'monitor-groups')

/** Texts of the workspace settings. */
import { textsOf } from './text.ts'

export const workspace = {
  'page.title': 'Workspace',
  'page.answer': '{name} is on the {plan} plan',
  'page.may_not': 'Only owners and admins of the workspace can change these settings.',
  'facts.title': 'For scripts and support',
  'fact.id': 'ID',
  'fact.id_what': 'the id of the workspace',
  'fact.slug': 'Slug',
  'fact.slug_what': 'the slug of the workspace',
  'fact.created': 'Created',
  'field.zone': 'Time zone',
  'field.reopen': 'Reopen time',
  'field.name': 'Name',
  'field.slug': 'Slug',
  'form.saved': 'The workspace is saved',
  'form.save': 'Save changes',
  'group.name': 'Name and time zone',
  'hint.slug': 'A short name for operators of the service: lower-case letters, digits and hyphens',
  'hint.zone': 'For schedules, digests and reminders of people who have not chosen a time zone',
  'group.reopen': 'After somebody resolves an incident',
  'reopen.none': 'If the problem is still there, the next failure opens a new incident.',
  'reopen.after':
    'If the problem is still there and does not get worse, no new incident opens for {time}. If it lasts longer, a new incident opens. At most 7 d.',
  'reopen.unset':
    'If the problem is still there and does not get worse, no new incident opens for this time. If it lasts longer, a new incident opens. At most 7 d.'
} as const

export const workspaceText = textsOf(workspace, 'workspace')

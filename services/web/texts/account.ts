/** Texts of a person's own account. */
import { textsOf } from './text.ts'

export const account = {
  'page.title': 'Your account',
  'page.answer': 'You are {name}. Your role in {workspace}: {role}',
  'profile.title': 'You',
  'profile.hint': 'The same in all your workspaces',
  'profile.name': 'Name',
  'profile.zone': 'Time zone',
  'profile.zone_hint': 'Dates and times are shown in this zone. Digests and reminders use it, too.',
  'profile.zone_browser': 'The zone of this browser: {zone}',
  'profile.language': 'Language',
  'profile.language_hint': 'For texts, dates and numbers. Messages of the server are in English.',
  'profile.save': 'Save changes',
  'profile.saved': 'Your account is saved',
  'password.title': 'Password',
  'password.hint': 'You are logged out everywhere else, in all workspaces. API tokens keep working.',
  'password.current': 'Current password',
  'password.new': 'New password',
  'password.new_hint': '{count} characters or more',
  'password.save': 'Change the password',
  'password.saved': 'Your password was changed. You are logged out everywhere else',
  'look.title': 'Look',
  'look.where': 'On this device'
} as const

export const accountText = textsOf(account, 'account')

/** Texts of logging in, and of accepting an invite. */
import { textsOf } from './text.ts'

export const login = {
  'login.title': 'Log in',
  'login.email': 'E-mail',
  'login.password': 'Password',
  'login.remember': 'Keep me logged in on this device',
  'login.hint': 'For a local installation, the first login is in `access.json` in its data folder.',
  'invite.title': 'Invite',
  'invite.gone': 'This invite is no longer valid',
  'invite.gone_hint': 'It was already accepted or withdrawn, or it has expired. Ask the sender for a new invite.',
  'invite.join_of': 'Join {workspace}',
  'invite.as': 'Your role: {role}.',
  'invite.ends': 'The invite ends {at}.',
  'invite.name': 'Your name',
  'invite.your_password': 'Your password',
  'invite.new_password': 'New password',
  'invite.your_password_hint': 'You already have an account with this e-mail address. Enter its password.',
  'invite.new_password_hint': '{count} characters or more',
  'invite.join': 'Join'
} as const

export const loginText = textsOf(login, 'login')

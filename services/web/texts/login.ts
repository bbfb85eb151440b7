/** Texts of logging in, of a forgotten password, and of accepting an invite. */
import { textsOf } from './text.ts'

export const login = {
  'login.title': 'Log in',
  'login.email': 'E-mail',
  'login.password': 'Password',
  'login.remember': 'Keep me logged in on this device',
  'login.hint': 'For a local installation, the first login is in `access.json` in its data folder.',
  'login.forgotten': 'Forgot your password?',
  'forgotten.title': 'Forgot your password?',
  'forgotten.hint': 'Enter the e-mail address of your account. You get a mail with a link that sets a new password.',
  'forgotten.send': 'Send the link',
  'forgotten.sent': 'Check your mail',
  'forgotten.sent_hint':
    'If there is an account with the address {email}, a mail with a link is on its way. The link works once, and for an hour. You can ask again after five minutes.',
  'forgotten.no_mail': 'This service sends no mail',
  'forgotten.no_mail_hint': 'Ask its operator for a link that sets a new password.',
  'new_password.title': 'Set a new password',
  'new_password.hint': 'This logs you out on all devices.',
  'new_password.set': 'Set the password',
  'new_password.gone': 'This link is no longer valid',
  'new_password.gone_hint': 'It was used already, it is older than an hour, or the password was changed since.',
  'new_password.again': 'Send another link',
  'new_password.changed': 'Your password is changed',
  'new_password.changed_hint': 'You are logged out on all devices. Log in with the new password.',
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

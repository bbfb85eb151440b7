/** Texts of the members of a workspace and of inviting people. */
import { textsOf } from './text.ts'

export const members = {
  'page.title': 'Members',
  'page.invite': 'Invite a person',
  'page.may_not': 'Only owners and admins of the workspace can invite people and change roles.',
  'page.full': 'All {count} seats of the plan are taken. Open invites count, too. Remove a member or withdraw an invite.',
  'answer.one': '1 person',
  'answer.people': '{count} people',
  'answer.invited': '{people}, {count} invited',
  'row.seen': 'Seen {at}',
  'row.never': 'Not logged in',
  'row.last_owner': 'The only owner. Add another owner before you remove this one.',
  'row.change_role': 'Change role',
  'row.change_role_of': 'Change role of {name}',
  'row.leave': 'Leave',
  'row.leave_of': 'Leave {workspace}',
  'row.leave_question': 'Leave {workspace}?',
  'row.leave_hint':
    'Your sessions and API tokens of this workspace end within 5 s. Your open invites are withdrawn. What you created stays.',
  'row.remove': 'Remove',
  'row.remove_of': 'Remove {name}',
  'row.remove_question': 'Remove {name}?',
  'row.remove_hint':
    'Their sessions and API tokens of this workspace end within 5 s. Their open invites are withdrawn. What they created stays.',
  'row.removed': '{name} is no longer a member',
  'role.label': 'Role',
  'role.title': 'The role of {name}',
  'role.verb': 'Change the role',
  'role.changed': '{name} now has the role {role}',
  'invites.title': 'Invited',
  'invites.by': 'Invited by {name}',
  'invites.expired': 'Expired {at}',
  'invites.expires': 'Expires {at}',
  'invites.withdraw': 'Withdraw',
  'invites.withdraw_of': 'Withdraw the invite for {email}',
  'invites.question': 'Withdraw the invite for {email}?',
  'invites.explained': 'The invite link stops working. You can invite the person again.',
  'invites.withdrawn': 'The invite for {email} was withdrawn',
  'invite.title': 'Invite a person',
  'invite.made': 'The invite for {email}',
  'invite.email': 'E-mail',
  'invite.verb': 'Create the invite',
  'invite.hand_over':
    'Send this link to {email}. The first person who opens it joins with the role {role}. The link is shown only now, works once, and ends {at}.',
  'invite.link': 'Invite link',
  'invite.done': 'Done'
} as const

export const membersText = textsOf(members, 'members')

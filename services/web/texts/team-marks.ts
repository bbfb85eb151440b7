/** Texts that name a team, or let a person choose one, outside the team pages. */
import { textsOf } from './text.ts'

export const teamMarks = {
  'team.label': 'Team',
  'team.none': 'Whole workspace',
  'team.deleted': 'Deleted team',
  'team.private': 'Private',
  'team.any': 'Any team',
  'select.private_hint': 'Only the members of {name}, owners and admins see this and its incidents.',
  'select.open_hint': 'Everybody in the workspace sees this.'
} as const

export const teamMarkText = textsOf(teamMarks, 'team-marks')

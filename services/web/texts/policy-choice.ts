/** Texts of where a policy is chosen: workspace and teams. */
import { textsOf } from './text.ts'

export const policyChoice = {
  'choice.label': 'Escalation policy',
  'choice.none': 'None: nobody is asked',
  'choice.gone': 'One that is gone, or that you do not see',
  'choice.workspace_title': 'Who is asked about an incident',
  'choice.workspace': 'Default escalation policy',
  'choice.workspace_hint': 'For incidents for which no rule, no source and no team gives another.',
  'choice.team_none': 'That of the workspace',
  'choice.team_hint': 'For incidents of the team, where no rule and no source gives another.',
  'choice.all': 'Escalation policies'
} as const

export const policyChoiceText = textsOf(policyChoice)

/** Texts for choosing the escalation policy of the workspace or of a team. */
import { textsOf } from './text.ts'

export const policyChoice = {
  'choice.label': 'Escalation policy',
  'choice.none': 'None: nobody is asked',
  'choice.gone': 'A policy that was deleted or that you cannot see',
  'choice.workspace_title': 'Who is asked about an incident',
  'choice.workspace': 'Default escalation policy',
  'choice.workspace_hint': 'Used when no rule, source or team chooses another one.',
  'choice.team_none': 'Default of the workspace',
  'choice.team_hint': 'For incidents of the team, when no rule or source chooses another one.',
  'choice.all': 'Escalation policies'
} as const

export const policyChoiceText = textsOf(policyChoice, 'policy-choice')

/** Changes the settings of a team; only what differs is sent. */
import { Alert, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Eye, Lock } from 'lucide-react'
import type { TeamDetail } from '../../api/shapes.ts'
import { changeTeam, readTeamsAgain, teamQuery } from '../../api/teams.ts'
import { Form, Group } from '../../forms/Form.tsx'
import { PolicySelect } from '../../forms/PolicySelect.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { policyChoiceText } from '../../texts/policy-choice.ts'
import { teamsText } from '../../texts/teams.ts'
import classes from './TeamForm.module.css'
import { changeInWords } from './team-words.ts'
import { VisibilityChoice } from './VisibilityChoice.tsx'

export interface TeamFormProps {
  team: TeamDetail
  /** Whether the person may make the team private. */
  mayHide: boolean
  onSaved: (team: TeamDetail) => void
}

export function TeamForm({ team, mayHide, onSaved }: TeamFormProps) {
  const queries = useQueryClient()
  const { id, name, description, visibility, escalation_policy_id } = team
  const form = useForm({
    initial: { name, description, visibility, escalation_policy_id },
    schema: async () => (await import('../../../../schemas/http/teams.ts')).UpdateTeamBody,
    toBody: (values) => ({
      ...(values.name !== name && { name: values.name.trim() }),
      ...(values.description !== description && { description: values.description.trim() }),
      ...(values.visibility !== visibility && { visibility: values.visibility }),
      ...(values.escalation_policy_id !== escalation_policy_id && { escalation_policy_id: values.escalation_policy_id })
    }),
    save: (body) => changeTeam(id, body),
    onSaved: (saved) => {
      queries.setQueryData(teamQuery(id).queryKey, saved)
      void readTeamsAgain(queries)
      void queries.invalidateQueries({ queryKey: ['policies'] })
      tellDone(teamsText('form.saved', { name: saved.name }))
      onSaved(saved)
    }
  })
  const { values, set, fault, left } = form
  const change = changeInWords(name, visibility, values.visibility)
  return (
    <div className={classes.place}>
      <Form form={form} verb={teamsText('form.save')}>
        <Group title={teamsText('page.settings')}>
          <TextInput
            label={teamsText('form.name')}
            value={values.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            onBlur={() => left('name')}
            error={fault('name')}
          />
          <Textarea
            label={teamsText('form.description')}
            description={teamsText('form.description_hint')}
            autosize
            minRows={2}
            maxRows={8}
            value={values.description}
            onChange={(event) => set({ description: event.currentTarget.value })}
            error={fault('description')}
          />
          <PolicySelect
            label={policyChoiceText('choice.label')}
            description={policyChoiceText('choice.team_hint')}
            first={[{ value: '', label: policyChoiceText('choice.team_none') }]}
            value={values.escalation_policy_id ?? ''}
            onChange={(chosen) => set({ escalation_policy_id: chosen === '' ? null : chosen })}
            error={fault('escalation_policy_id')}
          />
          <VisibilityChoice
            value={values.visibility}
            onChange={(chosen) => set({ visibility: chosen })}
            mayHide={mayHide}
            error={fault('visibility')}
          />
          {change !== null && (
            <Alert
              role="status"
              color="yellow"
              variant="light"
              icon={values.visibility === 'private' ? <Lock size={18} aria-hidden /> : <Eye size={18} aria-hidden />}
            >
              {change}
            </Alert>
          )}
        </Group>
      </Form>
    </div>
  )
}

/** Creates a team: its name, and who can see what it owns. */
import { Modal, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Team } from '../../api/shapes.ts'
import { createTeam, readTeamsAgain, teamQuery } from '../../api/teams.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { teamsText } from '../../texts/teams.ts'
import { VisibilityChoice } from './VisibilityChoice.tsx'

export function TeamDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={teamsText('form.create_title')}>
      <TeamForm onClose={onClose} />
    </Modal>
  )
}

const initial: { name: string; description: string; visibility: Team['visibility'] } = { name: '', description: '', visibility: 'org' }

function TeamForm({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/teams.ts')).CreateTeamBody,
    toBody: ({ name, description, visibility }) => ({ name: name.trim(), description: description.trim(), visibility }),
    save: createTeam,
    onSaved: (team) => {
      queries.setQueryData(teamQuery(team.id).queryKey, team)
      void readTeamsAgain(queries)
      tellDone(teamsText('form.created', { name: team.name }))
      void navigate({ to: '/settings/teams/$id', params: { id: team.id }, replace: true })
    }
  })
  const { values, set, fault, left } = form
  return (
    <Form form={form} verb={teamsText('form.create')} onCancel={onClose}>
      <TextInput
        label={teamsText('form.name')}
        value={values.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        onBlur={() => values.name !== '' && left('name')}
        // The slug is made from the name, so a fault of the slug is shown at the name.
        error={fault('name') ?? fault('slug')}
        data-autofocus
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
      <VisibilityChoice value={values.visibility} onChange={(visibility) => set({ visibility })} error={fault('visibility')} />
    </Form>
  )
}

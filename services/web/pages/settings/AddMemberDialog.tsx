/** Adds a member of the workspace to a team. */
import '@mantine/core/styles/RadioIndicator.css'
import '@mantine/core/styles/Radio.css'
import { Modal, Radio, Select, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type TeamRole, teamRoles } from '../../../../schemas/http/visibility.ts'
import type { TeamDetail } from '../../api/shapes.ts'
import { putTeamMember, readTeamsAgain, teamQuery } from '../../api/teams.ts'
import { membersQuery } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { tellDone } from '../../parts/tell.ts'
import { teamsText } from '../../texts/teams.ts'

interface Props {
  team: TeamDetail
  onClose: () => void
}

export function AddMemberDialog({ opened, ...props }: Props & { opened: boolean }) {
  return (
    <Modal opened={opened} onClose={props.onClose} title={teamsText('members.add')}>
      <AddForm {...props} />
    </Modal>
  )
}

/** `user_id` goes into the path of the request. */
const initial: { user_id: string; role: TeamRole } = { user_id: '', role: 'member' }

function AddForm({ team: { id, members, visibility }, onClose }: Props) {
  const queries = useQueryClient()
  const { data } = useQuery(membersQuery)
  const inside = new Set(members.map(({ user_id }) => user_id))
  const people = (data?.items ?? []).filter(({ user_id }) => !inside.has(user_id))
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/teams.ts')).NewTeamMember,
    toBody: ({ user_id, role }) => ({ ...(user_id !== '' && { user_id }), role }),
    save: ({ user_id = '', role }) => putTeamMember(id, user_id, role),
    onSaved: (team) => {
      queries.setQueryData(teamQuery(id).queryKey, team)
      void readTeamsAgain(queries)
      tellDone(teamsText('members.added', { name: people.find(({ user_id }) => user_id === form.values.user_id)?.name ?? '' }))
      onClose()
    }
  })
  const { values, set, fault } = form
  if (data && people.length === 0) return <p>{teamsText('members.everybody')}</p>
  return (
    <Form form={form} verb={teamsText('members.add')} onCancel={onClose}>
      <Select
        label={teamsText('members.person')}
        description={visibility === 'private' ? teamsText('members.add_private_hint') : teamsText('members.add_hint')}
        data={people.map(({ user_id, name, email }) => ({ value: user_id, label: `${name} (${email})` }))}
        value={values.user_id === '' ? null : values.user_id}
        onChange={(user_id) => set({ user_id: user_id ?? '' })}
        error={fault('user_id')}
        searchable
        openOnFocus={false}
        data-autofocus
      />
      <Radio.Group
        label={teamsText('members.role')}
        value={values.role}
        onChange={(chosen) => set({ role: teamRoles.find((one) => one === chosen) ?? 'member' })}
        error={fault('role')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="member" label={teamsText('members.member')} description={teamsText('members.member_hint')} />
          <Radio value="lead" label={teamsText('members.lead')} description={teamsText('members.lead_hint')} />
        </Stack>
      </Radio.Group>
    </Form>
  )
}

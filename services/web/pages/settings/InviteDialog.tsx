/**
 * Invites a person by e-mail and role. Then it shows once the address that accepts the invite, to
 * hand over.
 */
import { Button, Modal, MultiSelect, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client, take } from '../../api/client.ts'
import { teamsQuery } from '../../api/lists.ts'
import type { InviteWithUrl, Role } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { CopyBlock } from '../../parts/Copy.tsx'
import { Around, HERE } from '../../parts/Said.tsx'
import { Since } from '../../parts/Since.tsx'
import { membersText } from '../../texts/members.ts'
import { teamsText } from '../../texts/teams.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { roleWords } from './roles.ts'
import classes from './Shown.module.css'

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<InviteWithUrl | null>(null)
  function close(): void {
    onClose()
    setMade(null)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? membersText('invite.made', { email: made.email }) : membersText('invite.title')}
      // A click outside must not close the dialog while it shows what is shown only once.
      closeOnClickOutside={made === null}
    >
      {made ? <Made invite={made} onDone={close} /> : <InviteForm onMade={setMade} onCancel={close} />}
    </Modal>
  )
}

const initial: { email: string; role: Role; team_ids: string[] } = { email: '', role: 'responder', team_ids: [] }

function InviteForm({ onMade, onCancel }: { onMade: (invite: InviteWithUrl) => void; onCancel: () => void }) {
  const queries = useQueryClient()
  const form = useForm({
    initial,
    schema: async () => (await import('../../../../schemas/http/members.ts')).CreateInviteBody,
    toBody: ({ email, role, team_ids }) => ({ email: email.trim(), role, ...(team_ids.length > 0 && { team_ids }) }),
    save: (body) => take(client.POST('/api/v1/workspace/invites', { body })),
    onSaved: (invite) => {
      void readAgain(queries, 'invites')
      onMade(invite)
    }
  })
  const { values, set, fault, left } = form
  const teams = useQuery(teamsQuery).data?.items ?? []
  return (
    <Form form={form} verb={membersText('invite.verb')} onCancel={onCancel}>
      <TextInput
        label={membersText('invite.email')}
        type="email"
        value={values.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
        onBlur={() => values.email !== '' && left('email')}
        error={fault('email')}
        data-autofocus
      />
      <RoleChoice value={values.role} onChange={(role) => set({ role })} error={fault('role')} />
      {teams.length > 0 && (
        <MultiSelect
          label={teamsText('team.title')}
          description={teamsText('invite.hint')}
          data={teams.map(({ id, name }) => ({ value: id, label: name }))}
          value={values.team_ids}
          onChange={(team_ids) => set({ team_ids })}
          error={fault('team_ids')}
          searchable
        />
      )}
    </Form>
  )
}

function Made({ invite: { accept_url, email, role, expires_at }, onDone }: { invite: InviteWithUrl; onDone: () => void }) {
  return (
    <div className={classes.shown}>
      <p>
        <Around text={membersText('invite.hand_over', { email, role: roleWords(role).name, at: HERE })}>
          <Since at={expires_at} />
        </Around>
      </p>
      <CopyBlock title={membersText('invite.link')} text={accept_url} />
      <Button onClick={onDone}>{membersText('invite.done')}</Button>
    </div>
  )
}

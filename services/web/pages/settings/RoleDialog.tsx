/** Changes the role of a member. */
import { useQueryClient } from '@tanstack/react-query'
import { client, take } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import type { Member } from '../../api/shapes.ts'
import { readAgain } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { LateModal } from '../../parts/LateModal.tsx'
import { tellDone } from '../../parts/tell.ts'
import { membersText } from '../../texts/members.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { roleWords } from './roles.ts'

/** `member` is null while the dialog is closed. */
export function RoleDialog({ member, onClose }: { member: Member | null; onClose: () => void }) {
  return (
    <LateModal opened={member !== null} onClose={onClose} title={member && membersText('role.title', { name: member.name })}>
      {member && <RoleForm key={member.user_id} member={member} onClose={onClose} />}
    </LateModal>
  )
}

function RoleForm({ member: { user_id, name, role }, onClose }: { member: Member; onClose: () => void }) {
  const queries = useQueryClient()
  const form = useForm({
    initial: { role },
    schema: async () => (await import('../../../../schemas/http/members.ts')).UpdateMemberBody,
    toBody: (body) => body,
    save: (body) => take(client.PATCH('/api/v1/workspace/members/{user_id}', { params: { path: { user_id } }, body })),
    onSaved: (saved) => {
      // The member may be the person themselves, so what they may do is read again. Invites that
      // they may no longer make are withdrawn.
      void readAgain(queries, 'members', 'invites')
      void queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      tellDone(membersText('role.changed', { name, role: roleWords(saved.role).name }))
      onClose()
    }
  })
  return (
    <Form form={form} verb={membersText('role.verb')} onCancel={onClose}>
      <RoleChoice value={form.values.role} onChange={(chosen) => form.set({ role: chosen })} error={form.fault('role')} />
    </Form>
  )
}

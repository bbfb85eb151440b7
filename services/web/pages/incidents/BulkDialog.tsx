/** What an action on several incidents asks before it is done. */
import { Checkbox, Modal, Select, Textarea } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { BulkBody } from '../../../../schemas/http/incidents.ts'
import { actOnMany } from '../../api/incidents.ts'
import { useSession } from '../../api/session.ts'
import type { BulkAnswer } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { useForm } from '../../forms/useForm.ts'
import { incidentsText } from '../../texts/incidents.ts'
import { counted } from '../overview/answer.ts'
import classes from './ActionDialog.module.css'

export interface AskedInBulk {
  action: 'resolve' | 'assign' | 'unacknowledge'
  ids: string[]
}

export interface BulkDialogProps {
  /** null: closed. */
  asked: AskedInBulk | null
  onClose: () => void
  onDone: (answer: BulkAnswer) => void
}

function titleOf({ action, ids }: AskedInBulk): string {
  const incidents = counted(ids.length, 'incident')
  if (action === 'resolve') return incidentsText('bulk.resolve_title', { incidents })
  if (action === 'assign') return incidentsText('bulk.assign_title', { incidents })
  return incidentsText('bulk.hand_back_title', { incidents })
}

export function BulkDialog({ asked, onClose, onDone }: BulkDialogProps) {
  // What fades away is what was there.
  const shown = useRef<AskedInBulk | null>(null)
  if (asked) shown.current = asked
  const last = shown.current
  // Where the focus was is only known to a dialog that opens after it is there.
  const isThere = useMounted()
  const done = (answer: BulkAnswer): void => {
    onDone(answer)
    onClose()
  }
  return (
    <Modal opened={isThere && asked !== null} onClose={onClose} title={last ? titleOf(last) : ''}>
      {last?.action === 'resolve' && <ResolveForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'assign' && <AssignForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'unacknowledge' && <HandBackForm ids={last.ids} onClose={onClose} onDone={done} />}
    </Modal>
  )
}

interface FormProps {
  ids: string[]
  onClose: () => void
  onDone: (answer: BulkAnswer) => void
}

function ResolveForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { note: '', until_recovered: true },
    schema: BulkBody,
    toBody: ({ note, until_recovered }) => ({ ids, action: 'resolve' as const, note: note.trim() || null, until_recovered }),
    save: actOnMany,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={incidentsText('bulk.resolve_verb')} onCancel={onClose}>
      <Textarea
        label={incidentsText('resolve.note')}
        description={incidentsText('resolve.note_hint')}
        rows={3}
        value={form.values.note}
        onChange={(event) => form.set({ note: event.currentTarget.value })}
        error={form.fault('note')}
        data-autofocus
      />
      <Checkbox
        label={incidentsText('resolve.until_recovered')}
        description={incidentsText('resolve.until_recovered_hint')}
        checked={form.values.until_recovered}
        onChange={(event) => form.set({ until_recovered: event.currentTarget.checked })}
      />
    </Form>
  )
}

const NOBODY = 'nobody'

function AssignForm({ ids, onClose, onDone }: FormProps) {
  const { data: members } = useQuery(membersQuery)
  const { user } = useSession()
  const form = useForm({
    initial: { user_id: user?.id ?? NOBODY },
    schema: BulkBody,
    toBody: ({ user_id }) => ({ ids, action: 'assign' as const, user_id: user_id === NOBODY ? null : user_id }),
    save: actOnMany,
    onSaved: onDone
  })
  const people = (members?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? `${name} (you)` : name
  }))
  return (
    <Form form={form} verb={incidentsText('bulk.assign_verb')} onCancel={onClose}>
      <Select
        label={incidentsText('bulk.member')}
        data={[...people, { value: NOBODY, label: incidentsText('bulk.nobody') }]}
        value={form.values.user_id}
        onChange={(user_id) => form.set({ user_id: user_id ?? NOBODY })}
        error={form.fault('user_id')}
        searchable
        openOnFocus={false}
        data-autofocus
      />
    </Form>
  )
}

function HandBackForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { reason: '' },
    schema: BulkBody,
    toBody: ({ reason }) => ({ ids, action: 'unacknowledge' as const, reason: reason.trim() || null }),
    save: actOnMany,
    onSaved: onDone
  })
  return (
    <Form form={form} verb={incidentsText('bulk.hand_back_verb')} onCancel={onClose}>
      <p className={classes.hint}>{incidentsText('bulk.hand_back_hint')}</p>
      <Textarea
        label={incidentsText('bulk.reason')}
        description={incidentsText('bulk.reason_hint')}
        rows={3}
        value={form.values.reason}
        onChange={(event) => form.set({ reason: event.currentTarget.value })}
        error={form.fault('reason')}
        data-autofocus
      />
    </Form>
  )
}

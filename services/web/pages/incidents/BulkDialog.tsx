/** The dialog that asks for details before an action on several incidents. */
import { Checkbox, Modal, NativeSelect, Select, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { actOnMany } from '../../api/incidents.ts'
import { useSession } from '../../api/session.ts'
import type { BulkAnswer, Incident } from '../../api/shapes.ts'
import { membersQuery } from '../../api/workspace.ts'
import { Form } from '../../forms/Form.tsx'
import { LongText } from '../../forms/LongText.tsx'
import { textOrNull } from '../../forms/text-or-null.ts'
import { type Form as FormState, useForm } from '../../forms/useForm.ts'
import { incidentBulkText } from '../../texts/incident-bulk.ts'
import { incidentFormsText } from '../../texts/incident-forms.ts'
import { namesText } from '../../texts/names.ts'
import classes from './ActionDialog.module.css'
import { silenceSpans } from './silence-spans.ts'

export interface AskedInBulk {
  action: 'resolve' | 'close' | 'assign' | 'silence' | 'unacknowledge'
  ids: string[]
  /** The incidents before the change. */
  before: readonly Incident[]
}

/** How the action can be undone, for actions that can be. */
export type Undoable = 'assign' | 'take' | 'silence'

export interface BulkDialogProps {
  /** null: closed. */
  asked: AskedInBulk | null
  onClose: () => void
  onDone: (answer: BulkAnswer, undo?: Undoable) => void
}

function titleOf({ action, ids }: AskedInBulk): string {
  const incidents = ids.length === 1 ? incidentBulkText('bulk.incident') : incidentBulkText('bulk.incidents', { count: ids.length })
  if (action === 'resolve') return incidentBulkText('bulk.resolve_title', { incidents })
  if (action === 'close') return incidentBulkText('bulk.close_title', { incidents })
  if (action === 'assign') return incidentBulkText('bulk.assign_title', { incidents })
  if (action === 'silence') return incidentBulkText('bulk.silence_title', { incidents })
  return incidentBulkText('bulk.hand_back_title', { incidents })
}

export function BulkDialog({ asked, onClose, onDone }: BulkDialogProps) {
  // While the dialog fades out, it keeps its last content.
  const shown = useRef<AskedInBulk | null>(null)
  if (asked) shown.current = asked
  const last = shown.current
  // Open only after the mount: otherwise the dialog does not know where the focus was before.
  const isThere = useMounted()
  const done = (answer: BulkAnswer, undo?: Undoable): void => {
    onDone(answer, undo)
    onClose()
  }
  return (
    <Modal opened={isThere && asked !== null} onClose={onClose} title={last ? titleOf(last) : ''}>
      {last?.action === 'resolve' && <ResolveForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'close' && <CloseForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'silence' && <SilenceForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'assign' && <AssignForm ids={last.ids} onClose={onClose} onDone={done} />}
      {last?.action === 'unacknowledge' && <HandBackForm ids={last.ids} onClose={onClose} onDone={done} />}
    </Modal>
  )
}

interface FormProps {
  ids: string[]
  onClose: () => void
  onDone: (answer: BulkAnswer, undo?: Undoable) => void
}

function CloseForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { note: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).BulkBody,
    toBody: ({ note }) => ({ ids, action: 'close' as const, note: textOrNull(note) }),
    save: actOnMany,
    onSaved: (answer) => onDone(answer)
  })
  return (
    <Form form={form} verb={incidentBulkText('bulk.close_verb')} onCancel={onClose}>
      <p className={classes.hint}>{incidentBulkText('bulk.close_hint')}</p>
      <LongText form={form} name="note" label={incidentFormsText('resolve.note')} hint={incidentFormsText('resolve.note_hint')} />
    </Form>
  )
}

function SilenceForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { minutes: '60', reason: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).BulkBody,
    toBody: ({ minutes, reason }) => ({
      ids,
      action: 'silence' as const,
      duration_minutes: Number(minutes),
      reason: textOrNull(reason)
    }),
    save: actOnMany,
    onSaved: (answer) => onDone(answer, 'silence')
  })
  return (
    <Form form={form} verb={incidentBulkText('bulk.silence_verb')} onCancel={onClose}>
      <p className={classes.hint}>{incidentBulkText('bulk.silence_hint')}</p>
      <NativeSelect
        label={incidentBulkText('bulk.silence_for')}
        data={silenceSpans}
        value={form.values.minutes}
        onChange={(event) => form.set({ minutes: event.currentTarget.value })}
        error={form.fault('duration_minutes')}
        data-autofocus
      />
      <TextInput
        label={incidentBulkText('bulk.reason')}
        description={incidentBulkText('bulk.reason_hint')}
        value={form.values.reason}
        onChange={(event) => form.set({ reason: event.currentTarget.value })}
        error={form.fault('reason')}
      />
    </Form>
  )
}

function ResolveForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { note: '', until_recovered: true },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).BulkBody,
    toBody: ({ note, until_recovered }) => ({ ids, action: 'resolve' as const, note: textOrNull(note), until_recovered }),
    save: actOnMany,
    onSaved: (answer) => onDone(answer)
  })
  return (
    <Form form={form} verb={incidentBulkText('bulk.resolve_verb')} onCancel={onClose}>
      <LongText form={form} name="note" label={incidentFormsText('resolve.note')} hint={incidentFormsText('resolve.note_hint')} />
      <Checkbox
        label={incidentFormsText('resolve.until_recovered')}
        description={incidentFormsText('resolve.until_recovered_hint')}
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
  const form: FormState<{ user_id: string; acknowledges: boolean }> = useForm({
    initial: { user_id: user?.id ?? NOBODY, acknowledges: false as boolean },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).BulkBody,
    toBody: ({ user_id }) => ({ ids, action: 'assign' as const, user_id: user_id === NOBODY ? null : user_id }),
    save: async (body) => {
      // Incidents that are over cannot be acknowledged, but they can still be assigned.
      if (form.values.acknowledges) await actOnMany({ ids, action: 'acknowledge' })
      return actOnMany(body)
    },
    onSaved: (answer) => onDone(answer, form.values.acknowledges ? 'take' : 'assign')
  })
  const people = (members?.items ?? []).map(({ user_id, name }) => ({
    value: user_id,
    label: user_id === user?.id ? namesText('person.you', { name }) : name
  }))
  return (
    <Form form={form} verb={incidentBulkText('bulk.assign_verb')} onCancel={onClose}>
      <Select
        label={incidentBulkText('bulk.member')}
        data={[...people, { value: NOBODY, label: incidentBulkText('bulk.nobody') }]}
        value={form.values.user_id}
        onChange={(user_id) => form.set({ user_id: user_id ?? NOBODY })}
        error={form.fault('user_id')}
        searchable
        openOnFocus={false}
        data-autofocus
      />
      <Checkbox
        label={incidentBulkText('bulk.acknowledges')}
        checked={form.values.acknowledges}
        onChange={(event) => form.set({ acknowledges: event.currentTarget.checked })}
      />
    </Form>
  )
}

function HandBackForm({ ids, onClose, onDone }: FormProps) {
  const form = useForm({
    initial: { reason: '' },
    schema: async () => (await import('../../../../schemas/http/incidents.ts')).BulkBody,
    toBody: ({ reason }) => ({ ids, action: 'unacknowledge' as const, reason: textOrNull(reason) }),
    save: actOnMany,
    onSaved: (answer) => onDone(answer)
  })
  return (
    <Form form={form} verb={incidentBulkText('bulk.hand_back_verb')} onCancel={onClose}>
      <p className={classes.hint}>{incidentBulkText('bulk.hand_back_hint')}</p>
      <LongText form={form} name="reason" label={incidentBulkText('bulk.reason')} hint={incidentBulkText('bulk.reason_hint')} />
    </Form>
  )
}
